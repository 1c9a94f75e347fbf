import type { TaskDraft } from '../../team/task.ts'

/** What the tour is about. Only data: another team with other tasks settles just the same. */
export interface Story {
  readonly team: string
  readonly description: string
  readonly members: readonly { readonly name: string; readonly role: string }[]
  /** In the order of their numbers; `+1` in `blockedBy` is the first of them. */
  readonly tasks: readonly TaskDraft[]
  /** Everybody is told to take it at the same time. */
  readonly contested: string
  /** Its owner waits for the lead's word before it is finished, and is killed while it waits. */
  readonly reviewed: string
  /** Added while `reviewed` is held, whose files it overlaps; `to` is told to take it. */
  readonly late: { readonly draft: TaskDraft; readonly to: string; readonly before: string }
  /** A dependency that would close a circle. */
  readonly cycle: { readonly task: string; readonly waitsFor: string }
  /** How long a claim lives without a renewal, in seconds. */
  readonly lease: number
}

export const theStory: Story = {
  team: 'tour',
  description: 'three scripts build a small notes app',
  members: [
    { name: 'ada', role: 'backend' },
    { name: 'bob', role: 'frontend' },
    { name: 'cleo', role: 'docs' },
  ],
  tasks: [
    { subject: 'Choose a name', files: ['NAME'], priority: 9 },
    { subject: 'Keep notes', role: 'backend', blockedBy: ['+1'], files: ['src/notes.mjs'], priority: 8 },
    { subject: 'Answer requests', role: 'backend', blockedBy: ['+2'], files: ['src/api.mjs'] },
    { subject: 'Show the notes', role: 'frontend', blockedBy: ['+1'], files: ['web/page.mjs'] },
    { subject: 'Test it all', blockedBy: ['+3', '+4'], files: ['test/notes.test.mjs'] },
    { subject: 'Write the guide', role: 'docs', blockedBy: ['+1'], files: ['docs/guide.md'] },
    { subject: 'Release', blockedBy: ['+5', '+6'], files: ['RELEASE.md'] },
  ],
  contested: '1',
  reviewed: '6',
  late: {
    draft: { subject: 'Check the links', role: 'frontend', blockedBy: ['1'], files: ['docs/'] },
    to: 'bob',
    before: '7',
  },
  cycle: { task: '2', waitsFor: '7' },
  lease: 2,
}
