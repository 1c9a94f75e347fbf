import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'terminal-draws-after-the-end',
    mistake: 'a delta that comes after the end of an answer is drawn, and the answer again with it',
    file: 'src/terminal/conversation/printed-conversation.ts',
    old: '    this.#printed.add(entry)\n    const streamed =',
    new: '    const streamed =',
    test: 'src/terminal/conversation/printed-conversation.test.ts',
    fails: 'prints each entry once, and nothing of an answer after its end',
  },
  {
    name: 'terminal-hides-failed-tasks',
    mistake: 'what needs the person is listed without failed tasks',
    file: 'src/terminal/team-panel/team-panel.ts',
    old: 'return needsPerson(view).filter((need) => !this.#hidden.has(needId(need)))',
    new: "return needsPerson(view).filter((need) => need.kind !== 'failed_task' && !this.#hidden.has(needId(need)))",
    test: 'src/terminal/team-panel/team-panel-rows.test.ts',
    fails: 'begin with what needs the person, a failed task too',
  },
  {
    name: 'terminal-inbox-consumes',
    mistake: 'a person who looks at the inbox takes the mail out of it',
    file: 'src/terminal/slash/mail-commands.ts',
    old: '[...view.teams.values()].flatMap((state) => unreadOf(state, name))',
    new: '[...view.teams.values()].flatMap((state) => [unreadOf(state, name), state.mailboxes.clear()][0] ?? [])',
    test: 'src/terminal/slash/inbox.test.ts',
    fails: '/inbox shows the same unread mail however often a person looks',
  },
  {
    name: 'terminal-escapes-pass',
    mistake: 'escape sequences of others reach the screen',
    file: 'src/terminal/drawing/drawn.ts',
    old: 'return plainText(text).replaceAll',
    new: 'return text.replaceAll',
    test: 'src/terminal/hostile-texts.test.ts',
    fails: 'fit into 80 columns and hold no control character, as a line and as a text',
  },
]
