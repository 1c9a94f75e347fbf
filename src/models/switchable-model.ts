import type { Model } from './model.ts'

/** A model that can be replaced between two calls. */
export interface SwitchableModel extends Model {
  use(model: Model): void
}

export function switchableModel(first: Model): SwitchableModel {
  let model = first
  return {
    get name() {
      return model.name
    },
    get provider() {
      return model.provider
    },
    get account() {
      return model.account
    },
    get context() {
      return model.context
    },
    get price() {
      return model.price
    },
    get acceptsImages() {
      return model.acceptsImages
    },
    // The order is that of the run, whichever model answers.
    order: first.order,
    reply: (request, signal) => model.reply(request, signal),
    use(next) {
      model = next
    },
  }
}
