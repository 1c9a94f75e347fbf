import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Variables by which the bridge is told where our MCP server is, and as which teammate it speaks. */
export const BRIDGE_URL = 'DESKMATES_TOOLS_URL'
export const BRIDGE_TOKEN = 'DESKMATES_TOOLS_TOKEN'

/** The program that connects an agent on stdin and stdout with our MCP server over HTTP. */
export interface BridgeProgram {
  readonly command: string
  readonly args: readonly string[]
  /** What a sandbox has to show so that it can run. */
  readonly readable: readonly string[]
}

/** Beside the built program; sources run from a checkout, which has it in `dist`. */
const PLACES = ['./stdio-bridge.js', '../../../dist/stdio-bridge.js']

export function bridgeProgram(): BridgeProgram {
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const file = files.find((path) => existsSync(path)) ?? files[0]!
  return { command: process.execPath, args: [file], readable: [process.execPath, dirname(file)] }
}
