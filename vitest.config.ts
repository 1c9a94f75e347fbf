import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __BUG__: 'process.env.DESKMATES_BUG' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  },
})
