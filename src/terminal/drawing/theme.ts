import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui'
import { createColors } from 'picocolors'

const { bold, cyan, dim, green, italic, strikethrough, underline, yellow } = createColors(true)

const selectListTheme: SelectListTheme = {
  selectedPrefix: cyan,
  selectedText: cyan,
  description: dim,
  scrollInfo: dim,
  noMatch: dim,
}

export const editorTheme: EditorTheme = { borderColor: dim, selectList: selectListTheme }

export const markdownTheme: MarkdownTheme = {
  heading: bold,
  link: cyan,
  linkUrl: dim,
  code: yellow,
  codeBlock: green,
  codeBlockBorder: dim,
  quote: italic,
  quoteBorder: dim,
  hr: dim,
  listBullet: cyan,
  bold,
  italic,
  strikethrough,
  underline,
}
