import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Minutes in all. Begun last, each of these would run alone at the end while a core has nothing to do. */
const SLOW = [
  'test/mutations/mutations.test.ts',
  'test/team/simulations-1.test.ts',
  'test/team/simulations-2.test.ts',
  'test/boundary/attacks.test.ts',
  'test/policy/corpus/corpus.test.ts',
  'test/demo/demo.test.ts',
  'test/storms/agent-kills.test.ts',
  'test/postgres/outages.test.ts',
]

/** Starts the slowest test files first; the others follow in the usual order. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => SLOW.findIndex((path) => moduleId.endsWith(path))
    const slow = files.filter((file) => rank(file) >= 0).sort((a, b) => rank(a) - rank(b))
    return [...slow, ...(await super.sort(files.filter((file) => rank(file) < 0)))]
  }
}
