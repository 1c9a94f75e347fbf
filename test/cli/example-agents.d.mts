import type { Turn } from '../../src/models/model.ts'
import type { Answer } from '../../src/models/scripted/script.ts'

export function work(turns: readonly Turn[]): Pick<Answer, 'text' | 'calls'>
