/** What no two runs of the demo have in common: how long it took, and who of two at work came first. */
const CHANCE = new Set(['seconds', 'direct', 'stopped'])

type Tree = { [member: string]: unknown }

/**
 * A line that the demo printed, with what is chance in it as the page shows it already, if that is of the same kind.
 * Everything else is as it was printed: a member that came or went, or a count that is wrong, changes the page.
 */
export function keepChance(fresh: string, shown = '{}'): string {
  return JSON.stringify(merged(parse(fresh), parse(shown), ''))
}

function merged(fresh: Tree, shown: Tree, path: string): Tree {
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => {
      const before = shown[name]
      if (CHANCE.has(path + name)) return [name, kindOf(before) === kindOf(value) ? before : value]
      return [name, isTree(value) ? merged(value, isTree(before) ? before : {}, `${path}${name}.`) : value]
    }),
  )
}

/** Lists are of one kind if they are as long and hold the same kinds. */
function kindOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(kindOf).join()}]` : typeof value
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(line: string): Tree {
  return line.startsWith('{') ? JSON.parse(line) : {}
}
