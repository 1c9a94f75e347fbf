import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawSvg, textOfSvg, withoutTimes } from './draw-svg.mjs'
import { openPseudoTerminal } from './pseudo-terminal.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const images = join(root, 'docs', 'images')
const model = join(root, 'scripts', 'screenshots', 'team-at-work.mjs')
const [COLUMNS, ROWS] = [100, 30]

/** Plays the session of the pictures on a pseudo-terminal, and returns each picture by its name. */
export async function takeScreenshots() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'dm-pictures-')))
  const cwd = join(top, 'shop')
  mkdirSync(join(cwd, 'src'), { recursive: true })
  copyFileSync(model, join(cwd, 'team.mjs'))
  writeFileSync(join(cwd, 'src', 'page.js'), 'export const page = []\n')
  const env = {
    ...{ PATH: process.env.PATH, HOME: top, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    ...{ DESKMATES_STATE: join(top, 'state'), OLLAMA_HOST: 'http://127.0.0.1:9' },
  }
  const prompt = 'Move the app from REST to GraphQL.'
  const command = `'${process.execPath}' '${join(root, 'dist', 'cli.js')}' '${prompt}' -m scripted:team.mjs --sandbox off --permission-mode acceptEdits --max-budget-usd 5`
  const terminal = openPseudoTerminal(command, { cwd, env, columns: COLUMNS, rows: ROWS })
  const shots = {}
  try {
    await terminal.sees(
      '›! backend wants bash',
      'I report when the tests pass',
      /analyst +idle.* 9k/,
      /frontend .*read_file.* 5k/,
      /backend .* 14k/,
    )
    shots['team.svg'] = drawSvg(terminal.cells(), 'A team at work: what needs you first, then every teammate')
    // Ctrl+T
    terminal.type('\x14')
    await terminal.sees('Let the page ask by GraphQL  waits for #3, #4')
    shots['board.svg'] = drawSvg(
      withoutGap(terminal.cells()),
      'The board of the team, each task below what it waits for',
    )
  } finally {
    await terminal.close()
    rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  }
  return shots
}

/** Empty rows in the middle of a screen say nothing. */
function withoutGap(rows) {
  const isEmpty = (cells) => cells.every((cell) => (cell?.getChars() ?? '').trim() === '')
  return rows.filter((cells, y) => !isEmpty(cells) || !isEmpty(rows[y - 1] ?? []))
}

/** Whether two pictures show the same but for times. */
export function isSame(one, other) {
  return JSON.stringify(withoutTimes(textOfSvg(one))) === JSON.stringify(withoutTimes(textOfSvg(other)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(images, { recursive: true })
  for (const [name, svg] of Object.entries(await takeScreenshots())) {
    const path = join(images, name)
    const isCurrent = existsSync(path) && isSame(readFileSync(path, 'utf8'), svg)
    if (!isCurrent) writeFileSync(path, svg)
    console.log(`docs/images/${name} ${isCurrent ? 'is up to date' : 'was written'}`)
  }
}
