import { measured } from '../team.mjs'

export default {
  name: 'send from another process → in an idle teammate’s request',
  against: 'synced append + bare request',
  unit: 'ms',
  atMost: 6,
  rounds: 2,
  round: () => measured('team-wake', ['elsewhere', 60]),
}
