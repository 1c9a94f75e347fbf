import { z } from 'zod'

/** Programs of other vendors that are known here: how each is started, and which credentials are its own. */
export const ACP_PRESETS = ['claude-code', 'opencode', 'gemini', 'codex'] as const
export type AcpPreset = (typeof ACP_PRESETS)[number]

const AcpProgram = z
  .strictObject({
    preset: z.enum(ACP_PRESETS).optional().meta({ description: 'A known program; all other members change it.' }),
    command: z.string().min(1).optional().meta({ description: 'The program; variables in it are replaced.' }),
    args: z.array(z.string()).optional(),
    env: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Variables of the program, besides the usual ones and its own credentials.' }),
    mode: z.string().min(1).optional().meta({ description: 'The mode in which it asks before it changes something.' }),
    asks: z.boolean().optional().meta({ description: 'Whether it asks before it changes something.' }),
    projectSettings: z.boolean().optional().meta({
      description: 'It loads its settings, hooks and servers from the workspace. Counts only in your own settings.',
    }),
    folders: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'Folders it may use besides the workspace; DIR:ro for reading only.' }),
  })
  .refine(({ preset, command }) => preset !== undefined || command !== undefined, {
    error: `write "command" (and "args", "env"), or "preset": one of ${ACP_PRESETS.join(', ')}`,
  })

/** Another vendor's agent that is run by its own program: the name of a preset, or how to start it. */
export const AcpEntry = z.union([z.enum(ACP_PRESETS), AcpProgram], {
  error: `write the name of a preset (${ACP_PRESETS.join(', ')}), or an object with "command" (and "args", "env")`,
})
export type AcpEntry = z.infer<typeof AcpEntry>
