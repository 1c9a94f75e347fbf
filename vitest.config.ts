import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/slow-first.ts'

export default defineConfig({
  // As in the build: prose is imported as text.
  plugins: [
    {
      name: 'prose',
      load: (id) => (id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null),
    },
  ],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/temporary-folder.ts',
    sequence: { sequencer: SlowFirst },
    // The small machines this runs on have two cores, and much of the time is spent waiting for processes.
    maxWorkers: 2,
    // Only against hanging: a slow machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  },
})
