const task = (subject, role, ...blockedBy) => ({
  tool: 'TaskCreate',
  input: { subject, description: subject, role, ...(blockedBy.length > 0 && { blockedBy }) },
})
const teammate = (name, task_id) => ({
  tool: 'Task',
  input: { name, role: name, prompt: 'Take your task.', ...(task_id && { task_id }) },
})
const usage = (input, output) => ({ input, output })

/** The model of the pictures: a team in the middle of its work, which stays there. */
export default {
  price: { input: 3, output: 15 },
  parts: [
    {
      agent: 'lead',
      when: { answer: 1 },
      text: 'I make five tasks and three teammates. **backend** begins with the schema.',
      calls: [
        task('List the REST endpoints', 'analyst'),
        task('Write the GraphQL schema', 'backend'),
        task('Answer queries at POST /graphql', 'backend', '1', '2'),
        task('Show the products in the page', 'frontend'),
        task('Let the page ask by GraphQL', 'frontend', '3', '4'),
      ],
      usage: usage(9100, 420),
    },
    {
      agent: 'lead',
      when: { answer: 2 },
      calls: [teammate('analyst', '1'), teammate('backend', '2'), teammate('frontend', '4')],
      usage: usage(9800, 210),
    },
    {
      agent: 'lead',
      times: 'always',
      text: 'The team is at work; I report when the tests pass.',
      usage: usage(10400, 60),
    },
    {
      agent: 'analyst',
      when: { answer: 1 },
      // After the lead has answered, so that the conversation is the same in every run.
      delay: 2,
      calls: [
        {
          tool: 'TaskUpdate',
          input: { taskId: '1', status: 'completed', result: 'docs/endpoints.md lists seven endpoints' },
        },
      ],
      usage: usage(4200, 380),
    },
    { agent: 'analyst', times: 'always', text: 'The list is written.', usage: usage(4400, 20) },
    {
      agent: 'backend',
      when: { answer: 1 },
      calls: [{ tool: 'write_file', input: { path: 'src/schema.js', content: schema() } }],
      usage: usage(6100, 640),
    },
    {
      agent: 'backend',
      when: { answer: 2 },
      delay: 5,
      calls: [{ tool: 'bash', input: { command: 'npm install graphql && npm test' } }],
      usage: usage(7000, 90),
    },
    {
      agent: 'frontend',
      when: { answer: 1 },
      calls: [{ tool: 'read_file', input: { path: 'src/page.js' } }],
      usage: usage(5100, 70),
    },
    { agent: 'frontend', times: 'always', delay: 3600, text: 'Done.', usage: usage(5400, 10) },
  ],
}

function schema() {
  return ['type Product {', '  name: String!', '  price: Float!', '}', 'type Query { products: [Product!]! }', ''].join(
    '\n',
  )
}
