import { roleKey } from '../../team/members/role.ts'

/** What the organisation says about one role. */
interface GatedRole {
  readonly gates: { readonly idle: GateTime; readonly completion: GateTime }
}
type GateTime = 'never' | 'auto_commit' | 'always'

/** Which gates hold for members of a role. A role that the organisation does not name has none. */
export function gatesOf(
  roles: ReadonlyMap<string, GatedRole>,
  isCommitting: boolean,
): (role: string) => { readonly idle: boolean; readonly completion: boolean } {
  const isOn = (time: GateTime) => time === 'always' || (time === 'auto_commit' && isCommitting)
  return (wanted) => {
    const gates = [...roles].find(([role]) => roleKey(role) === roleKey(wanted))?.[1].gates
    return { idle: gates !== undefined && isOn(gates.idle), completion: gates !== undefined && isOn(gates.completion) }
  }
}
