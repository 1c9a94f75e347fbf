import { measured } from '../team.mjs'

export default {
  name: 'send from the same process → in an idle teammate’s request',
  against: 'synced append + bare request',
  unit: 'ms',
  atMost: 3,
  rounds: 2,
  round: () => measured('team-wake', ['here', 60]),
}
