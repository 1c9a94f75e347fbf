import ts from 'typescript'

/** A test that runs: the suites around it, then itself. */
export interface NamedTest {
  file: string
  titles: string[]
  /** For each title, the numbers of the specification and of the trials in the comment behind it: `}) // F7, T12`. */
  numbers: string[][]
}

const openers = ['it', 'test', 'describe', 'suite']
const idle = ['skip', 'todo', 'fails']
const makers = ['each', 'for', 'skipIf', 'runIf', 'extend']

/**
 * Reads the tests out of the syntax tree, so that a run filtered to one file knows them all and a name in a comment or
 * a string is no test. Skipped, todo and expected-to-fail tests are left out; `skipIf` counts, since it runs somewhere.
 */
export function testsIn(file: string, text: string): NamedTest[] {
  const tests: NamedTest[] = []
  const walk = (node: ts.Node, above: { title: string; numbers: string[] }[]): void => {
    const words = ts.isCallExpression(node) && !isMaker(node) ? calleeWords(node.expression) : []
    if (!ts.isCallExpression(node) || !openers.includes(words[0] ?? '')) {
      ts.forEachChild(node, (child) => walk(child, above))
      return
    }
    if (!runs(node, words)) return
    const title = titleOf(node.arguments[0]!)
    const names = title === undefined ? above : [...above, { title, numbers: numbersBehind(text, node.end) }]
    if (words[0] === 'it' || words[0] === 'test')
      tests.push({ file, titles: names.map(({ title }) => title), numbers: names.map(({ numbers }) => numbers) })
    else ts.forEachChild(node, (child) => walk(child, names))
  }
  walk(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), [])
  return tests
}

function numbersBehind(text: string, end: number): string[] {
  const comments = ts.getTrailingCommentRanges(text, end) ?? []
  return comments.flatMap(({ pos, end }) => text.slice(pos, end).match(/\b[A-DFGT][1-9]\d?\b/g) ?? [])
}

/** `it.each(table)` and the like only make the function that takes the title. */
function isMaker(call: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(call.expression) && makers.includes(call.expression.name.text)
}

/** `it.skipIf(x).each(table)` → it, skipIf, each */
function calleeWords(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text]
  if (ts.isPropertyAccessExpression(callee)) return [...calleeWords(callee.expression), callee.name.text]
  if (ts.isCallExpression(callee)) return calleeWords(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return calleeWords(callee.tag)
  return []
}

/** Not marked as skipped by word or option, and it has a body (without one the runner takes it for a todo). */
function runs(call: ts.CallExpression, words: string[]): boolean {
  const rest = call.arguments.slice(1)
  const options = rest.filter(ts.isObjectLiteralExpression).flatMap((object) => [...object.properties])
  const marked = options.some(
    (option) =>
      ts.isPropertyAssignment(option) &&
      ts.isIdentifier(option.name) &&
      idle.includes(option.name.text) &&
      option.initializer.kind === ts.SyntaxKind.TrueKeyword,
  )
  const hasBody = rest.some((argument) => !ts.isObjectLiteralExpression(argument) && !ts.isNumericLiteral(argument))
  return hasBody && !marked && !words.some((word) => idle.includes(word))
}

/** The text of a literal title, `…` for what is only known when it runs. */
function titleOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((s) => `…${s.literal.text}`).join('')
  if (ts.isParenthesizedExpression(node)) return titleOf(node.expression)
  if (ts.isBinaryExpression(node)) return `${titleOf(node.left) ?? '…'}${titleOf(node.right) ?? '…'}`
  return undefined
}
