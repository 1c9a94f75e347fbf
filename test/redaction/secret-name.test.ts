import { describe, expect, it } from 'vitest'
import { isSecretName, isSecretVariable, secretsOfAddress } from '../../src/redaction/secret-name.ts'

const SECRET =
  `DB_PASSWORD DB_PASS SSHPASS MYSQL_PWD GH_PAT PAT PGPASSWORD GITHUB_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID
  AWS_SESSION_TOKEN ANTHROPIC_API_KEY OPENAI_APIKEY openaiApiKey dbPassword db-password client_secret NPM_TOKEN npm_config__authToken
  npm_config__auth AZURE_CREDENTIALS GCP_CREDS DOCKER_AUTH STRIPE_KEY STRIPE_KEY_2 PRIVATE_KEY SIGNING_KEY_BASE64 SECRET_KEY_BASE
  SLACK_WEBHOOK_URL AZURE_STORAGE_CONNECTION_STRING SENTRY_DSN SESSION_COOKIE GPG_PASSPHRASE REDISCLI_AUTH CI_JOB_JWT
  VAULT_TOKEN KEY TOKEN PASSWORD PASS WALLET_MNEMONIC MONKEY_TOKEN REDIS_PW GH_TOKENS`.split(/\s+/)

const HARMLESS =
  `PWD OLDPWD INIT_CWD PATH HOME LANG TERM SHELL EDITOR MAX_TOKENS CLAUDE_CODE_MAX_OUTPUT_TOKENS MAX_THINKING_TOKENS
  TOKENIZERS_PARALLELISM KEYBOARD KEYMAP KEYTIMEOUT MONKEY DONKEYS KEYWORDS BYPASS COMPASS SSH_AUTH_SOCK XAUTHORITY PGPASSFILE
  TOKEN_FILE SSH_KEY_PATH TOKEN_URL SECRET_NAME KEY_SIZE TOKEN_TTL PASSWORD_STORE_DIR AUTHOR GIT_AUTHOR_NAME PATTERN PATCH
  DATABASE_URL DESKMATES_STORE HTTP_PROXY NODE_OPTIONS COLORTERM PASSENGERS`.split(/\s+/)

describe('the name of a variable', () => {
  it('shows that the value is a secret, in every usual spelling', () => {
    expect(SECRET.filter((name) => !isSecretName(name))).toEqual([])
  }) // T10, T18

  it('does not mark a folder, a number of tokens or a file with a secret as secret', () => {
    expect(HARMLESS.filter(isSecretName)).toEqual([])
  })

  it('does not matter when the value is a URL with a password or a token', () => {
    expect(isSecretVariable('DATABASE_URL', 'postgres://ada:tr0ub4dor@db/prod')).toBe(true)
    expect(isSecretVariable('DESKMATES_STORE', 'postgres:///teams?host=/run&password=hunter22')).toBe(true)
    expect(isSecretVariable('ORIGIN', 'https://0123456789abcdef0123@git.example/a.git')).toBe(true)
    expect(isSecretVariable('DATABASE_URL', 'postgres://ada@db/prod')).toBe(false)
    expect(isSecretVariable('HOMEPAGE', 'https://example.com/@ada')).toBe(false)
    expect(secretsOfAddress('a postgres://ada:p%40ss@h/x, b redis://:longer@h')).toEqual(['p%40ss', 'longer'])
  }) // T10, T18
})
