import { shellWord } from '../../team/wording.ts'

/** Names the model as the command line does; nothing where none was named. */
export function modelOption(model: string | undefined): string {
  return model === undefined ? '' : ` -m ${shellWord(model)}`
}
