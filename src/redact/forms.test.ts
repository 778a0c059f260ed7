// Where a secret begins and ends: each form at its shortest, one character short of it, and what stands around it.
import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'
import { redactFailure } from './redact-for.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const MIXED = 'a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ'
const HEX = '0a1b2c3d4e5f6789'
const CAPITALS = 'A1B2C3D4E5F6G7H8'
/** As registries have it. */
const AUTH = ['_', 'auth'].join('')
const run = (chars: number, alphabet = MIXED) =>
  alphabet.repeat(Math.ceil(chars / alphabet.length)).slice(0, chars)

/** `«…»` marks what is secret in a line: that alone goes, and everything else stays. */
function check(line: string): void {
  const plain = line.replaceAll(/[«»]/g, '')
  const expected = line.replaceAll(/«[^»]*»/g, '[redacted]')
  expect(redact(plain).text.replaceAll(/\[redacted:[\w-]+\]/g, '[redacted]')).toBe(expected)
}

/** kind, beginning, the least number of characters behind it, their alphabet, the end. */
interface Form {
  readonly kind: string
  readonly start: string
  readonly least: number
  readonly alphabet: string
  readonly end: string
}
function form(kind: string, start: string, least: number, alphabet = MIXED, end = ''): Form {
  return { kind, start, least, alphabet, end }
}
const FORMS: readonly Form[] = [
  form('anthropic-key', 'sk-ant-', 20),
  form('google-key', 'AIza', 35),
  form('google-key', 'GOCSPX-', 28),
  form('google-token', 'ya29.', 20),
  form('groq-key', 'gsk_', 40),
  form('xai-key', 'xai-', 60),
  form('huggingface-token', 'hf_', 30),
  form('huggingface-token', 'api_org_', 30),
  form('perplexity-key', 'pplx-', 40),
  form('replicate-token', 'r8_', 37),
  form('together-key', 'tgp_v1_', 40),
  form('fireworks-key', 'fw_', 22),
  form('cerebras-key', 'csk-', 40),
  form('nvidia-key', 'nvapi-', 50),
  form('tavily-key', 'tvly-', 24),
  form('tavily-key', 'tvly-prod-', 24),
  form('langsmith-key', 'lsv2_pt_', 32, HEX, `_${run(10, HEX)}`),
  form('langsmith-key', `lsv2_sk_${run(32, HEX)}_`, 10, HEX),
  form('precis-token', 'precis_', 24),
  form('fly-token', 'fm2_', 40),
  form('fly-token', 'fm1a_', 40),
  form('fly-token', 'fo1_', 40),
  form('netlify-token', 'nfp_', 36),
  form('supabase-key', 'sb_secret_', 20),
  form('mapbox-token', 'sk.eyJ', 20, MIXED, `.${run(10)}`),
  form('mapbox-token', `sk.eyJ${run(20)}.`, 10),
  form('dropbox-token', 'sl.', 100),
  form('airtable-token', 'pat', 14, MIXED, `.${run(64, HEX)}`),
  form('airtable-token', `pat${run(14)}.`, 64, HEX),
  form('terraform-token', '', 14, MIXED, `.atlasv1.${run(60)}`),
  form('terraform-token', `${run(14)}.atlasv1.`, 60),
  form('aws-key', 'AKIA', 16, CAPITALS),
  form('aws-key', 'ASIA', 16, CAPITALS),
  form('aws-key', 'AROA', 16, CAPITALS),
  form('digitalocean-token', 'dop_v1_', 64, HEX),
  form('digitalocean-token', 'dor_v1_', 64, HEX),
  form('databricks-token', 'dapi', 32, HEX),
  form('vault-token', 'hvs.', 24),
  form('vault-token', 'hvb.', 24),
  form('pulumi-token', 'pul-', 40, HEX),
  form('doppler-token', 'dp.st.', 40),
  form('grafana-token', 'glsa_', 32, MIXED, `_${run(8, HEX)}`),
  form('grafana-token', `glsa_${run(32)}_`, 8, HEX),
  form('supabase-key', 'sbp_', 40, HEX),
  form('sentry-token', 'sntrys_', 40),
  form('newrelic-key', 'NRAK-', 27, CAPITALS),
  form('age-key', 'AGE-SECRET-KEY-1', 58, CAPITALS),
  form('github-token', 'gho_', 36),
  form('github-token', 'ghr_', 36),
  form('github-token', 'github_pat_', 22),
  form('gitlab-token', 'glrt-', 20),
  form('gitlab-token', 'glagent-', 20),
  form('npm-token', 'npm_', 36),
  form('pypi-token', 'pypi-AgE', 40),
  form('rubygems-key', 'rubygems_', 48, HEX),
  form('docker-token', 'dckr_oat_', 27),
  form('slack-token', 'xoxp-', 10),
  form('slack-token', 'xapp-', 10),
  form('slack-webhook', 'hooks.slack.com/services/T12345/B12345/', 16),
  form('stripe-key', `rk_${'test'}_`, 16),
  form('stripe-key', 'whsec_', 24),
  form('sendgrid-key', 'SG.', 20, MIXED, `.${run(39)}`),
  form('sendgrid-key', `SG.${run(20)}.`, 39),
  form('shopify-token', 'shpca_', 32, HEX),
  form('atlassian-token', 'ATATT3', 100),
  form('linear-key', 'lin_oauth_', 40),
  form('notion-token', 'ntn_', 40),
  form('figma-token', 'figd_', 38),
  form('postman-key', 'PMAK-', 24, HEX, `-${run(34, HEX)}`),
  form('postman-key', `PMAK-${run(24, HEX)}-`, 34, HEX),
  form('discord-token', 'M', 23, MIXED, `.${run(6)}.${run(27)}`),
  form('discord-token', `N${run(23)}.`, 6, MIXED, `.${run(27)}`),
  form('discord-token', `O${run(23)}.${run(6)}.`, 27),
  form('discord-webhook', 'discord.com/api/webhooks/123456789012345/', 40),
  form('discord-webhook', 'discordapp.com/api/webhooks/12345678901234567890/', 40),
  form('mailgun-key', 'key-', 32, HEX),
  form('mailchimp-key', '', 32, HEX, '-us12'),
  form('telegram-token', '12345678:AA', 33),
  form('telegram-token', 'bot12345678:AA', 33),
]
/** Lengths at which a longer run is another thing: a hash, a name. */
const EXACT = new Set(['google-key', 'npm-token', 'aws-key', 'mailgun-key', 'databricks-token'])
/** A short one of these is seen by another form, as it should be. */
const SEEN_OTHERWISE = /^(?:sk-ant-|precis_|sk\.eyJ|sb_secret_|tvly-prod-|hooks)/

const kindsIn = (text: string) => redact(text).found.map(({ kind }) => kind)

describe('a token of a known form', () => {
  it.each(FORMS)('$kind: $start and at least $least characters', (each) => {
    const { kind, start, least, alphabet, end } = each
    const body = run(least, alphabet)
    const whole = start + body + end
    expect(kindsIn(`see ${whole} there`)).toEqual([kind])
    // In brackets and quotes, too; in the middle of a word it is a part of something else.
    expect(kindsIn(`("${whole}")`)).toEqual([kind])
    expect(kindsIn(`x${whole}`)).not.toContain(kind)
    if (!SEEN_OTHERWISE.test(start))
      expect(kindsIn(`see ${start}${body.slice(1)}${end} there`)).not.toContain(kind)
    // A sign of no such alphabet in its first half.
    expect(kindsIn(`see ${start}${body.slice(0, 4)}%${body.slice(5)}${end} there`)).not.toContain(
      kind,
    )
    if (EXACT.has(kind)) expect(kindsIn(`see ${whole}a there`)).not.toContain(kind)
  })

  it.each([
    ['hf_', 30, 'abcdefghij'], // without capitals
    ['gsk_', 40, 'abcdefghij'],
    ['r8_', 37, 'abcdefghij'],
    ['xai-', 60, 'abcdefghij'], // without digits
    ['pplx-', 40, 'abcdefghij'],
    ['csk-', 40, 'abcdefghij'],
    ['precis_', 24, 'abcdefghij'],
    ['glpat-', 20, 'abcdefghij'],
    ['xoxb-', 30, 'abcdefghij'],
    ['ntn_', 40, 'abcdefghij'],
    ['figd_', 40, 'abcdefghij'],
    ['fw_', 24, 'a1b2c3d4e5'],
    ['nvapi-', 60, 'a1b2c3d4e5'],
    ['hvs.', 60, 'a1b2c3d4e5'],
    ['sk-', 24, 'a1b2c3d4e5'], // short, and not of every kind
    ['sk-', 40, 'abcdefghij'],
  ])('%s is none where %i characters of %s are no random ones', (start, chars, alphabet) => {
    check(`see ${start}${run(chars, alphabet)} there`)
  })

  it.each([
    `id «AKIA${run(16, CAPITALS)}», «${run(40)}» there`,
    `?sig=«${run(43)}»&x=1`,
    `?sig=${run(29)}&x=1`,
    `?sig=${run(43, 'abcdefghij')}&x=1`,
    `?X-Amz-Signature=«${run(64, HEX)}»&x=1`,
    `?X-Goog-Security-Token=«${run(20)}»`,
    `?X-Amz-Date=${run(20)}`,
    `«acme_live_${run(36)}» there`,
    `«acme-prod-key-${run(36)}» there`,
    `«secret_${run(30)}» there`,
    `acme_live_${run(30, 'abcdefghijklmnopqrs1')} there`,
    `acme_live_${run(18)} there`,
    `acme_live_${run(30, 'a1B2')} there`, // four characters again and again
    'sk-fading-circle-container-wrapper-element',
    `«sk-${run(20)}»`,
    `sk-${run(19)}`,
    `«sk-svcacct-${run(32, 'abcdeABCDE12')}»`,
    `«eyJ${run(8)}.eyJ${run(8)}.${run(8)}»`,
    `eyJ${run(7)}.eyJ${run(8)}.${run(8)}`,
    `eyJ${run(8)}.eyJ${run(7)}.${run(8)}`,
    `eyJ${run(8)}.eyJ${run(8)}.${run(7)}`,
  ])('%s', check)
})

describe('a header or an address', () => {
  it.each([
    `Authorization: Bearer «${run(8)}»`,
    `Authorization: Bearer ${run(7)}`,
    `authorization="token «abcdefgh»"`,
    `Authorization:Bearer\t«abcdefgh»`,
    'Authorization: Bearer aaaaaaaaaa',
    'Authorization: Bearer your-own-token',
    'Authorization: Bearer access-token-here',
    `Bearer «${run(16)}»`,
    `Bearer ${run(15)}`,
    `bearer «${run(32, 'abcdefghij')}»`,
    `bearer ${run(31, 'abcdefghij')}`,
    `bearer «abcdefGhijklmnOpqrst»`,
    'bearer abcdefghij-klmnopqrst-uvwxyzabcdef',
    'Authorization: Basic «YW5uOmh1»',
    'Authorization: Basic YW5uOm',
    `Authorization: Digest «${run(16)}»`,
    `Authorization: Digest ${run(15)}`,
    `Authorization: Digest token="«${run(16)}»"`,
    'https://ann:«abc»@example.org',
    'https://ann:ab@example.org',
    'https://:«abc»@example.org',
    'https://ann:ann@example.org',
    'https://ann:$PASS@example.org',
    'https://ann:xxx@example.org',
    'https://ann:***@example.org',
    'https://ann:my-passwd@example.org',
    'https://ann:the_token@example.org',
    'https://ann:«token1»@example.org',
    `Authorization: 'Digest «${run(16)}»'`,
    `Authorization: "Digest «${run(16)}»"`,
    'Authorization: Bearer apikey-of-yours',
    'Authorization: Bearer ACCESS_TOKEN',
    'https://ann:«pass1»@example.org',
    'https://ann:passwd@example.org',
    'https://ann:pwd@example.org',
    'git+ssh://ann:«hunter22»@example.org',
  ])('%s', check)
})

describe('a value under a name', () => {
  it.each([
    'password=«abcde1»',
    'password=abcd1',
    'password=abcdef',
    'password=123456',
    'password=aaaa11',
    'password="«abcd-e!»"',
    'DB_PASSWORD=«abcdefgh»',
    'DB_PASSWORD=abcdefg',
    'db_password=abcdefgh',
    'passphrase: «hunter22»',
    'DB_PWD=«hunter22»',
    'old-pass: «hunter22»',
    'compass=hunter22',
    'password := "«hunter22»"',
    'password => `«hunter22»`',
    "password: '«hunter22»',",
    'password::hunter22',
    'a --password «hunter22» b',
    'a --password -hunter22 b',
    'a--password hunter22',
    'a.password=«hunter22»',
    'password = "hunter 22"',
    'password = "hunter22',
    'password = hunter22(1)',
    'password = hunter22[1]',
    'password = a.hunter22',
    'password = a::hunter22',
    'password = hunter22;',
    'password: «hunt3er22»',
    'password=«hunter22»;x',
    'password="example22"',
    'password="your-pass22"',
    'password="xxx-22-yy"',
    'password="hunter...22"',
    'password=/hunter/22',
    'password=~hunter22',
    'password=#hunter22',
    'password="none-22"',
    'password="int32-22"',
    'password="«inter22»"',
    'password="dbPassword1"',
    'password = a?.hunter22',
    'password = a!.hunter22!',
    'password=«hunter22.»',
    `token := ${run(16, 'abcdefghijklmno1')}`,
    `token: ${run(16, 'abcdefghijklmno1')}`,
    `token=«${run(16, 'abcdefghijklmno1')}»`,
    `API_TOKEN=«${run(16, 'abcdefghijklmno1')}»`,
    `token: «${run(16, 'abcdefghijklmn12')}»`,
    `x.api_key: "«${run(16)}»"`,
    'password="float64-22"',
    'password="Uint8Array-22"',
    'password="«arrays-22»"',
    'password="change_me_22"',
    'password="changeme22"',
    'password="https://a/22"',
    'aDB_PASSWORD=abcdefgh',
    `secret_access_keys: "${run(40, 'abcDEF/+')}"`,
    `"password\\\\\\": «hunter22»`.replaceAll('\\\\', '\\'),
    'password="«password22»"',
    `token: "«${run(16)}»"`,
    `token: "${run(15)}"`,
    `token: "${run(16, 'abcdefgh')}"`,
    `token: "${run(16, '12345678')}"`,
    `token: "abcd-ef12-ab34-cd56"`,
    `token: "«abcd-efgh1234-ab»"`,
    `access_pat: "«${run(16)}»"`,
    `tokenizer: "${run(16)}"`,
    `secret: "«${run(16)}»"`,
    `credential: "«${run(16)}»"`,
    `secretName: "${run(16)}"`,
    `signing_key: "«${run(16)}»"`,
    `webhook-key: "«${run(16)}»"`,
    `SECRET_KEY_BASE=«${run(16)}»`,
    `X-Auth-Key: «${run(16)}»`,
    `Acme-Key: «${run(16)}»`,
    `my-Acme-Key: ${run(16)}`,
    `monkey: "${run(16)}"`,
    `client-key-data: «${run(40)}»`,
    `client-key-data: ${run(39)}`,
    `${AUTH}=«YW5uOmh1bnRlcjIy»`,
    `${AUTH}=YW5uLWh1bnQ=`,
    `${AUTH}=YTpiYw==`,
    `aws_secret=«${run(40, 'abcDEF/+')}»`,
    `aws_secret=${run(39, 'abcDEF/+')}`,
    `my_secret_value: "«${run(20)}»"`,
    `my_secret_value: "${run(19)}"`,
    `my_secret_hash: "${run(20)}"`,
    `session_token_old: "«${run(20)}»"`,
    `my_secret_value: "550e8400-e29b-41d4-a716-446655440000"`,
    `my_secret_value: "${run(24, 'a1b2')}"`,
    'my_secret_value: "abcdefghijklmno-pqrstuvw2"',
  ])('%s', check)
})

describe('a secret in a command, a file or a sentence', () => {
  it.each([
    'curl -u ann:«hunter22» x',
    'curl -s --user="ann:«hunter22»" x',
    'wget --proxy-user ann:«hun» x',
    'curl -u ann:hu x',
    'curl -u ann:$PASS x',
    'curl x | tee -u ann:hunter22',
    'curly -u ann:hunter22 x',
    'mysql -h db -p«hunter» x',
    'mysql -h db -phun x',
    'mysql -h db -p=hunter x',
    'mysqldump -p«hunter22»',
    'sshpass -p «hunter22» ssh x',
    'docker login -u ann -p «hunter22» x',
    'docker login --password=«hunter22» x',
    'docker login -p hunter x',
    'az login --service-principal -u ann -p «7Cdk6~Bnlt8tjTP6» --tenant x',
    'nerdctl login -u ann -p «hunter22» x',
    `mysql -u root -p'«hunter22!»' x`,
    `mysql -u root -p"«hunter22!»" x`,
    `mysql -u root -p 'shop 22' x`,
    `mysql -u root -p'«Secr3t;more»' x`,
    `mysql -u root -p"«it's one 4|2»" x`,
    `sshpass -p '«hunter22;more»' ssh x`,
    `docker login -u 'ann' -p '«hunter22;more»' x`,
    'docker login registry.example:5000 --username ann --password «hunter22»',
    'oc login https://api.example:6443 -u ann -p «hunter22»',
    'helm registry login -u ann -p «hunter22» x',
    'docker login -u ann; tar -p hunter22',
    'htpasswd -b «hunter22» x',
    'redis-cli -a «hunter22» ping',
    'machine x login ann password «hunter»',
    'machine x login ann password hun',
    'machine x login   ann\n  password   «hunter»',
    'db.example:5432:app:ann:«hunter22»',
    'db.example:*:app:ann:«hunter22»',
    'db.example:5432:app:ann:hunter2',
    'x db.example:5432:app:ann:«hunter22» y',
    'x/db.example:5432:app:ann:«hunter22» y',
    'db.example:5432:app:ann:hunter22/x',
    'db.example:5432:app:ann:hunterhunter',
    'db.example:543:app:ann:hunter22',
    'The password is «hunter22!» now',
    'The password for ann is: «Hunter22»',
    'Das Passwort ist «Hunter22», merk es dir',
    'The password was set to hunter22',
    'set the password to «Hunter22» now',
    'The password is hunter22 now',
    'The password is Hunt22 now',
    `SESSIONID=«${run(16)}»; x`,
    `SESSIONID=${run(15)}; x`,
    `SESSIONID=${run(16, 'abcdefgh')}; x`,
    `authority=${run(16)}; x`,
    `connect.sid=«${run(16)}»`,
    'remember_me=https://example.org/a1b2c3d4',
    'unzip -P «hunter22» x.zip',
    '7z x -p«hunter22» x.7z',
    'unzip -P hunter x.zip',
    'keytool -storepass «hunter22» x',
    'keytool -keypass «hunter22» x',
    `the admin key is «${run(20)}»`,
    `the admin key is ${run(19)}`,
    `master key: «${run(20)}»`,
    `the piano key is ${run(20)}`,
    `the access token is «${run(24)}»`,
    `the bot token: «${run(24)}»`,
    `the access token is ${run(23)}`,
    `the access token is ${run(24, 'a1b2c3d4')}`,
    'otpauth://totp/a?secret=«ABCDEFGH23»&x=1',
    'otpauth://totp/a?secret=ABCDEFGH2',
    'otpauth://totp/a?x=1&secret=«ABCDEFGH23»',
    `Set-Cookie: a=«${run(20)}»; path=/; expires=${run(20)}`,
    `Cookie: a=${run(19)}; b="${run(20, 'abcdefgh')}"`,
    `cookie: a=«${run(20)}»; b=«${run(30)}»`,
    `Cookie: "session2=«${run(20)}»"`,
    `Cookie: 'a=«${run(20)}»'`,
    `Cookie: pathway=«${run(20)}»; domain=${run(20)}`,
    'curl -u ann:your-own-22 x',
    'curl -u ann:xxxx x',
    'curl -u ann:12345678 x',
    'curl -u ann:«ab*c%22» x',
    'docker login -p example22 x',
    `biscuit: a=${run(20)}; path=/`,
  ])('%s', check)

  it('is everything under data in a manifest of Kubernetes, and nothing else', () => {
    const manifest = (kind: string, value: string) =>
      `kind: ${kind}\nmetadata:\n  name: app\ndata:\n  user: ${value}\n  "a.b": ${value}\ntype: Opaque\n`
    check(manifest('Secret', '«YWRh»'))
    check(manifest('"Secret"', '«YWRh»'))
    check(manifest('SecretList', 'YWRh'))
    check(manifest('Secret', 'YWR'))
    check(manifest('Secret', `$DATA`))
    check('kind: Secret\ndata: \n  user:  «YWRh»\n  pass:«YWRh»\n')
    check('kind: Secret\r\nstringData:\r\n  user: «Ada L»\r\n')
  })
})

describe('a private key', () => {
  const body = `${run(64)}\n${run(40)}==`
  it.each([
    `«-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----»\nmore`,
    `«-----BEGIN PGP PRIVATE KEY BLOCK-----\n${body}\n-----END PGP PRIVATE KEY BLOCK-----» more`,
    `«-----BEGIN A B C D PRIVATE KEY-----\n${body}\n-----END A-----»`,
    `a «-----BEGIN RSA PRIVATE KEY-----\n${body}»\n\nMore words.`,
    `«-----BEGIN RSA PRIVATE KEY-----\n${run(64)}(cut) -----BEGIN PRIVATE KEY-----\n${run(9)}\n-----END PRIVATE KEY-----»!`,
    `«-----BEGIN PRIVATE KEY-----\n${run(9)}»-----\nand ${'words '.repeat(4_000)}-----END X-----`,
    `-----BEGIN PUBLIC KEY-----\n${run(64, 'abcd')}\n-----END PUBLIC KEY-----`,
  ])('%s', check)
})

describe('a random run', () => {
  it.each([
    `see «${run(30)}» there`,
    `see ${run(29)} there`,
    `see «${run(140)}» there`,
    `see «ab-${run(30)}» there`,
    `see ${run(30)}/x there`,
    `see ${run(30)}.x there`,
    `see «${run(30)}». There`,
    `see x.${run(30)} there`,
    `see ${run(36, 'a1b2c3d4e5f6g7h8i9')} there`,
    `see ${run(36, 'aBcDeFgHiJkLmNoP')} there`,
    `see ${run(36, 'A1B2C3D4E5F6G7H8')} there`,
    `see ${run(39, 'aB1cD2eF3gH4i')} there`, // 13 of them
    `see «${run(42, 'aB1cD2eF3gH4iJ')}» there`, // 14 are enough
    `see «acme_${run(30)}» there`,
    `see «Acme12-ab-cd-${run(30)}» there`,
    `${run(64)}`,
    `see item-${run(30)} there`,
    `see ${run(36, 'aB1cD2')} there`, // six characters again and again
    'see internationalization2ConfigurationHandlers there',
    `see msg_${run(30)} and toolu_${run(30)} there`,
    `see v12_${run(30)} and sha256_${run(30)} there`,
    `see Qm${run(44)} and bafy${run(44)} there`,
    `see sha256-${run(43)} there`,
    `id: ${run(30)}, "etag": "${run(30)}"`,
    `requestId=${run(30)}`,
    `x\n${run(64)}\ny`,
    `x\n«${run(63)}»\ny`,
    `x «${run(64)}» y`,
    `see «abc_${run(40, HEX)}» there`,
    `see abc_${run(39, HEX)} there`,
    `see a_${run(40, HEX)} there`,
    `see abc_${run(41, HEX)} there`,
    `see abc_${run(40, '0a1b2c3')} there`,
    `see sha1_${run(40, HEX)} and rev_${run(40, HEX)} there`,
  ])('%s', check)
})

describe('what looks like a key in a failure', () => {
  it.each([
    ['sk-abcdefgh is wrong', '[redacted:key] is wrong'],
    ['sk-abcdefg is wrong', 'sk-abcdefg is wrong'],
    ['pk_abcd****efgh', '[redacted:key]'],
    ['key-abc…defgh', '[redacted:key]'],
    ['task-abcdefgh', 'task-abcdefgh'],
    [`AIza${run(20, 'abcdefgh')}`, '[redacted:key]'],
    [`AIza${run(19, 'abcdefgh')}`, `AIza${run(19, 'abcdefgh')}`],
    ['Basic abcdefgh', '[redacted:key]'],
    ['Basic  abcdefgh', '[redacted:key]'],
    ['Basic abcdefg', 'Basic abcdefg'],
    ['http://abc@host/x', 'http://[redacted:key]@host/x'],
    ['http://abc/x@host', 'http://abc/x@host'],
    ['?key=abc&x=1', '?key=[redacted:key]&x=1'],
    ['&access_token=abc "x"', '&access_token=[redacted:key] "x"'],
    ['?api-key=abc', '?api-key=[redacted:key]'],
    ['?monkey=abc', '?monkey=abc'],
  ])('%s', (text, clean) => {
    expect(redactFailure(text, [])).toBe(clean)
  })
})
