import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { project } from './page.ts'

/** Type → members of every event, read from the source: the schemas themselves are private. */
export function eventMembers(): Map<string, string[]> {
  const path = join(project, 'src', 'team', 'event.ts')
  const found = new Map<string, string[]>()
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && isType(node)) {
      const [shape] = ts.isCallExpression(node.initializer) ? node.initializer.arguments : []
      const members = shape && ts.isObjectLiteralExpression(shape) ? shape.properties : []
      found.set(
        (node.name as ts.StringLiteral | ts.Identifier).text,
        members.map((member) => member.name?.getText(source) ?? '?'),
      )
    } else ts.forEachChild(node, visit)
  }
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  visit(source)
  return found
}

/** A type that is one word needs no quotes, and looks like a member but for where it stands. */
function isType({ name, parent }: ts.PropertyAssignment): boolean {
  return ts.isStringLiteral(name) || (ts.isIdentifier(name) && ts.isVariableDeclaration(parent.parent))
}
