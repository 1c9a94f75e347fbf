// The only file behind `npm start` and `npm test`: no packages, old syntax and nothing but the check is imported
// up front, so that a Node which is too old gets as far as saying so.
import supported from './supported.cjs'

const refusal = supported.refusal(process.versions.node, process.platform)

if (refusal) {
  console.error(refusal)
  process.exitCode = 2
} else {
  import('./commands.mjs').then((commands) => commands.run(process.argv.slice(2)))
}
