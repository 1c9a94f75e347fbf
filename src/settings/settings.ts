import { z } from 'zod'
import { ServerEntry } from '../mcp/client/server-entry.ts'
import { ModelSettings } from '../models/settings.ts'
import { HOOKS_FAIL, HookSettings } from '../permissions/hooks/hook-settings.ts'
import { MODES } from '../permissions/rules/modes.ts'
import { parseRule, WrongRule } from '../permissions/rules/parse-rule.ts'
import { SANDBOX_MODES } from '../permissions/sandbox/sandbox-modes.ts'
import { PLANS } from '../team/members/plan-gate.ts'
import { RESULT_DELIVERIES } from '../team/progress/lead-wakes.ts'
import { SPELLINGS } from '../tools/own-tool.ts'
import { AcpEntry } from '../tools/subagents/acp-entry.ts'

const { providers, prices, models, patience } = ModelSettings.shape

/** What the terminal does when a person is needed, or all is done. */
const NOTICE_MODES = ['desktop', 'bell', 'off'] as const

/** Parsed here, so that an invalid rule is reported with its position. */
const PermissionRule = z.string().superRefine((text, context) => {
  try {
    parseRule(text)
  } catch (error) {
    if (!(error instanceof WrongRule)) throw error
    context.addIssue({ code: 'custom', message: error.message.replace(/\.$/, '') })
  }
})

/** All settings. A key is listed only if it has an effect. */
export const Settings = z.strictObject({
  $schema: z.string().optional().meta({ description: 'Where an editor finds this schema.' }),
  model: z.string().min(1).optional().meta({ description: 'provider/model, scripted:FILE or replay:FILE.' }),
  fallbackModels: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Called in this order when the model before has failed.' }),
  providers: providers
    .unwrap()
    .optional()
    .meta({ description: 'Base URLs, keys and protocols, by the name before the slash.' }),
  prices: prices.unwrap().optional().meta({ description: 'US dollars per million tokens, by provider/model.' }),
  models: models
    .unwrap()
    .optional()
    .meta({ description: 'Context window, longest answer and options, by provider/model.' }),
  patience: patience.unwrap().optional().meta({ description: 'Seconds until a call to a silent provider fails.' }),
  maxOutputTokens: z.int().positive().optional().meta({ description: 'The longest answer, in tokens.' }),
  permissions: z
    .strictObject({
      mode: z.enum(MODES).optional().meta({ description: 'What happens when no rule matches.' }),
      allow: z
        .array(PermissionRule)
        .optional()
        .meta({ description: 'Rules such as bash(git *) or edit_file(src/**).' }),
      ask: z.array(PermissionRule).optional(),
      deny: z.array(PermissionRule).optional().meta({ description: 'Checked first, whatever else allows it.' }),
    })
    .optional(),
  team: z
    .strictObject({
      stallMinutes: z.number().positive().optional().meta({
        description: 'A working teammate that shows no activity for so long counts as lost; 15 by default.',
      }),
      idleTimeoutMinutes: z
        .number()
        .positive()
        .optional()
        .meta({ description: 'A teammate that is idle for so long stops by itself; never by default.' }),
      plans: z
        .enum(PLANS)
        .optional()
        .meta({ description: 'Who approves plans: lead, human (denied where no person can be asked) or auto.' }),
      leadWakesAfterIdle: z.number().nonnegative().optional().meta({
        description: 'Seconds a teammate is idle while results wait until the lead takes a turn; 20 by default.',
      }),
      autoCommit: z.boolean().optional().meta({
        description: 'The runtime commits the reserved files of a task when it is completed; off by default.',
      }),
      confirmFirstSpawn: z.boolean().optional().meta({
        description: 'You are asked once in a session before the lead starts its first teammates; off by default.',
      }),
      leadHears: z.enum(RESULT_DELIVERIES).optional().meta({
        description: 'Results of tasks arrive together at its next turn (the default), or each causes one.',
      }),
    })
    .optional(),
  tools: z
    .strictObject({
      spelling: z.enum(SPELLINGS).optional().meta({
        description: 'How agents name what they do in a team: SendMessage and Task, or send_message and more.',
      }),
    })
    .optional(),
  sandbox: z
    .strictObject({
      mode: z
        .enum(SANDBOX_MODES)
        .optional()
        .meta({ description: 'auto: where it works; require: no commands without; off: none.' }),
      env: z
        .array(z.string())
        .optional()
        .meta({ description: 'Variables that commands may see besides the default ones.' }),
      limits: z
        .strictObject({
          processes: z.int().positive().optional().meta({ description: 'Processes and threads of one command, 4096.' }),
          memory: z
            .int()
            .positive()
            .optional()
            .meta({ description: 'Bytes of data of one process; 3/4 of the memory.' }),
          fileSize: z.int().positive().optional().meta({ description: 'Bytes of one file, 16 GB.' }),
        })
        .optional()
        .meta({ description: 'What one command may use.' }),
    })
    .optional()
    .meta({ description: 'The sandbox of the commands of agents.' }),
  statusLine: z
    .strictObject({
      type: z.literal('command'),
      command: z.string(),
      padding: z.int().nonnegative().max(20).optional().meta({ description: 'Spaces before each line, 0.' }),
      sandbox: z.literal(false).optional().meta({ description: 'false: it runs outside of the sandbox.' }),
    })
    .optional()
    .meta({ description: 'A program whose output is drawn below the prompt of the terminal.' }),
  notices: z
    .enum(NOTICE_MODES)
    .optional()
    .meta({ description: 'When you are needed or all is done: bell and desktop notice, bell, or nothing.' }),
  mcpServers: z.record(z.string().min(1), ServerEntry).optional().meta({
    description: 'MCP servers by name, each with command, args and env, or with type http, url and headers.',
  }),
  agents: z
    .record(
      z.string().min(1),
      z.strictObject({
        description: z.string().min(1).optional().meta({ description: 'Tells the lead when to use it.' }),
        prompt: z.string().min(1).optional().meta({ description: 'What every agent of this type is told.' }),
        acp: AcpEntry.meta({ description: "Another vendor's agent: a preset, or command, args and env." }),
      }),
    )
    .optional()
    .meta({ description: "Agent types by name that another vendor's program runs, as teammates." }),
  hooks: HookSettings.optional().meta({ description: 'Programs that are called before and after events.' }),
  hooksFail: z
    .enum(HOOKS_FAIL)
    .optional()
    .meta({ description: 'The effect of a hook that fails or is late; closed: refused.' }),
})
/** As written in a file. */
export type Settings = z.input<typeof Settings>
