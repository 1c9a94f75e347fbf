import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { applyMutation } from './test/mutations/plugin.ts'
import { SlowFirst } from './test/slow-first.ts'

/** Measures processor time, which other tests in the same process would change. */
const MEASURES = 'src/permissions/rules/growth.test.ts'

export default defineConfig({
  plugins: [
    applyMutation(),
    // As in the build: prose is imported as text.
    {
      name: 'prose',
      load: (id) => (/\.(md|yaml)$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null),
    },
  ],
  test: {
    globalSetup: 'test/temporary-folder.ts',
    sequence: { sequencer: SlowFirst },
    // The small machines this runs on have two cores, and much of the time is spent waiting for processes.
    maxWorkers: 2,
    // Only against hanging: a slow machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    projects: [
      // Tests beside the code share the loaded sources: a process for each file would load them again for a third of a second.
      { extends: true, test: { name: 'src', include: ['src/**/*.test.ts'], exclude: [MEASURES], isolate: false } },
      { extends: true, test: { name: 'test', include: ['test/**/*.test.ts', MEASURES] } },
    ],
  },
})
