import { TeamError } from '../team/errors.ts'

export class TeamDeleted extends TeamError {
  readonly code = 'team_deleted'
  constructor() {
    super('The team was deleted while it worked; everything about it is in .teams/.deleted.')
  }
}

export class PromptRefused extends TeamError {
  readonly code = 'prompt_refused'
  constructor(why: string) {
    super(`A hook refused the prompt: ${why}. Ask in another way, or change the hook in your settings.`)
  }
}

/** An image that the prompt names cannot be sent. */
export class ImageRefused extends TeamError {
  readonly code = 'image_refused'
  constructor(why: string) {
    super(`${why} Nothing was sent.`)
  }
}

export class PromptTooLarge extends TeamError {
  readonly code = 'prompt_too_large'
  constructor(bytes: number, tokens: number, most: number, model: string) {
    super(
      `The prompt has ${bytes} bytes, about ${tokens} tokens; with ${model} a prompt may have about ${most}. ` +
        'Nothing was sent. Put the text into a file and name its path in the prompt, or use a model with a larger window (-m).',
    )
  }
}

export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}
