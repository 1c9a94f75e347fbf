import { peerRow } from '../peers.mjs'

export default peerRow('Mastra', 'agent-mastra', ['@mastra/core/agent', '@mastra/core/tools', 'zod'])
