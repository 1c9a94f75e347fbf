/** `watch`: without a sandbox, other processes may watch and prompt; `full`: also answer questions and change the mode. */
export const CONTROL_ACCESS = ['watch', 'full'] as const
export type ControlAccess = (typeof CONTROL_ACCESS)[number]
