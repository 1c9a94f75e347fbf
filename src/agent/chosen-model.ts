import { ModelFailure } from '../models/model.ts'

/**
 * Whoever calls a tool names the model, and a script may be a program, which would run without anybody's leave. Why
 * this one cannot be chosen; undefined if it can.
 */
export function whyNotChosen(model: string): string | undefined {
  if (!/^(scripted|replay):/.test(model)) return undefined
  return `${model} is a script or a recording, which agents cannot choose. Name provider/model, or leave it out.`
}

export function chosen(model: string): string {
  const why = whyNotChosen(model)
  if (why !== undefined) throw new ModelFailure({ model, fault: 'request' }, why)
  return model
}
