// Secrets of every kind are taken out, ordinary texts are left alone, and no text takes long.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs, scaled } from '../../test/scale.ts'
import { secretsOf } from './known.ts'
import { redact } from './redact.ts'
import { redactFailure } from './redact-for.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const token = (prefix: string, chars: number, alphabet = 'a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ') =>
  prefix + alphabet.repeat(Math.ceil(chars / alphabet.length)).slice(0, chars)

const LETTERS = 'abCDefGHijKLmnOPqrSTuvWXyz'
const HEX = '0123456789abcdef'
const JWT = [token('eyJ', 20), token('eyJ', 40), token('', 43)].join('.')
const AWS_ID = token('AKIA', 16, 'QWERTYUIOP234567')
const AWS_SECRET = token('', 40, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYz')
const PEM = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${token('MII', 61)}\n${token('', 40)}==\n-----END ${kind}PRIVATE KEY-----`

/** kind, text, what is left of it. */
const SECRETS: readonly (readonly [string, string, string])[] = [
  ['jwt', `cookie: s=${JWT}; path=/`, 'cookie: s=[redacted:jwt]; path=/'],
  ['bearer', `Authorization: Bearer ${token('', 30)}`, 'Authorization: Bearer [redacted:bearer]'],
  [
    'bearer',
    `{"authorization":"bearer ${token('', 30)}"}`,
    '{"authorization":"bearer [redacted:bearer]"}',
  ],
  ['private-key', `a\n${PEM('RSA ')}\nb`, 'a\n[redacted:private-key]\nb'],
  ['private-key', JSON.stringify({ k: PEM('') }), '{"k":"[redacted:private-key]"}'],
  ['private-key', PEM('OPENSSH ').slice(0, 90), '[redacted:private-key]'],
  ['stripe-key', `key ${token('sk_' + 'live_', 24)}.`, 'key [redacted:stripe-key].'],
  ['google-key', `?key=${token('AIza', 35)}&x=1`, '?key=[redacted:google-key]&x=1'],
  ['aws-key', `id ${AWS_ID},`, 'id [redacted:aws-key],'],
  [
    'aws-secret',
    `aws_secret_access_key = ${AWS_SECRET}`,
    'aws_secret_access_key = [redacted:aws-secret]',
  ],
  [
    'aws-secret',
    `"secretAccessKey": "${AWS_SECRET}"`,
    '"secretAccessKey": "[redacted:aws-secret]"',
  ],
  [
    'github-token',
    `https://${token('ghp_', 36)}@github.com/a`,
    'https://[redacted:github-token]@github.com/a',
  ],
  ['github-token', token('github_pat_', 60), '[redacted:github-token]'],
  ['gitlab-token', token('glpat-', 20), '[redacted:gitlab-token]'],
  ['slack-token', token('xoxb-', 50), '[redacted:slack-token]'],
  [
    'npm-token',
    `npm token ${token('npm_', 36)}, revoked`,
    'npm token [redacted:npm-token], revoked',
  ],
  ['anthropic-key', token('sk-ant-api03-', 90), '[redacted:anthropic-key]'],
  ['openai-key', token('sk-proj-', 60), '[redacted:openai-key]'],
  ['openai-key', token('sk-', 48), '[redacted:openai-key]'],
  ['huggingface-token', token('hf_', 34), '[redacted:huggingface-token]'],
  ['huggingface-token', token('hf_', 34, LETTERS), '[redacted:huggingface-token]'],
  ['groq-key', `GROQ is ${token('gsk_', 52)}`, 'GROQ is [redacted:groq-key]'],
  ['xai-key', token('xai-', 80), '[redacted:xai-key]'],
  ['perplexity-key', token('pplx-', 48), '[redacted:perplexity-key]'],
  ['replicate-token', token('r8_', 37), '[redacted:replicate-token]'],
  ['together-key', token('tgp_v1_', 43), '[redacted:together-key]'],
  ['fireworks-key', token('fw_', 24), '[redacted:fireworks-key]'],
  ['cerebras-key', token('csk-', 48), '[redacted:cerebras-key]'],
  ['nvidia-key', token('nvapi-', 64), '[redacted:nvidia-key]'],
  ['tavily-key', token('tvly-dev-', 32), '[redacted:tavily-key]'],
  ['langsmith-key', token('lsv2_pt_', 32, HEX) + token('_', 10, HEX), '[redacted:langsmith-key]'],
  ['openai-key', token('sk-', 32, HEX), '[redacted:openai-key]'], // as DeepSeek gives them
  ['databricks-token', token('dapi', 32, HEX), '[redacted:databricks-token]'],
  ['vault-token', token('hvs.', 92), '[redacted:vault-token]'],
  ['pulumi-token', token('pul-', 40, HEX), '[redacted:pulumi-token]'],
  ['doppler-token', token('dp.pt.', 43), '[redacted:doppler-token]'],
  ['grafana-token', token('glsa_', 32) + token('_', 8, HEX), '[redacted:grafana-token]'],
  ['supabase-key', token('sbp_', 40, HEX), '[redacted:supabase-key]'],
  ['sentry-token', token('sntryu_', 64, HEX), '[redacted:sentry-token]'],
  ['newrelic-key', token('NRAK-', 27, 'A1B2C3D4E5F6'), '[redacted:newrelic-key]'],
  ['age-key', token('AGE-SECRET-KEY-1', 58, 'QPZRY9X8GF2TVDW0'), '[redacted:age-key]'],
  ['digitalocean-token', token('dop_v1_', 64, HEX), '[redacted:digitalocean-token]'],
  ['pypi-token', token('pypi-AgE', 60), '[redacted:pypi-token]'],
  ['rubygems-key', token('rubygems_', 48, HEX), '[redacted:rubygems-key]'],
  ['docker-token', token('dckr_pat_', 27), '[redacted:docker-token]'],
  ['sendgrid-key', `${token('SG.', 22)}.${token('', 43)}`, '[redacted:sendgrid-key]'],
  ['shopify-token', token('shpat_', 32, HEX), '[redacted:shopify-token]'],
  ['atlassian-token', token('ATATT3', 186), '[redacted:atlassian-token]'],
  ['linear-key', token('lin_api_', 40), '[redacted:linear-key]'],
  ['notion-token', token('ntn_', 46), '[redacted:notion-token]'],
  ['figma-token', token('figd_', 40), '[redacted:figma-token]'],
  ['postman-key', token('PMAK-', 24, HEX) + token('-', 34, HEX), '[redacted:postman-key]'],
  ['telegram-token', `bot 123456789:${token('AA', 33)} runs`, 'bot [redacted:telegram-token] runs'],
  [
    'slack-webhook',
    `https://hooks.slack.com/services/${token('T', 9)}/${token('B', 9)}/${token('', 24)}`,
    'https://hooks.slack.com/services/[redacted:slack-webhook]',
  ],
  [
    'telegram-token',
    `https://api.telegram.org/file/bot1234567:${token('', 30)}/a`,
    'https://api.telegram.org/file/bot[redacted:telegram-token]/a',
  ],
  [
    'password',
    "ALTER USER ann IDENTIFIED BY 'hunter22'",
    "ALTER USER ann IDENTIFIED BY '[redacted:password]'",
  ],
  [
    'password',
    "create role app encrypted password 'plainword';",
    "create role app encrypted password '[redacted:password]';",
  ],
  [
    'password',
    'Log in with the password Hunter#22, please',
    'Log in with the password [redacted:password], please',
  ],
  ['vault-key', `Unseal Key 2: ${token('', 44)}`, 'Unseal Key 2: [redacted:vault-key]'],
  ['token', `Initial Root Token: s.${token('', 24)}`, 'Initial Root Token: [redacted:token]'],
  ['api-key', `AccountKey=/${token('', 62)}==`, 'AccountKey=[redacted:api-key]'],
  ['google-token', token('ya29.', 60), '[redacted:google-token]'],
  [
    'bearer',
    `authorization: Bearer ${token('', 12, LETTERS)}`,
    'authorization: Bearer [redacted:bearer]',
  ],
  [
    'bearer',
    `curl -H "Authorization: token ${token('', 20)}"`,
    'curl -H "Authorization: token [redacted:bearer]"',
  ],
  ['bearer', `Bearer ${token('', 40, LETTERS)} said`, 'Bearer [redacted:bearer] said'],
  [
    'basic-auth',
    'https://ann:hunter22@example.org/x',
    'https://ann:[redacted:basic-auth]@example.org/x',
  ],
  [
    'basic-auth',
    'postgres://app:s3cr3t!@db:5432/app',
    'postgres://app:[redacted:basic-auth]@db:5432/app',
  ],
  [
    'basic-auth',
    'Authorization: Basic YW5uOmh1bnRlcjIy',
    'Authorization: Basic [redacted:basic-auth]',
  ],
  ['password', 'password=hunter22', 'password=[redacted:password]'],
  ['password', 'db:\n  password: hunter2\n', 'db:\n  password: [redacted:password]\n'],
  ['password', 'const dbPassword = "corr3ct-horse"', 'const dbPassword = "[redacted:password]"'],
  [
    'password',
    '{"user":"ann","password":"hunter2!"}',
    '{"user":"ann","password":"[redacted:password]"}',
  ],
  [
    'password',
    String.raw`{\"password\":\"hunter2!\"}`,
    String.raw`{\"password\":\"[redacted:password]\"}`,
  ],
  ['password', 'DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted:password]'],
  ['password', 'mysql --password hunter22 -u root', 'mysql --password [redacted:password] -u root'],
  [
    'password',
    'login?user=ann&password=hunter2&x=1',
    'login?user=ann&password=[redacted:password]&x=1',
  ],
  ['api-key', `api_key: ${token('', 24)}`, 'api_key: [redacted:api-key]'],
  ['api-key', `X-Api-Key: ${token('', 24)}`, 'X-Api-Key: [redacted:api-key]'],
  ['token', `SESSION_TOKEN='${token('', 24)}'`, "SESSION_TOKEN='[redacted:token]'"],
  ['secret', `client_secret=${token('', 24)}`, 'client_secret=[redacted:secret]'],
]

describe('a secret', () => {
  it.each(SECRETS)('of the kind %s is taken out of %s', (kind, text, expected) => {
    expect(redact(text)).toEqual({ text: expected, found: [{ kind, count: 1 }] })
    expect(redact(expected)).toEqual({ text: expected, found: [] })
  })

  it('is counted by kind, however many there are', () => {
    const text = `${AWS_ID} ${AWS_ID} password=hunter22 ${AWS_ID},${AWS_SECRET}`
    const { found } = redact(text)
    expect(found).toEqual([
      { kind: 'aws-key', count: 3 },
      { kind: 'aws-secret', count: 1 },
      { kind: 'password', count: 1 },
    ])
  })

  it('that is cut off or unfinished takes nothing else with it', () => {
    const text = `${PEM('').slice(0, 80)}\n\nSo the key begins. ${'More words. '.repeat(2_000)}`
    const { text: clean } = redact(text)
    expect(clean.startsWith('[redacted:private-key]\n\nSo the key begins.')).toBe(true)
    expect(clean.length).toBeGreaterThan(24_000)
  })
})

describe('the secrets of an environment', () => {
  const secrets = secretsOf({
    ANTHROPIC_API_KEY: 'plain-words-only',
    DATABASE_PASSWORD: 'a"b c/d\\efg',
    SHORT_TOKEN: 'ollama',
    HOME: '/srv/ann',
    GITHUB_TOKEN: undefined,
    GOOGLE_APPLICATION_CREDENTIALS: '/srv/ann/google.json',
    FEATURE_TOKEN: 'disabled',
    DEPLOY_KEY: '$VAULT_DEPLOY_KEY',
    AWS_SECRET_ACCESS_KEY: `/${token('', 39)}`,
    FUNNY_PASSWORD: '$ecret.Pa55',
  })

  it('are found by their names', () => {
    expect(secrets.map(({ name }) => name)).toEqual([
      'ANTHROPIC_API_KEY',
      'DATABASE_PASSWORD',
      'SHORT_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'FUNNY_PASSWORD',
    ])
  })

  it('are taken out as they are, as JSON writes them, as an address does, and in base 64', () => {
    const value = 'a"b c/d\\efg'
    const text = [
      value,
      JSON.stringify({ value }),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
      'plain-words-only',
    ].join(' | ')
    expect(redact(text, secrets)).toEqual({
      text: '[redacted:DATABASE_PASSWORD] | {"value":"[redacted:DATABASE_PASSWORD]"} | [redacted:DATABASE_PASSWORD] | [redacted:DATABASE_PASSWORD] | [redacted:ANTHROPIC_API_KEY]',
      found: [
        { kind: 'ANTHROPIC_API_KEY', count: 1 },
        { kind: 'DATABASE_PASSWORD', count: 4 },
      ],
    })
  })

  describe('in disguise', () => {
    const key = ['Zq7wKx2m', 'Lp9TbR4vN8cY', '1aHs'].join('')
    const known = secretsOf({ OTHER_API_KEY: key })
    const hidden = '[redacted:OTHER_API_KEY]'
    const escaped = (text: string) =>
      Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    const inBase64 = (text: string) => Buffer.from(text).toString('base64')

    it.each([
      ['masked with stars', 'key Zq7wKx2m*****1aHs. See', `key ${hidden}. See`],
      ['masked with dots', '"Zq7w...1aHs"', `"${hidden}"`],
      ['masked with an ellipsis', 'api_key=Zq7wKx…aHs,', `api_key=${hidden},`],
      ['but for its end', 'ending in ****1aHs', `ending in ${hidden}`],
      ['but for a long beginning', `${key.slice(0, 18)}***`, hidden],
      ['masked behind an ellipsis', 'wait...Zq7w...1aHs!', `wait...${hidden}!`],
      ['masked twice', 'Zq7w...1aHs...Zq7w…1aHs', `${hidden}...${hidden}`],
      ['but for two and three characters', 'Zq***aHs', hidden],
      ['but for the shortest beginning', `${key.slice(0, 16)}***`, hidden],
      ['in small letters', `x ${key.toLowerCase()} y`, `x ${hidden} y`],
      ['in capitals', `x ${key.toUpperCase()} y`, `x ${hidden} y`],
      ['in base 64', inBase64(key), hidden],
      ['escaped', `"${escaped(key)}"`, `"${hidden}"`],
      ['escaped in part', `"${escaped(key.slice(0, 5))}${key.slice(5)}"`, `"${hidden}"`],
      ['split over lines', `x ${key.slice(0, 9)}\n  ${key.slice(9)} y`, `x ${hidden} y`],
      ['split in JSON', `"${key.slice(0, 9)}\\n${key.slice(9)}"`, `"${hidden}"`],
      ['split by blanks', key.split('').join(' '), hidden],
    ])('%s are taken out', (_, text, clean) => {
      expect(redact(text, known).text).toBe(clean)
      expect(redactFailure(text, known)).not.toMatch(/Zq7w|1aHs/i)
    })

    it.each(['Bearer ', 'user:', 'ab'])('in base 64 behind %j are taken out', (before) => {
      for (const form of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${key}; and more`).toString(form)
        const { text: clean, found } = redact(text, known)
        expect(found).toEqual([{ kind: 'OTHER_API_KEY', count: 1 }])
        expect(Buffer.from(clean.split('[')[0] ?? '', form).toString()).not.toContain('Zq7')
      }
    })

    it('are not seen in what only looks like it', () => {
      const known = secretsOf({
        OTHER_API_KEY: key,
        WORD_PASSWORD: 'letmeinplease',
        PUBLIC_KEY: 'sk-proj-a1b2c3d4e5',
      })
      for (const text of [
        'call(...args) and *** bold *** … and so on....',
        'Zq7w 1aHs, Zq***, ...1aHs, **1aH',
        'Zq***Hs, Z***aHs, **aHs, Zq7w*** and ...Zq7w',
        'other***1aHs', // the end of another one
        `${key.slice(0, 15)}***`,
        'let me in please, or LetMeInPlease',
        'use sk-proj-... or sk-proj-****',
      ])
        expect(redact(text, known)).toEqual({ text, found: [] })
    })
  })

  it('are looked for in disguise from twelve characters on', () => {
    const shown = (value: string) =>
      redact(value.toUpperCase(), secretsOf({ OTHER_API_KEY: value })).text
    expect(shown('a1b2c3d4e5f6')).toBe('[redacted:OTHER_API_KEY]')
    expect(shown('a1b2c3d4e5f')).toBe('A1B2C3D4E5F')
    expect(shown('abcdefghijklmn')).toBe('ABCDEFGHIJKLMN') // words in another shape
    expect(redact('x a1b2c3d4 y', secretsOf({ OTHER_API_KEY: 'a1b2c3d4' })).text).toBe(
      'x [redacted:OTHER_API_KEY] y', // as they are, from eight on
    )
    expect(redact('x a1b2c3d y', secretsOf({ OTHER_API_KEY: 'a1b2c3d' })).text).toBe('x a1b2c3d y')
  })

  it.each([
    ...['true', 'False', 'none', 'null', 'disabled', 'enabled', 'required', 'optional'],
    ...['placeholder', 'changeme', 'your-key-here', '<a key>', '%TOKEN%', '$TOKEN', `\${TOKEN}`],
    ...['~/keys/one.pem', './keys', '../keys/one', '/etc/keys/', 'C:\\keys\\one.pem'],
  ])('are none where the value only stands for one: %s', (value) => {
    expect(secretsOf({ MY_TOKEN: value, MY_KEY: ` ${value} ` })).toEqual([])
    expect(secretsOf({ MY_TOKEN: `x${value}1` })).toHaveLength(1)
  })

  it('are taken out once, even where one is a word of the placeholder', () => {
    const odd = [{ name: 'ODD_KEY', value: 'redacted' }]
    const once = redact('it was redacted twice: redacted', odd)
    expect(once.text).toBe('it was [redacted:ODD_KEY] twice: [redacted:ODD_KEY]')
    expect(redact(once.text, odd)).toEqual({ text: once.text, found: [] })
  })

  it('that are too short to be secrets are left', () => {
    expect(redact('use ollama here', secrets)).toEqual({ text: 'use ollama here', found: [] })
  })

  it('are whole where one begins another', () => {
    const both = [
      { name: 'A', value: 'shared-start' },
      { name: 'B', value: 'shared-start-and-more' },
    ]
    expect(redact('shared-start-and-more', both).text).toBe('[redacted:B]')
  })
})

const ORDINARY: readonly string[] = [
  'tests pass: python3 -m pytest -q',
  'function login(user: string, password: string): Promise<Token> {}',
  'const password = await prompt("Password: ")\nif (password.length < 8) throw new Error("too short")',
  'const token = request.headers.get("authorization")?.replace("Bearer ", "")',
  'password: process.env.DB_PASSWORD, apiKey: process.env["OPENAI_API_KEY"] ?? ""',
  'api_key = os.environ["ANTHROPIC_API_KEY"]\nclient = Client(api_key=api_key, password=password)',
  `export ANTHROPIC_API_KEY=<your key>\nexport DB_PASSWORD=$SECRET_FROM_VAULT TOKEN=\${TOKEN}`,
  'DATABASE_URL=postgres://user:password@localhost:5432/app',
  'postgres://postgres:postgres@localhost/test and https://$USER:$PASS@host/x',
  '{"type": "password", "label": "Passwort", "placeholder": "Your password"}',
  'max_tokens: 4096, tokenizer: "cl100k_base", tokenCount = 123456789012345678',
  'input[type=password]:focus { outline: none } .sk-fading-circle-container-wrapper {}',
  'secretName: my-app-tls-secret-v2\nsecretKeyRef: { name: db, key: password }',
  'token: authenticationhandler2, "token" : refreshtokenhandler1',
  'token: "user-access-token-v2", kind: Token, secret: "/run/secrets/db-1", auth: bearer',
  'The bearer of this letter, a certain Basic understanding, and a secret: nobody knows it.',
  'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\nindex 83db48f..bf2a1c9 100644',
  'sha512-2hH1u8eyC5g0gS5t5hH2u9r1b3QZ0vXxQ1k8yqk0FJ6B1mXH7hB3kZ0pXxQ1k8yqk0FJ6B1mXH7hB3kZ0pA==',
  'id: 550e8400-e29b-41d4-a716-446655440000, etag: "33a64df551425fcc55e4d42a148795d9"',
  'expect(() => login("ann", "")).toThrow("password: must have at least 8 characters")',
  'def check(password=None, token=parse_token2(header), *, secret_key: bytes = b""): ...',
  'A JWT begins with eyJ and has three parts; an AWS id begins with AKIA; see ghp_ and xoxb-.',
  'exports.exchangeX509Token = exchangeX509Token\npassword: Uint8Array, pwd: /srv/ann/project1',
  'PWD=/srv/ann OLDPWD=/tmp/build-17 make PASS=1; ok 12 - pass: 34 of 34',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1x ann@example.org\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'mailto:ann@example.org http://localhost:8080/@scope/name git@github.com:ann/app.git',
  'test providers::proton_pass::tests::reads_1_item ... ok, Provider::OnePassword => Kind::Vault2',
  'Authorization: Bearer <token>, Authorization: Bearer YOUR_ACCESS_TOKEN, Authorization: Bearer $TOKEN',
  'a Bearer authentication scheme, Bearer tokens-and-their-lifetimes, Bearer internationalization',
  'gsk_ and xai- begin keys, as do hf_ and pplx-; r8_model_name_of_the_example_project_files_here',
  'fw_status_register_of_the_device, 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',
  "the password field's name is Form#Password1()",
  'password: Foo.Bar1',
  "SELECT 'x' AS y; -- CREATE USER is by hand",
  'api_key = /srv/app/Keys/production1/Server/current',
  'pytest tests/login -p no:cacheprovider2',
  'npx playwright test login.spec.ts -p chromium2',
  'npx playwright test login -p chromium2',
  'curl https://x/login -a b1234',
  'login page with -p 30000ms',
  'the login page with -p 30000ms',
  'We open the login -p 30000ms later',
  'aws sso login --profile dev2023 and docker login --password-stdin',
]

describe('ordinary text is left as it is', () => {
  it.each(ORDINARY)('%s', (text) => expect(redact(text)).toEqual({ text, found: [] }))

  it('such as code, logs, letters and data in many languages', () => {
    const folder = new URL('../../test/texts/', import.meta.url)
    for (const name of readdirSync(folder)) {
      const text = readFileSync(new URL(name, folder), 'utf8')
      expect(redact(text), name).toEqual({ text, found: [] })
    }
  })

  it('such as words in any order', () => {
    const folder = new URL('../../test/texts/', import.meta.url)
    const words = readdirSync(folder)
      .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split(/[\s"'`(){}[\],;]+/))
      .filter((word) => word.length < 40 && !/[:=]$/.test(word))
    const text = fc.array(fc.constantFrom(...words), { maxLength: 60 })
    fc.assert(
      fc.property(text, fc.constantFrom(' ', '\n', ', '), (said, between) => {
        const whole = said.join(between)
        expect(redact(whole)).toEqual({ text: whole, found: [] })
      }),
      runs(500),
    )
  })

  it('such as a whole session', () => {
    const text = readFileSync(new URL('../../samples/session.json', import.meta.url), 'utf8')
    expect(redact(text)).toEqual({ text, found: [] })
  })
})

describe('any text', () => {
  const pieces = SECRETS.map(([, text]) => text)

  it('is redacted once and for all', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom(...pieces, ...ORDINARY), fc.string()), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(texts, fc.constantFrom('', ' ', '\n', '"', '='), (parts, between) => {
        const once = redact(parts.join(between)).text
        expect(redact(once)).toEqual({ text: once, found: [] })
      }),
      runs(1_000),
    )
  })

  it('loses every value that is known to be secret, whatever surrounds it', () => {
    const value = fc
      .string({ minLength: 8, maxLength: 60 })
      .filter((each) => each.trim().length >= 8)
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        const secrets = [{ name: 'A_KEY', value: secret }]
        const clean = redactFailure(`${before} ${secret} ${after}`, secrets)
        const left = clean.split(/\[redacted:[\w-]+\]/)
        for (const piece of left) expect(piece).not.toContain(secret.trim())
        expect(redactFailure(clean, secrets)).toBe(clean)
      }),
      runs(500),
    )
  })

  it('that holds no known secret is left as it is', () => {
    const value = fc.stringMatching(/^[A-Za-z]{6}[0-9][A-Za-z0-9]{9,40}$/)
    const parts = fc.array(
      fc.oneof(fc.constantFrom('***', '...', '…', ' ', '\n', '\\u0041', '\\n'), fc.string()),
    )
    fc.assert(
      fc.property(value, parts, (secret, words) => {
        const text = words.join('')
        expect(redact(text, [{ name: 'A_KEY', value: secret }]).text).toBe(redact(text).text)
      }),
      runs(500),
    )
  })

  const BAIT = [
    'a',
    'eyJ-',
    'eyJ_a-',
    'gsk_',
    'xai-a',
    'hf_-',
    'pplx-',
    'hvs.',
    'dp.pt.',
    'sntryu_=',
    'ATATT3-',
    'tvly-a-',
    '1:AA-',
    '123456789:AA',
    'Authorization: Bearer ',
    'Authorization:',
    'Authorization: token a',
    'Bearer a.',
    '[redacted:',
    '[redacted:a]',
    '//a',
    '?key=',
    '-',
    ' ',
    '=',
    '\\',
    'eyJ',
    'eyJ.',
    'eyJaaaaaaaaaa.',
    'eyJaaaaaaaaaa.eyJaaaaaaaaaa ',
    '-a',
    '.a',
    'a-a.',
    'password',
    'password ',
    'password=',
    'password="',
    'password: ',
    '"password"',
    'password=\\',
    '--password ',
    '--token=',
    'token = a1',
    'sk-',
    'sk-a',
    'xoxb-',
    'glpat-',
    'github_pat_',
    'ghp_',
    'AKIA',
    'AKIAAAAAAAAAAAAAAAAA,',
    'Bearer ',
    'Bearer aaaaaaaaaaaaaaaaaaaa ',
    'Authorization: ',
    'Authorization: Basic ',
    '://a:',
    'http://',
    'http://a:a',
    'a://b:c',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN ',
    '-----BEGIN A A A A PRIVATE ',
    '-----END ',
    'https://hooks.slack.com/services/T',
    'a1',
    'a1 ',
    'a1***',
    'a...',
    '\\u0061',
    'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1                                        ',
  ]
  const known = [{ name: 'A_KEY', value: `${'a1'.repeat(30)}b` }]
  const BAIT_CHARS = scaled(1_000_000, 100_000)

  it.each(BAIT)(`comes to an end: ${BAIT_CHARS} characters of %j`, (bait) => {
    // The end of a key may be far away from many beginnings.
    const text = `${bait.repeat(Math.ceil(BAIT_CHARS / bait.length))}-----END PRIVATE KEY-----`
    expect(redact(text, known).text.length).toBeGreaterThan(0)
    expect(redactFailure(`${text} ${'A1'.repeat(30)}B`, known).length).toBeGreaterThan(0)
  })
})

describe('a failure', () => {
  it.each([
    'Incorrect API key provided: sk-proj-abcd*********wxyz.',
    'https://me:abcdwxyz@api.example/v1',
    'GET https://api.example/?api_key=abcdwxyz&x=1',
    'header: Bearer abcdwxyz',
    'key gsk_abcdwxyz and hf_abcdwxyz',
  ])('shows no part of a key: %s', (text) => {
    const clean = redactFailure(text, [])
    expect(clean).not.toContain('abcd')
    expect(clean).not.toContain('wxyz')
    expect(redactFailure(clean, [])).toBe(clean)
  })
})
