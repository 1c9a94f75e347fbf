import { type Model, ModelFailure } from '../../models/model.ts'
import { askedIn } from '../../models/scripted/conversation.ts'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'
import { type Answer, leadAnswer } from './lead-script.ts'
import { teammateAnswer } from './teammate-script.ts'

/** Seconds an agent thinks before each answer, so that a person can follow. */
const THINKING = 0.4

/** The model of the demo's agents, without a provider: it computes each reply from the request. */
export function demoModel(speed: number): Model {
  const paced = (answer: Answer) => ({ ...answer, delay: THINKING / speed })
  return scriptedModel(
    {
      parts: [
        { agent: 'lead', times: 'always', compose: (request) => paced(leadAnswer(request)) },
        { times: 'always', compose: (request) => paced(teammateAnswer(request)) },
      ],
    },
    { name: 'scripted:demo' },
  )
}

/** The same model, but the first time `victim` has changed a file, its next model call fails once: it is lost there. */
export function killing(model: Model, victim: string): Model {
  let isDue = true
  return {
    ...model,
    reply(request, signal) {
      const hasChanged = askedIn(request).results.some(({ tool }) => ['write_file', 'edit_file'].includes(tool))
      if (isDue && request.agent === victim && hasChanged) {
        isDue = false
        throw new ModelFailure({ model: model.name, fault: 'network' }, 'killed by the demo, in the middle of its task')
      }
      return model.reply(request, signal)
    },
  }
}
