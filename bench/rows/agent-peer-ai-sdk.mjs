import { peerRow } from '../peers.mjs'

export default peerRow('AI SDK', 'agent-ai-sdk', ['ai', '@ai-sdk/openai-compatible', 'zod'])
