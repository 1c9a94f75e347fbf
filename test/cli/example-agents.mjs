export { work } from '../../examples/engineering/agents.mjs'
