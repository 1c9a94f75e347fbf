import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __BUG__: 'process.env.DESKMATES_BUG' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Only against hanging: a slow machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  },
})
