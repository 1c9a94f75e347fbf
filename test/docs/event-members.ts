import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { project } from './page.ts'

/** Type → members of every event, read from the source: the schemas themselves are nobody else's business. */
export function eventMembers(): Map<string, string[]> {
  const path = join(project, 'src', 'team', 'event.ts')
  const found = new Map<string, string[]>()
  const visit = (node: ts.Node): void => {
    // A type of one word stands without quotes.
    const isType = (name: ts.PropertyName) => ts.isStringLiteral(name) || ts.isIdentifier(name)
    if (
      ts.isPropertyAssignment(node) &&
      isType(node.name) &&
      node.initializer.getText(source).startsWith('z.object(')
    ) {
      const [shape] = ts.isCallExpression(node.initializer) ? node.initializer.arguments : []
      const members = shape && ts.isObjectLiteralExpression(shape) ? shape.properties : []
      found.set(
        node.name.getText(source).replaceAll("'", ''),
        members.map((member) => member.name?.getText(source) ?? '?'),
      )
    } else ts.forEachChild(node, visit)
  }
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  visit(source)
  return found
}
