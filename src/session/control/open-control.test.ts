import { controlContract } from '../../testing/harnesses/control-contract.ts'

controlContract('in the same process', async (own) => own)
