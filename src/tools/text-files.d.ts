/** Prose beside the code: `import description from './bash.md'`. */
declare module '*.md' {
  const text: string
  export default text
}

/** Files of a template, as text. */
declare module '*.yaml' {
  const text: string
  export default text
}
