import { expect, it } from 'vitest'
import { ollamaUrl, withVersion } from './base-url.ts'

it.each([
  ['https://host', 'https://host/v1'],
  ['https://host/', 'https://host/v1'],
  ['https://host/v1', 'https://host/v1'],
  ['https://host/v1/', 'https://host/v1'],
  ['https://host/proxy', 'https://host/proxy/v1'],
  ['https://host/v1beta/openai', 'https://host/v1beta/openai'],
  ['https://v1.host', 'https://v1.host/v1'],
])('the base URL %s becomes %s', (given, expected) => {
  expect(withVersion(given, '/v1')).toBe(expected)
})

it.each([
  ['localhost', 'http://localhost:11434/'],
  ['0.0.0.0', 'http://127.0.0.1:11434/'],
  ['10.0.0.7:9000', 'http://10.0.0.7:9000/'],
  ['https://ollama.example', 'https://ollama.example/'],
])('OLLAMA_HOST %s becomes %s', (given, expected) => {
  expect(ollamaUrl(given)).toBe(expected)
})
