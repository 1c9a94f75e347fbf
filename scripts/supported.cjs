'use strict'

// Read by every Node there is, so that an old one can say that it is too old: CommonJS and old syntax only.

const oldest = [20, 19]

/** Why deskmates cannot run here, in one line; empty when it can. */
function refusal(nodeVersion, platform) {
  if (platform === 'win32') return 'deskmates: Windows works through WSL2; run the same command inside it.'
  const parts = nodeVersion.split('.').map(Number)
  if (parts[0] > oldest[0] || (parts[0] === oldest[0] && parts[1] >= oldest[1])) return ''
  return `deskmates needs Node >= ${oldest.join('.')}, this is ${nodeVersion}.`
}

module.exports = { refusal: refusal }
