/** Variables in capitals that decide nothing about which programs start. */
const HARMLESS: ReadonlySet<string> = new Set(
  `CI NODE_ENV NO_COLOR FORCE_COLOR COLUMNS LINES TZ LANG LC_ALL TERM DEBIAN_FRONTEND DEBUG VERBOSE LOG_LEVEL PORT HOST
  RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE DATABASE_URL`.split(/\s+/),
)

/** In small letters, and still not just a name: bash or many programs look at them. */
const TAKEN = /^(histchars|auto_resume|(https?|ftp|all|no)_proxy|npm_.*)$/

/**
 * Whether setting this variable leaves it known which programs start. What bash and the loader look at is in capitals,
 * so of those only the listed ones count.
 */
export function isOrdinaryVariable(name: string): boolean {
  return HARMLESS.has(name) || (/^[a-z_]*[a-z][A-Za-z0-9_]*$/.test(name) && !TAKEN.test(name))
}

/** Whether a loop may use this name without any program noticing: it is in small letters and not exported. */
export function isLoopVariable(name: string, isExported: (name: string) => boolean): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !TAKEN.test(name) && !isExported(name)
}
