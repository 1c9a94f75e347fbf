import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Boundary } from '../../ports/tool.ts'
import { boundaryEnv } from './boundary-env.ts'
import { bubblewrapArgs, type Enclosure } from './bubblewrap.ts'
import { deniedFiles } from './denied-files.ts'
import { findBubblewrap, type Probe, probe } from './probe.ts'

/**
 * auto      keeps commands in where that works; where it does not, says so
 * require   runs no command where it does not work
 * off       runs them like any other program; the user said so
 */
export const SANDBOX_MODES = ['auto', 'require', 'off'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

export interface BoundaryPlan {
  readonly mode: SandboxMode
  readonly root: string
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables to be seen inside besides the usual ones. */
  readonly also?: readonly string[] | undefined
  /** Places of deskmates itself: state, settings, teams kept elsewhere. */
  readonly hidden: readonly string[]
  /** As the rules of the user have it. */
  readonly rules: {
    readonly hasFileRules: boolean
    forbids(kind: 'read' | 'write', path: string): boolean
    mayUseNetwork(command: string): boolean
  }
}

/** What became of the wish to keep commands in. */
export interface OpenedBoundary extends Disposable {
  readonly state: 'on' | 'off' | 'missing'
  /** Only where it is missing. */
  readonly why?: { readonly cause: string; readonly remedy: string }
  readonly boundary: Boundary | undefined
}

export async function openBoundary(plan: BoundaryPlan): Promise<OpenedBoundary> {
  if (plan.mode === 'off') return { state: 'off', boundary: undefined, [Symbol.dispose]() {} }
  const own = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-inside-')))
  const [tmp, inside] = [join(own, 'tmp'), join(own, 'home')]
  for (const folder of [tmp, inside]) mkdirSync(folder, { mode: 0o700 })
  const remove = () => rmSync(own, { recursive: true, force: true })
  const real = realHome(plan.env.HOME)
  const enclosure: Enclosure = {
    root: plan.root,
    folders: plan.folders,
    tmp,
    home: real === undefined ? undefined : { real, inside },
    hidden: plan.hidden,
    kept: [],
    path: (plan.env.PATH ?? '').split(delimiter).filter(Boolean),
    hasNetwork: false,
    forbidsUserns: true,
  }
  const env = boundaryEnv(plan.env, { also: plan.also ?? [] })
  const program = findBubblewrap(enclosure.path, [plan.root, ...plan.folders])
  const found = await onceFor(`${plan.root} ${env.PATH}`, () =>
    probe(program, (forbidsUserns) => bubblewrapArgs({ ...enclosure, forbidsUserns }), env),
  )
  if (!found.works || program === undefined) {
    remove()
    const { cause, remedy } = found as Extract<Probe, { works: false }>
    return { state: 'missing', why: { cause, remedy }, boundary: undefined, [Symbol.dispose]() {} }
  }
  return {
    state: 'on',
    boundary: {
      around(command) {
        const { forbids, hasFileRules, mayUseNetwork } = plan.rules
        const hasNetwork = mayUseNetwork(command)
        const denied = hasFileRules ? deniedFiles([plan.root, ...plan.folders], forbids) : { hidden: [], kept: [] }
        const args = bubblewrapArgs({
          ...enclosure,
          forbidsUserns: found.forbidsUserns,
          hasNetwork,
          hidden: [...plan.hidden, ...denied.hidden],
          kept: denied.kept,
        })
        return {
          prefix: [program, ...args],
          env: boundaryEnv(plan.env, { also: plan.also ?? [], hasNetwork }),
          hasNetwork,
        }
      },
    },
    [Symbol.dispose]: remove,
  }
}

function realHome(home: string | undefined): string | undefined {
  try {
    return home === undefined || home === '' || home === '/' ? undefined : realpathSync(home)
  } catch {
    return undefined
  }
}

const probes = new Map<string, Promise<Probe>>()

/** A machine does not learn it while a process lives. */
function onceFor(key: string, ask: () => Promise<Probe>): Promise<Probe> {
  const asked = probes.get(key) ?? ask()
  probes.set(key, asked)
  return asked
}
