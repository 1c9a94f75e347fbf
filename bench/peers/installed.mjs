import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Other agent libraries. They are not dependencies of this project: `npm run bench -- --install-peers` installs these
 * versions into a folder of their own. The provider packages of the AI SDK have the versions that this project uses, so
 * that both sides send and read the same bytes with the same code.
 */
export const peers = {
  'ai-sdk': {
    name: 'AI SDK',
    wires: ['openai', 'anthropic'],
    packages: { ai: '6.0.326', '@ai-sdk/openai-compatible': '2.0.87', '@ai-sdk/anthropic': '3.0.138', zod: '4' },
  },
  'openai-agents': {
    name: 'OpenAI Agents',
    wires: ['openai'],
    packages: { '@openai/agents': '0.20.0', openai: '7', zod: '4' },
  },
  langgraph: {
    name: 'LangGraph',
    wires: ['openai', 'anthropic'],
    packages: {
      '@langchain/core': '1.2.13',
      '@langchain/langgraph': '1.4.18',
      '@langchain/langgraph-sdk': '1.12.0',
      '@langchain/openai': '1.6.0',
      '@langchain/anthropic': '1.5.11',
      zod: '4',
    },
  },
  mastra: {
    name: 'Mastra',
    wires: ['openai', 'anthropic'],
    packages: { '@mastra/core': '1.71.0', '@ai-sdk/anthropic': '3.0.138', zod: '4' },
  },
}

const folder = peersFolder(process.env)

/** Loads a package of a peer. */
export const requirePeer = createRequire(join(folder, 'here.js'))

/** Why this peer cannot be measured; undefined when it can. */
export function whyMissing(id) {
  const { name, packages } = peers[id]
  const missing = Object.keys(packages).filter((wanted) => !existsSync(join(folder, 'node_modules', wanted)))
  if (missing.length === 0) return undefined
  return `${name} is not installed (${missing.join(', ')}): npm run bench -- --install-peers, or --without-peers`
}

/** Installs every peer into the folder and returns npm's exit code. */
export function installPeers() {
  mkdirSync(folder, { recursive: true })
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const wanted = Object.assign({}, ...Object.values(peers).map(({ packages }) => packages))
  const versions = Object.entries(wanted).map(([name, version]) => `${name}@${version}`)
  console.error(`installing ${versions.join(' ')} into ${folder}`)
  // The peer ranges of some of them exclude each other, although their code works together.
  const args = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--save-exact', ...versions]
  return spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status ?? 1
}

function peersFolder({ BENCH_PEERS, XDG_CACHE_HOME }) {
  if (BENCH_PEERS) return resolve(BENCH_PEERS)
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'deskmates', 'bench-peers')
}
