/** Where it works, always, or never. */
export const SANDBOX_MODES = ['auto', 'require', 'off'] as const
