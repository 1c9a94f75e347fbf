const [WIDTH, HEIGHT, MARGIN, FONT] = [8.4, 18, 16, 14]
const [PAPER, INK] = ['#16181d', '#d6d9e0']
const COLOURS = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d6d9e0'],
  ...['#5c6370', '#ef7f88', '#a9d48a', '#f0d08b', '#73bbfb', '#d48ae8', '#67c5d1', '#ffffff'],
]

/** A screen as a picture: text that can be searched and copied, in the colours of the terminal. */
export function drawSvg(rows, title) {
  const columns = rows[0].length
  const [width, height] = [Math.ceil(columns * WIDTH + 2 * MARGIN), rows.length * HEIGHT + 2 * MARGIN]
  const lines = rows.map((cells, y) => {
    const runs = runsOf(cells).map((run) => drawRun(run, y))
    return `<g class="row">${runs.join('')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${FONT}" fill="${INK}" xml:space="preserve">
${lines.join('\n')}
</g>
</svg>
`
}

/** The text of a drawn screen, line by line. */
export function textOfSvg(svg) {
  return [...svg.matchAll(/<g class="row">(.*)<\/g>/g)].map(([, row]) => {
    let text = ''
    for (const [, x, words] of row.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)<\/text>/g))
      text = text.padEnd(Math.round((Number(x) - MARGIN) / WIDTH)) + unescaped(words)
    return text.trimEnd()
  })
}

/** What differs from run to run: times of day, how long something takes. */
export function withoutTimes(lines) {
  return lines.map((line) =>
    line
      .replace(/\b\d\d:\d\d\b/g, '00:00')
      .replace(/\b(?:\d+s|\d+m\d\d|\d+h\d\d)\b/g, '0s')
      .replace(/ {2,}/g, '  ')
      .replace(/─+/g, '─'),
  )
}

/** Neighbouring cells that look alike. */
function runsOf(cells) {
  const runs = []
  cells.forEach((cell, x) => {
    if (!cell || cell.getWidth() === 0) return
    const look = lookOf(cell)
    const last = runs.at(-1)
    const chars = cell.getChars() || ' '
    if (last && last.key === look.key && last.x + last.columns === x) {
      last.text += chars
      last.columns += cell.getWidth()
    } else runs.push({ ...look, x, text: chars, columns: cell.getWidth() })
  })
  return runs.filter(({ text, paper }) => text.trim() !== '' || paper)
}

function lookOf(cell) {
  const ink = cell.isFgPalette() ? COLOURS[cell.getFgColor() % 16] : undefined
  const isInverse = cell.isInverse() !== 0
  const look = {
    ink: isInverse ? PAPER : ink,
    paper: isInverse ? (ink ?? INK) : undefined,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
  }
  return { ...look, key: JSON.stringify(look) }
}

function drawRun({ x, text, columns, ink, paper, isBold, isDim }, y) {
  const left = (MARGIN + x * WIDTH).toFixed(1)
  const shown = text.trimEnd()
  const box = paper
    ? `<rect x="${left}" y="${MARGIN + y * HEIGHT}" width="${(columns * WIDTH).toFixed(1)}" height="${HEIGHT}" fill="${paper}"/>`
    : ''
  if (shown === '') return box
  const length = ((columns - (text.length - shown.length)) * WIDTH).toFixed(1)
  const style = `${ink ? ` fill="${ink}"` : ''}${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.6"' : ''}`
  return `${box}<text x="${left}" y="${MARGIN + y * HEIGHT + 13}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(shown.replace(/[⏺⎿]/g, (sign) => ALIKE[sign]))}</text>`
}

/** Signs that most fonts of browsers lack, as others that look like them. */
const ALIKE = { '⏺': '●', '⎿': '└' }

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function unescaped(text) {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
