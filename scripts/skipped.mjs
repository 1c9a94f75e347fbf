/** Prints at the end, in one line each, which tests were skipped on this machine and why: `context.skip('the reason')`. */
export default class Skipped {
  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunEnd(modules) {
    // With -t everything else is skipped on purpose.
    if (this.vitest.config.testNamePattern) return
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        console.log(`not tested here: ${test.fullName}: ${test.result().note ?? 'no reason given'}`)
      }
    }
  }
}
