import { peerRow } from '../peers.mjs'

export default peerRow('OpenAI Agents', 'agent-openai-agents', ['@openai/agents', 'openai', 'zod'])
