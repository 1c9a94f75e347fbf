import { ModelFailure } from '../models/model.ts'
import { refusalForModel } from '../prompts/refusals.ts'
import { refuse } from '../team/refusal.ts'

/** May an agent select this model? A script may be a program, which would run without permission. */
export function isSelectable(model: string): boolean {
  return !/^(scripted|replay):/.test(model)
}

export function selectableModel(model: string): string {
  if (isSelectable(model)) return model
  throw new ModelFailure({ model, fault: 'request' }, refusalForModel(refuse('invalid', { problem: 'model', model })))
}
