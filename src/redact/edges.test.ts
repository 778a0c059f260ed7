// Each rule at its edges: the kind that it names, every optional part absent and present, and one step beyond.
import { describe, expect, it } from 'vitest'
import { secretsOf } from './known.ts'
import { redact } from './redact.ts'
import { redactFailure } from './redact-for.ts'
import { redactValues } from './redact-values.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const MIXED = 'a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ'
const HEX = '0a1b2c3d4e5f6789'
const AWS_ID = `AKIA${'A1B2C3D4E5F6G7H8'}`
const LETTERS = 'abcDEF/+'
/** Found by its place alone: it is neither long nor in one random piece. */
const PIECES = 'abcd-ef12-ab34-cd56'
const AUTH = ['au', 'th'].join('')
const run = (chars: number, alphabet = MIXED) =>
  alphabet.repeat(Math.ceil(chars / alphabet.length)).slice(0, chars)

/** `«kind|…»` marks what is secret in a line: that alone goes, as this kind, and everything else stays. */
function check(line: string): void {
  const plain = line.replaceAll(/«[\w-]+\||»/g, '')
  const expected = line.replaceAll(/«([\w-]+)\|[^»]*»/g, '[redacted:$1]')
  expect(redact(plain).text).toBe(expected)
  expect(redact(expected)).toEqual({ text: expected, found: [] })
}

describe('a name', () => {
  it.each([
    'a --password=«password|hunter22» b',
    '1-password=hunter22',
    'a --password  «password|hunter22» b',
    'a --password    «password|hunter22» b',
    'a --password     hunter22 b',
    'a --token «token|abcdefghijklmno1» b',
    'contest pass: «password|hunter22»',
    'all of my pass: «password|hunter22»',
    'tests password: «password|hunter22»',
    'DB_password=abcdefgh',
    'password : hunter22',
    'password:  «password|hunter22»',
    `aws_secret_name: "${run(40, LETTERS)}"`,
    `awssecret=«aws-secret|${run(40, LETTERS)}»`,
    `aws_secretkey=«aws-secret|${run(40, LETTERS)}»`,
    'passwordless: "hunter22"',
    'dbpasswd=«password|hunter22»',
    'pwd: "«password|hunter22»"',
    'pass: "«password|hunter22»"',
    `api_key_two: "${run(16)}"`,
    `secret_key_bases: "${run(16)}"`,
    `secretkey_base=«api-key|${run(16)}»`,
    `secret_keybase=«api-key|${run(16)}»`,
    `client-key-data-path: ${run(40, 'abcdefgh1')}`,
    `client-key-data: «private-key|${run(40, 'abcdefgh1')}»`,
    'client-key-data: , x',
    `apikey_old: "«secret|${run(20)}»"`,
    `api-key-old: "«secret|${run(20)}»"`,
    `sessiontoken_old: "«secret|${run(20)}»"`,
    `secret_ideas: "«secret|${run(20)}»"`,
    `secret_expire: "${run(20)}"`,
  ])('%s', check)

  it.each(['test', 'check', 'spec', 'case', 'suite', 'build'])('of what passes: %s', (word) => {
    check(`the ${word} pass: hunter22`)
    check(`${word}s pass: hunter22`)
  })
  it.each(['all', 'they', 'it', 'both', 'these'])('of what passes: %s', (word) => {
    check(`${word} pass: hunter22`)
  })
})

describe('a value', () => {
  it.each([
    ...['(', '[', '{', '<'].map((open) => `password=hunt3r22${open}1`),
    'password="«password|hunt#er22»"',
    'password="«password|x-null-22»"',
    'password="«password|hunter22.token»"',
    'password="passphrase1"',
    'password="db-token1"',
    'password="dbpasswd1"',
    'password="my_apikey1"',
    'DB_PASSWORD=dbpassword',
    'password="«password|ab1ab2»"',
    'password="ab1ab1"',
    'password=""',
    'password="',
    `aws_secret="-${run(40, LETTERS)}"`,
    `aws_secret="${run(40, LETTERS)}-"`,
    `token: "abcdefghij-12345"`,
    `token: "12345678-abcdefg"`,
    `my_secret_value: "«secret|ab-${run(20)}»"`,
    `my_secret_value: "«secret|abcd-${run(16)}»"`,
    `my_secret_value: "abcde-${run(15)}"`,
    'password=«password|1ab.cd3»',
    'password=«password|ab.cd3-x»',
    'password=a.b.hunter22',
    'password := «password|1hunter22»',
    'password := «password|hunt3er22»',
    'password := hunter22!',
  ])('%s', check)

  it.each([
    `api_key="«api-key|/${run(30)}+»"`,
    `api_key="/${run(29)}+"`,
    `api_key="«api-key|/${run(31)}»"`,
    `api_key="/${run(19)}/${run(19)}"`,
    `api_key="«api-key|/${run(20)}/${run(11)}»"`,
    `api_key="/${run(20, 'abcDEF')}/${run(11)}"`,
    `api_key="/${run(20, 'a1b2c3')}/${run(11)}"`,
    `api_key="/${run(20, 'A1B2C3')}/${run(11)}"`,
    `api_key="/srv_x/${run(31)}"`,
    `api_key="/${run(31)}_x"`,
  ])('that begins like a path: %s', check)

  it.each([
    `${AUTH}: «basic-auth|YW5uOmh1bg==»`,
    `${AUTH}: «basic-auth|YW5uOmh1bnRl»`,
    `${AUTH}: «basic-auth|YTpiY2Q=»`,
    `${AUTH}: YTpiY2Q`,
    `${AUTH}: a1B2c3D4e5F6g7H8`,
    `my.${AUTH}: «basic-auth|YW5uOmh1bg==»`,
    `my.${AUTH}-mode: YW5uOmh1bg==`,
    `my${AUTH}: YW5uOmh1bg==`,
    `${AUTH}: *YTpiY2Q=`,
    `${AUTH}: "YTpiY2Q=*"`,
    `${AUTH}: AWE6YmNk`,
    `${AUTH}: YTpiY2QB`,
  ])('with a name and a password in base 64: %s', check)

  it('of a field with at most 300 characters', () => {
    expect(redactValues({ token: run(300, 'abcd1') }).value).toEqual({ token: '[redacted:token]' })
    const longer = { token: run(301, 'abcd1') }
    expect(redactValues(longer).value).toBe(longer)
  })
})

describe('a command, a file or a sentence', () => {
  it.each([
    `curl -H "X-Api-Key: «api-key|${run(24)}»" -u ann:«password|hunter22» x`,
    `curl -u «bearer|x»:hunter22 x`.replace('«bearer|x»', '[redacted:bearer]'),
    'db.example:5432:app:ann:12345678',
    'set the password to HUNTER22 now',
    'curl -u ann:«password|hunterx» x',
    'curl -u ann:«password|xhunter» x',
    'sshpass -p«password|hunter22» ssh x',
    `${run(101, 'a')}:5432:app:ann:hunter22`,
    `${run(100, 'a')}:5432:app:ann:«password|hunter22»`,
    'h:5432:app:ann:«password|hunter22»',
    'x h:5432:app:ann:«password|hunter22»',
    'The password is your#Example22 now',
    'The password is hunter!! now',
    'passcode:  «password|Hunter#22» now',
    'passcode your#Hunter22 now',
    'passcode hunter#22 now',
    "CREATE  USER ann IDENTIFIED BY  '«password|plainword»'",
    "CREATE USER ann IDENTIFIED BY'«password|plainword»'",
    "SET   PASSWORD FOR ann = PASSWORD( '«password|plainword»')",
    "ALTER USER ann PASSWORD = '«password|plainword»'",
    "GRANT ALL ON x TO ann IDENTIFIED BY ( '«password|plainword»')",
    `Unseal Key: «vault-key|${run(44)}»`,
    `Recovery Key 12 : «vault-key|${run(44)}»`,
    `unseal key=«vault-key|${run(44)}»`,
    `root token «token|${PIECES}»`,
    `root token : «token|${PIECES}»`,
    `root token:  «token|${PIECES}»`,
    ...['sess', 'session', 'session_id', 'sessionid', 'my.sid', 'x sid', 'sid.x', `my-${AUTH}`].map(
      (name) => `${name}=«cookie|${PIECES}»`,
    ),
    ...['jwt', 'remember-me', 'remember_me', `${run(30, 'a')}sid`].map(
      (name) => `${name}=«cookie|${PIECES}»`,
    ),
    `${run(31, 'a')}sid=${PIECES}`,
    `the admin key:«api-key|${run(20)}»`,
    `the accesstoken is «token|${run(24)}»`,
    `the access token «token|${run(24)}»`,
    `the access token is : «token|${run(24)}»`,
    `the access token is "«token|${run(24)}»"`,
  ])('%s', check)

  it.each(['Digest', 'Bearer', 'Basic', 'token'])('with a header of the kind %s', (scheme) => {
    const [kind, secret] =
      scheme === 'Basic'
        ? ['basic-auth', 'YW5uOmh1']
        : ['bearer', run(scheme === 'Digest' ? 16 : 8)]
    const marked = `«${kind}|${secret}»`
    check(`Authorization:${scheme} ${marked}`)
    check(`Authorization:  ${scheme}   ${marked}`)
    check(`Authorization : ${scheme} ${marked}`)
    check(`Authorization = ${scheme} ${marked}`)
    check(`{"authorization":"${scheme} ${marked}"}`)
    check(`'Authorization': '${scheme} ${marked}'`)
    check(`Authorization: \`${scheme} ${marked}\``)
    check(`Authorization;${scheme} ${secret}`)
  })

  it.each([
    `Authorization: Digest '«bearer|${run(16)}»'`,
    `Bearer  «bearer|${run(16)}»`,
    'Authorization: Bearer accesstoken-1',
    'Authorization: Bearer my-apikey-1',
    'Authorization: Bearer my-api_key-1',
    'Authorization: Bearer «bearer|abcdabcd»',
    'Authorization: Bearer abcabcabc',
    'bearer abcdefGhijklmnOpqrst-ab',
    'bearer ab-abcdefGhijklmnOpqrst',
    'bearer «bearer|abcdefGHijklmnOpqrst»',
    'bearer abcdefghijklmnopqrsT',
    'bearer abcdefghijKlmnopqrst',
    ...['ab$cd', '**ab', 'xxab', '..ab'].map((each) => `http://a:«basic-auth|${each}»@b.org`),
    ...['....', 'pass', 'my-pass', '$abc'].map((each) => `http://a:${each}@b.org`),
  ])('%s', check)

  it.each([
    `Cookie:a=«cookie|${run(20)}»`,
    `Cookie : a=«cookie|${run(20)}»`,
    `"Cookie": "a=«cookie|${run(20)}»"`,
    `Set-Cookie:  'a=«cookie|${run(20)}»'`,
    `cookie: xpath=«cookie|${run(20)}»; path=${run(20)}`,
    `cookie, a=${run(20)}`,
    'unkind: Secret\ndata:\n  user: YWRh\n',
    '  kind: Secret\n  data:\n    user: «secret|YWRh»\n',
    'kind:Secret\ndata:\n  user: «secret|YWRh»',
    'kind:   Secret\nmetadata:\n  name: my-app\ndata:\n  user: «secret|ab<cd»',
    'kind: Secret\ndata:\n  a/b: c d: efgh\n',
  ])('%s', check)
})

describe('a token', () => {
  it.each([
    `«aws-key|${AWS_ID}», «aws-secret|${run(40)}» there`,
    `«aws-key|${AWS_ID}» «aws-secret|${run(40)}» there`,
    `"«aws-key|${AWS_ID}», "«random|${run(41)}»"`.replace(', ', '", '),
    `"«aws-key|${AWS_ID}»", "«aws-secret|${run(40)}»"`,
    `see «mailchimp-key|${run(32, HEX)}-us1» there`,
    `see «mailchimp-key|${run(32, HEX)}-us12» there`,
    `see ${run(32, HEX)}-us123 there`,
    `https://api.telegram.org/bot«telegram-token|1234567:${run(30)}»/x`,
    `see «token|acme_live_${run(36)}» there`,
    `see «token|a1-b2-secret_${run(28)}» there`,
    `see «token|key_ab12_${run(30)}» there`,
    `see «token|secret-${run(28)}» there`,
    `see «random|secret_${run(27)}» there`,
    `see «token|secret_${run(32, 'aB1cD2eF3gH4iJ5k')}» there`,
    `see «random|secret_${run(30, 'aB1cD2eF3gH4iJ5')}» there`,
    `see «openai-key|sk-${run(29, 'abcdefgh12')}» there`,
    `see sk-${run(28, 'abcdefgh12')} there`,
    `see sk-${run(40, 'abcde1')} there`,
    `see sk-${run(40, 'abcdeFG')} there`,
    `Bearer ${run(16, '1234567890')} there`,
    `?sig=${run(43, 'A1B2C3')}&x=1`,
    `see fw_${run(24, 'aBcDeFgHiJ')} there`,
    `see «github-token|gho_${run(255)}»«random|gho_${run(36)}» there`,
    `see ${['', '', '', ''].map(() => `«github-token|gho_${run(255)}»`).join('')} there`,
  ])('%s', check)
})

describe('a private key', () => {
  const [begin, end] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----']
  it('ends where its end is, within 20,000 characters', () => {
    check(`«private-key|${begin}${run(19_999)}${end}» more`)
    check(`«private-key|${begin}${run(20_000)}»${end} more`)
    check(`${'words '.repeat(5_000)}«private-key|${begin}\n${run(64)}\n${end}» more`)
    check(`«private-key|${begin}\nabc\n»-----END of it`)
  })
})

describe('a random run', () => {
  it.each([
    `see «random|xmsg_${run(30)}» there`,
    `see «random|msgx_${run(30)}» there`,
    `see bafyx_${run(40, HEX)} there`,
    `see qmab_${run(40, HEX)} there`,
    `see «random|abc_${run(40, '0a1b2c3d')}» there`,
    `see sha256:${run(43)} there`,
    `see md5:${run(32)} there`,
    `id: 7 and «random|${run(30)}» there`,
    ...['requestid', 'request_id', 'call', 'calls', 'publickey', 'public_key', 'id'].map(
      (name) => `${name}: ${run(30)}`,
    ),
    `id   :   ${run(30)}`,
    `id:${run(30)}`,
    `id;${'«random|'}${run(30)}»`,
    ...['Z', '_Z', '__Z', 'AAAA'].map((start) => `see ${start}${run(30)} there`),
    `x\n${run(76)}\ny`,
    `x\n«random|${run(64)}» y`,
    `x «random|${run(64)}»\ny`,
  ])('%s', check)

  const [SMALL, CAPITAL, DIGIT, SIGN] = [
    'abcdefgmxyz',
    'ABCDEFKMXYZ',
    '01234567899',
    '_-_',
  ] as const
  /** 51 signs: one long piece, then pieces of one sign, each of another kind than the one before it. */
  function withChanges(
    [long, short, ...rest]: readonly [string, string, ...string[]],
    changes: number,
  ) {
    const kinds = Array.from({ length: 51 }, (_, at) => {
      const piece = Math.max(0, at - (50 - changes))
      return rest[at - (51 - rest.length)] ?? (piece % 2 === 0 ? long : short)
    })
    return kinds.map((kind, at) => kind.charAt(at % kind.length)).join('')
  }
  it.each([
    [SMALL, CAPITAL, DIGIT],
    [CAPITAL, DIGIT, SMALL],
    [DIGIT, SMALL, CAPITAL],
    [SMALL, SIGN, CAPITAL, DIGIT],
    [CAPITAL, SIGN, SMALL, DIGIT],
    [DIGIT, SIGN, SMALL, CAPITAL],
  ] as const)('changes its kind at 42 of 100 places: %s and %s', (...kinds) => {
    check(`see «random|${withChanges(kinds, 21)}» there`)
    check(`see ${withChanges(kinds, 20)} there`)
  })
})

describe('a known secret', () => {
  const key = ['Zq7wKx2m', 'Lp9TbR4vN8cY', '1aHs'].join('')
  const known = [{ name: 'OTHER_API_KEY', value: key }]
  const hidden = '[redacted:OTHER_API_KEY]'
  const escaped = (text: string, start = '\\u') =>
    Array.from(text, (char) => start + char.charCodeAt(0).toString(16).padStart(4, '0')).join('')

  it.each([
    [`"${escaped(key, '\\\\u')}"`, `"${hidden}"`],
    [`"${key.slice(0, 9)}\\\\n${key.slice(9)}"`, `"${hidden}"`],
    [`"${key.slice(0, 9)}\\\\\\\\n${key.slice(9)}"`, `"${hidden}"`],
    ['Zq7wKx……1aHs', hidden],
    [`[redacted:x] ${key.toUpperCase()}`, `[redacted:x] ${hidden}`],
    ['see Zq7wKx2m*****1aHs?! x', `see ${hidden}?! x`],
    [`${key.slice(0, 12)}***${key.slice(13)}`, hidden],
    [`${key.slice(0, 12)}***${key.slice(12)}`, `${key.slice(0, 12)}***${key.slice(12)}`],
  ])('in disguise: %s', (text, clean) => {
    expect(redact(text, known).text).toBe(clean)
  })

  it('may end with a dot inside of what a mask leaves', () => {
    const dotted = [{ name: 'A_KEY', value: 'Zq7wKx2mLp9T.1aHs' }]
    expect(redact('see Zq7w***T.1aHs. Yes', dotted).text).toBe('see [redacted:A_KEY]. Yes')
  })

  it('that holds no letters, or blanks, is looked for as it is', () => {
    const shown = (value: string, text: string) => redact(text, [{ name: 'A_KEY', value }]).text
    expect(shown('123456789012345', '1234567890 12345')).toBe('1234567890 12345')
    expect(shown('a1b2 c3d4 e5f6', 'A1B2 C3D4 E5F6')).toBe('A1B2 C3D4 E5F6')
    expect(shown('a1b2 c3d4 e5f6', 'x a1b2 c3d4 e5f6')).toBe('x [redacted:A_KEY]')
  })

  it('is looked for without the blanks around it', () => {
    const padded = [{ name: 'OTHER_API_KEY', value: `  ${key}\n` }]
    for (const text of [key, key.toUpperCase(), Buffer.from(key).toString('base64')])
      expect(redact(text, padded).text).toBe(hidden)
    const short = [{ name: 'OTHER_API_KEY', value: '   abcd   ' }]
    expect(redact('x    abcd    y', short).text).toBe('x    abcd    y')
  })

  it('may be short, and in any form that bytes have', () => {
    const short = [{ name: 'A_KEY', value: 'let-me-j' }]
    for (const text of [
      escaped('let-me-j'),
      escaped('let-me-j').replaceAll(/[a-f]/g, (hex) => (hex === 'u' ? hex : hex.toUpperCase())),
    ])
      expect(redact(text, short).text).toBe('[redacted:A_KEY]')
    for (const value of ['let-me-jk', 'let-me-jkl', 'let-me-jklm', 'k?>k~>?~>a', 'k?>k~>?~>ab']) {
      const text = Buffer.from(value).toString('base64').replaceAll('=', '')
      expect(redact(text, [{ name: 'A_KEY', value }]).text).toBe('[redacted:A_KEY]')
    }
    const odd = 'k?>k~>?~>a?>1~>'
    for (const before of ['', 'a', 'ab', 'abc'])
      for (const form of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${odd}`).toString(form)
        expect(text).toMatch(form === 'base64' ? /[+/]/ : /[-_]/)
        expect(redact(text, [{ name: 'A_KEY', value: odd }]).found).toEqual([
          { kind: 'A_KEY', count: 1 },
        ])
      }
  })

  it('does not change its own placeholder', () => {
    const own = [{ name: 'my_a1b2c3d4e5f6_key', value: 'A1B2C3D4E5F6' }]
    expect(redact('x A1B2C3D4E5F6 y', own).text).toBe('x [redacted:my_a1b2c3d4e5f6_key] y')
    const plain = [{ name: 'sk_my_plain_words', value: 'plain-words-only' }]
    expect(redactFailure('x plain-words-only', plain)).toBe('x [redacted:sk_my_plain_words]')
  })

  it('has a name of at most 60 characters', () => {
    const named = (name: string) =>
      redact('plain-words-only', [{ name, value: 'plain-words-only' }])
    expect(named('MY KEY!').text).toBe('[redacted:MY_KEY_]')
    expect(named('K'.repeat(61)).text).toBe(`[redacted:${'K'.repeat(60)}]`)
  })

  it('is found in an environment by the end of its name', () => {
    const names = (environment: Record<string, string>) =>
      secretsOf(environment).map(({ name }) => name)
    const words = ['key', 'TOKEN', 'secret', 'passwd', 'PASSWORD', 'passphrase', 'credential']
    const ends = [...words, 'credentials', 'db_pass', 'db_pwd', 'npm_auth', 'sentry_dsn']
    for (const name of ends) expect(names({ [name]: 'plain-words' })).toEqual([name])
    for (const name of ends) expect(names({ [`${name}_count`]: 'plain-words' })).toEqual([])
    expect(names({ A_KEY: `/${run(40)}` })).toEqual([])
  })
})

describe('a value at any depth', () => {
  const found = (value: unknown) => redactValues(value).value
  const SEALED_LEFT_OUT = { type: 'text', text: '[redacted:sealed-block]' }

  it.each([
    'id',
    'ids',
    'uuid',
    'tool_use_id',
    'toolUseId',
    'requestIds',
    'callID',
    'itemUuid',
    'calls',
  ])('gets another id as %s', (name) => {
    expect(found({ [name]: AWS_ID })).toEqual({ [name]: expect.stringMatching(/^redacted_/) })
    expect(found({ [name]: run(30) })).toEqual({ [name]: run(30) })
  })
  it.each(['idea', 'identity', 'gridid', 'callsign', 'recalls', 'toolIdea', 'ID', 'note'])(
    'is a text as %s',
    (name) => {
      expect(found({ [name]: AWS_ID })).toEqual({ [name]: '[redacted:aws-key]' })
      expect(found({ [name]: run(30) })).toEqual({ [name]: '[redacted:random]' })
    },
  )
  it.each(['data', 'signature', 'thoughtSignature', 'thinkingSignature', 'encrypted_content'])(
    'may be random as %s',
    (name) => {
      const value = { [name]: run(30) }
      expect(found(value)).toBe(value)
    },
  )

  it('is sealed only with all that a sealed block has', () => {
    const clean = '[redacted:aws-key]'
    for (const other of [
      { signature: 'x' },
      { signature: '', thinking: 'hm' },
      { signature: 'x', thinking: '' },
      { data: 'x' },
      { mimeType: 'a/b' },
      { data: '', mimeType: 'a/b' },
      { data: 'x', mimeType: 'a/b', text: 'y' },
    ])
      expect(found({ ...other, note: AWS_ID })).toEqual({ ...other, note: clean })
    for (const other of [
      { type: 'reasoning.encrypted' },
      { thoughtSignature: 'x' },
      { data: 'x', mediaType: 'a/b' },
      { data: 'x', media_type: 'a/b' },
    ])
      expect(found({ ...other, note: AWS_ID })).toEqual(SEALED_LEFT_OUT)
  })

  it('has names that are changed, too, and stay different', () => {
    const names = ['1', '2', '3'].map((end) => AWS_ID.slice(0, -1) + end)
    expect(found(Object.fromEntries(names.map((name) => [name, 1])))).toEqual({
      '[redacted:aws-key]': 1,
      '[redacted:aws-key] (2)': 1,
      '[redacted:aws-key] (3)': 1,
    })
    const known = [{ name: 'A_KEY', value: 'abcd-efg' }]
    expect(redactValues({ 'abcd-efg': 1 }, known).value).toEqual({ '[redacted:A_KEY]': 1 })
  })

  it('goes by its form before its name, and is looked into where it is plain', () => {
    expect(found({ token: AWS_ID })).toEqual({ token: '[redacted:aws-key]' })
    const plain = { a: undefined, b: 5, c: null, d: true, e: [] }
    expect(found(plain)).toBe(plain)
    const bare = Object.assign(Object.create(null), { note: AWS_ID })
    expect(found(bare)).toEqual({ note: '[redacted:aws-key]' })
    const own = new Error('own')
    const other = { own: Object.assign(own, { note: AWS_ID }) }
    expect(found(other)).toBe(other)
  })

  it('of a failure loses keys in an address', () => {
    expect(redactFailure('?apikey=abc', [])).toBe('?apikey=[redacted:key]')
    const both = redactFailure('[redacted:x] sk-abcdefgh', [])
    expect(both).toBe('[redacted:x] [redacted:key]')
  })
})
