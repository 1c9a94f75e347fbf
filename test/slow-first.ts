import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Minutes in all. Started last, each of these would run alone at the end while a core has nothing to do. */
const SLOW = [
  'test/mutations/mutations.test.ts',
  'test/team/simulations-1.test.ts',
  'test/team/simulations-2.test.ts',
  'test/boundary/attacks.test.ts',
  'test/policy/corpus/corpus.test.ts',
  'test/crash/flipped-bytes.test.ts',
  'test/demo/demo.test.ts',
  'test/storms/agent-kills.test.ts',
  'test/postgres/outages.test.ts',
]

/**
 * Starts the slowest test files first. The files that share a process come last and together, because a process is
 * kept only for a next file that shares it too.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => SLOW.findIndex((path) => moduleId.endsWith(path))
    const isShared = ({ project }: TestSpecification) => project.config.isolate === false
    const slow = files.filter((file) => rank(file) >= 0).sort((a, b) => rank(a) - rank(b))
    const others = await super.sort(files.filter((file) => rank(file) < 0))
    return [...slow, ...others.filter((file) => !isShared(file)), ...others.filter(isShared)]
  }
}
