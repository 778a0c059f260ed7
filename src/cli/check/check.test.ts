// `precis check` as people run it: a process, its streams, its exit code, and the files it leaves.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runPrecis } from '../../../test/cli/run.ts'
import { PROFILES } from '../../validate/validate.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../../../samples/session.json', import.meta.url))

const tools = [{ name: 'read', input_schema: { type: 'object' } }]
const use = { type: 'tool_use', id: 'a', name: 'read', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' }
const round = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: [use] },
  { role: 'user', content: [result] },
]
const FILES: Readonly<Record<string, unknown>> = {
  'good.json': { model: 'm', max_tokens: 9, tools, messages: round },
  'bad.json': {
    model: 'm',
    max_tokens: 9,
    tools,
    messages: [round[0], round[1], { role: 'user', content: [{ type: 'text', text: 'and?' }] }],
  },
  'history.json': [...round, { role: 'assistant', content: 'done' }],
  'open.json': {
    model: 'm',
    max_tokens: 9,
    messages: round.concat({ role: 'assistant', content: 'x ' }),
  },
  'marks.json': {
    model: 'm',
    betas: [],
    messages: [{ role: 'user', content: [{ type: 'compaction', content: 'c', signature: 's' }] }],
  },
  'chat.json': { model: 'm', messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
  'items.json': {
    model: 'm',
    input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }],
  },
  'stored.json': {
    model: 'm',
    previous_response_id: 'resp_1',
    input: [{ type: 'message', role: 'user', content: [] }],
  },
  'contents.json': { contents: [{ role: 'model', parts: [{ text: 'a' }] }] },
  'plain.json': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  'nothing.json': { model: 'm' },
  'named.json': {
    model: 'm',
    max_tokens: 9,
    tools: [{ name: 'read file', input_schema: { type: 'object' } }],
    tool_choice: { type: 'tool', name: 'read file' },
    messages: [{ role: 'user', content: 'hi' }],
  },
  'shape.json': { messages: 7 },
  'waiting.json': { messages: [round[0], round[1]] },
  'text.txt': 'not JSON',
}

const GEMINI_FIELDS = { generationConfig: { temperature: 0.5 } }
const chatCall = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }
const itemCall = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' }
const partCall = { functionCall: { name: 'read', args: {} }, thoughtSignature: 's' }

interface Broken {
  readonly format: string
  readonly broken: string
  readonly fields?: object
  readonly list: string
  readonly items: readonly object[]
  readonly change: RegExp
  readonly others: readonly string[]
}
/** Each format with a call that nobody answered, and with a result that answers nothing. */
const BROKEN: readonly Broken[] = [
  {
    format: 'anthropic',
    broken: 'no result',
    fields: { max_tokens: 9, tools },
    list: 'messages',
    items: [round[0], round[1], { role: 'user', content: 'and?' }] as object[],
    change: /aborted-call +messages\[1\]\.content\[0\]/,
    others: ['gemini'],
  },
  {
    format: 'anthropic',
    broken: 'no call',
    fields: { max_tokens: 9, tools },
    list: 'messages',
    items: [{ role: 'user', content: [result] }],
    change: /orphan-result +messages\[0\]\.content\[0\]/,
    others: ['openai-responses'],
  },
  {
    format: 'openai-chat',
    broken: 'no result',
    fields: { max_completion_tokens: 9 },
    list: 'messages',
    items: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [chatCall] },
      { role: 'user', content: 'and?' },
    ],
    change: /aborted-call +messages\[2\]\.tool_calls\[0\]/,
    others: ['anthropic', 'openai-responses'],
  },
  {
    format: 'openai-chat',
    broken: 'no call, and an unknown role',
    list: 'messages',
    items: [
      { role: 'human', content: 'go' },
      { role: 'tool', tool_call_id: 'x', content: 'y' },
    ],
    change: /orphan-result +messages\[1\]/,
    others: ['gemini'],
  },
  {
    format: 'openai-responses',
    broken: 'no output',
    fields: { instructions: 'be brief', store: false },
    list: 'input',
    items: [{ role: 'user', content: 'go' }, itemCall, { role: 'user', content: 'and?' }],
    change: /aborted-call +input\[1\]/,
    others: ['anthropic', 'mistral'],
  },
  {
    format: 'openai-responses',
    broken: 'no call, and an empty message',
    list: 'input',
    items: [
      { type: 'message', role: 'user', content: [] },
      { type: 'function_call_output', call_id: 'x', output: 'y' },
    ],
    change: /orphan-result +input\[1\]/,
    others: ['gemini'],
  },
  {
    format: 'gemini',
    broken: 'no response',
    list: 'contents',
    items: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [partCall] },
      { role: 'user', parts: [{ text: 'and?' }] },
    ],
    change: /aborted-call +contents\[1\]\.parts\[0\]/,
    others: ['bedrock', 'openai-chat'],
  },
  {
    format: 'gemini',
    broken: 'no call, and no parts',
    list: 'contents',
    items: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'y' } } }] },
    ],
    change: /orphan-result +contents\[2\]\.parts\[0\]/,
    others: ['anthropic'],
  },
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-check-'))
  for (const [name, value] of Object.entries(FILES))
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function precis(args: readonly string[], input = '') {
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  return runPrecis(['check', ...args], { cwd: folder, environment, input })
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const left = () => readdirSync(folder).filter((name) => !(name in FILES))

describe('precis check', () => {
  it('finds nothing wrong with the sample session, and writes nothing', async () => {
    const { status, stdout, stderr } = await precis([SAMPLE, '--provider', 'anthropic'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Every rule is kept')
    expect(left()).toEqual([])
  })

  it('lets a history end with a call that waits for its result', async () => {
    expect((await precis(['waiting.json', '--provider', 'anthropic'])).status).toBe(0)
  })

  it('prints the id, the place and the message of each broken rule, and fails', async () => {
    const { status, stdout, stderr } = await precis(['bad.json', '--provider', 'anthropic'])
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^ {2}VALID-A4 {2}messages\[1\]\.content\[0\] {2}the next message has no result of the call a$/m,
    )
    expect(stderr).toBe(
      'precis: a rule is broken: anthropic would refuse it\n  where: bad.json\n  hint: --repair FILE writes a valid copy and lists the changes.\n',
    )
  })

  it('gives the report as JSON', async () => {
    const { status, stdout, stderr } = await precis([
      'bad.json',
      '--provider',
      'anthropic',
      '--json',
    ])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      input: { source: 'bad.json', format: 'anthropic', kind: 'request' },
      provider: 'anthropic',
      violations: [
        {
          id: 'VALID-A4',
          where: 'messages[1].content[0]',
          message: 'the next message has no result of the call a',
        },
      ],
    })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'invalid-request',
      details: { violations: 1 },
    })
  })

  it('writes a repaired copy for its owner, lists the changes, and is content with it', async () => {
    const args = ['bad.json', '--provider', 'anthropic', '--repair', 'mended.json']
    const { status, stdout, stderr } = await precis(args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(
      /^ {2}aborted-call {2}messages\[1\]\.content\[0\] {2}the call a has no result; it is answered as aborted$/m,
    )
    expect(stdout).toContain('Written to mended.json.')
    expect(JSON.parse(read('mended.json')).messages[2].content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'a',
      content: 'The call was interrupted and has no result.',
      is_error: true,
    })
    expect(statSync(join(folder, 'mended.json')).mode & 0o777).toBe(0o600)
    expect(read('bad.json')).toBe(JSON.stringify(FILES['bad.json']))
    expect((await precis(['mended.json', '--provider', 'anthropic'])).status).toBe(0)
  })

  it('works as a filter', async () => {
    const args = ['-', '--provider', 'anthropic', '--repair', '-']
    const { status, stdout, stderr } = await precis(args, read('bad.json'))
    expect(status).toBe(0)
    expect(stderr).toContain('aborted-call')
    expect(await precis(args, stdout)).toMatchObject({ status: 0, stdout })
  })

  it('copies what needs no repair byte for byte', async () => {
    const { status, stdout } = await precis([
      'good.json',
      '--provider',
      'anthropic',
      '--repair',
      'copy.json',
    ])
    expect(status).toBe(0)
    expect(stdout).toContain('Nothing had to be changed.')
    expect(read('copy.json')).toBe(read('good.json'))
  })

  it('lets a history end with an answer and leave its tools undefined, but not a request', async () => {
    expect((await precis(['history.json', '--provider', 'anthropic'])).status).toBe(0)
    const { status, stdout } = await precis(['open.json', '--provider', 'anthropic', '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout).violations.map(({ id }: { id: string }) => id)).toEqual([
      'VALID-A10',
      'VALID-A8',
    ])
    const repaired = await precis([
      'open.json',
      '--provider',
      'anthropic',
      '--repair',
      'mended.json',
    ])
    expect(repaired.status).toBe(0)
    expect(JSON.stringify(JSON.parse(read('mended.json')).messages)).toContain('[call of read: {}]')
  })

  it('fails where the copy still breaks a rule, and says which', async () => {
    const args = ['marks.json', '--provider', 'anthropic', '--repair', 'mended.json']
    const { status, stdout, stderr } = await precis(args)
    expect(status).toBe(1)
    expect(stdout).toContain('One broken rule by the copy')
    expect(stderr).toContain('a rule is broken by the repaired copy')
  })

  it.each(['bedrock', 'mistral', 'openai-responses', 'gemini'])(
    'checks a history for %s',
    async (name) => {
      expect(await precis([SAMPLE, '--provider', name])).toMatchObject({ status: 0, stderr: '' })
    },
  )

  it('judges a document by its own format first, whatever a writer would make of it', async () => {
    const { status, stdout, stderr } = await precis(['bad.json', '--provider', 'openai-chat'])
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /One broken rule of the format anthropic:\n {2}VALID-A4 {2}messages\[1\]\.content\[0\] /,
    )
    expect(stdout).toContain('What would be sent to openai-chat keeps every rule.')
    expect(stderr).toMatch(
      /^precis: a rule is broken: it is not a valid anthropic request\n.*bad\.json/,
    )
    const asJson = await precis(['bad.json', '--provider', 'openai-chat', '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      violations: [{ id: 'VALID-A4', where: 'messages[1].content[0]' }],
      sent: { violations: [] },
    })
  })

  it('repairs a document for a provider of another format, in its own format', async () => {
    const args = ['bad.json', '--provider', 'openai-chat', '--repair', 'mended.json']
    const { status, stdout } = await precis(args)
    expect(status).toBe(0)
    expect(stdout).toContain('aborted-call')
    for (const provider of ['openai-chat', 'anthropic'])
      expect(await precis(['mended.json', '--provider', provider])).toMatchObject({ status: 0 })
  })

  it('renames a tool wherever the request names it', async () => {
    const args = ['named.json', '--provider', 'anthropic', '--repair', 'mended.json']
    expect((await precis(args)).status).toBe(0)
    expect(JSON.parse(read('mended.json'))).toMatchObject({
      tools: [{ name: 'read_file' }],
      tool_choice: { name: 'read_file' },
    })
  })

  const own: readonly (readonly [string, string, string])[] = [
    ['chat.json', 'openai-chat', 'VALID-C2'],
    ['items.json', 'openai-responses', 'VALID-R1'],
    ['contents.json', 'gemini', 'VALID-G1'],
  ]
  it.each(own)('tells the format of %s, with --format or without', async (file, format, rule) => {
    for (const from of [[], ['--format', format]]) {
      const { status, stdout } = await precis([file, '--provider', format, ...from, '--json'])
      expect(status).toBe(1)
      const report = JSON.parse(stdout)
      expect(report.input).toEqual({ source: file, format, kind: 'request' })
      expect(report.violations.map(({ id }: { id: string }) => id)).toContain(rule)
    }
  })

  it.each(BROKEN)('repairs a document in the format $format: $broken', async (given) => {
    const { format, list, items, change, others } = given
    const fields = format === 'gemini' ? GEMINI_FIELDS : { model: 'm', ...given.fields }
    writeFileSync(join(folder, 'broken.json'), JSON.stringify({ ...fields, [list]: items }))
    const provider = ['--provider', format]
    expect((await precis(['broken.json', ...provider])).status).toBe(1)
    const repaired = await precis(['broken.json', ...provider, '--repair', 'mended.json'])
    expect(repaired).toMatchObject({ status: 0, stderr: '' })
    expect(repaired.stdout).toMatch(change)
    expect(JSON.parse(read('mended.json'))).toMatchObject(fields)
    expect((await precis(['mended.json', ...provider])).stdout).toContain('Every rule is kept')
    for (const other of others) {
      expect((await precis(['broken.json', '--provider', other])).stdout).toMatch(
        new RegExp(`broken rules? of the format ${format}:`),
      )
      // A copy of plain words alone could be of another format.
      const args = ['mended.json', '--provider', other, '--format', format]
      expect(await precis(args)).toMatchObject({ status: 0, stderr: '' })
    }
  })

  it('takes the old name --from, and the format of a session file', async () => {
    const provider = ['--provider', 'openai-chat']
    const old = await precis(['chat.json', ...provider, '--from', 'openai-chat', '--json'])
    expect(JSON.parse(old.stdout).input.format).toBe('openai-chat')
    const sample = join(ROOT, 'samples/session.jsonl')
    const named = await precis([sample, ...provider, '--format', 'claude-code', '--json'])
    expect(JSON.parse(named.stdout).input).toMatchObject({ format: 'claude-code', kind: 'session' })
    const other = await precis([sample, ...provider, '--format', 'codex'])
    expect(other.status).toBe(1)
    expect(other.stderr).toContain('codex')
  })

  it('takes a document that could be of either format for the one that is said', async () => {
    const formats = [[], ['--format', 'anthropic'], ['--format', 'openai-chat']]
    for (const from of formats) {
      expect((await precis(['plain.json', '--provider', 'openai-chat', ...from])).status).toBe(0)
    }
  })

  const failures: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no file', ['--provider', 'anthropic'], 2, /no input file/],
    ['no provider', ['good.json'], 2, /required option '--provider <name>' not specified/],
    [
      'an unknown provider',
      ['good.json', '--provider', 'antropic'],
      2,
      /Unknown provider: antropic\n.*\n.*Did you mean anthropic\? Known providers: anthropic, /,
    ],
    [
      'an unknown format',
      ['good.json', '--provider', 'anthropic', '--format', 'openai'],
      1,
      /Unknown format: openai\n.*\n.*Known formats: anthropic, openai-chat, openai-responses, gemini, claude-code, /,
    ],
    [
      'an Anthropic document as chat',
      ['good.json', '--provider', 'openai-chat', '--format', 'openai-chat'],
      1,
      /the document is not in the format openai-chat: it looks like anthropic/,
    ],
    [
      'a chat document as Anthropic’s',
      ['chat.json', '--provider', 'anthropic', '--format', 'anthropic'],
      1,
      /not in the format anthropic: it looks like openai-chat \(messages\[0\] has the role tool\)\n {2}where: chat\.json\n {2}hint: Pass --format openai-chat/,
    ],
    [
      'items as messages',
      ['items.json', '--provider', 'openai-chat', '--format', 'openai-chat'],
      1,
      /not in the format openai-chat: it looks like openai-responses \(it has `input`\)/,
    ],
    [
      'contents as items',
      ['contents.json', '--provider', 'openai-responses', '--format', 'openai-responses'],
      1,
      /not in the format openai-responses: it looks like gemini/,
    ],
    [
      'no conversation at all',
      ['nothing.json', '--provider', 'openai-responses', '--format', 'openai-responses'],
      1,
      /input: expected an array of input, got nothing/,
    ],
    [
      'a missing file',
      ['nowhere.json', '--provider', 'anthropic'],
      1,
      /there is no file nowhere\.json/,
    ],
    ['no JSON', ['text.txt', '--provider', 'anthropic'], 1, /the input is not JSON/],
    [
      'a session file that is named as a document',
      [join(ROOT, 'samples/session.jsonl'), '--provider', 'anthropic', '--format', 'anthropic'],
      1,
      /export \S+session\.jsonl --to anthropic --out messages\.json/,
    ],
    [
      'another shape',
      ['shape.json', '--provider', 'anthropic'],
      1,
      /messages: expected an array of messages, got the number 7\n {2}where: shape\.json, messages/,
    ],
    ['nothing on standard input', ['-', '--provider', 'anthropic'], 1, /the input is empty/],
    [
      'the input as the output',
      ['bad.json', '--provider', 'anthropic', '--repair', 'bad.json'],
      2,
      /the output is the input/,
    ],
    [
      'a folder that is not there',
      ['bad.json', '--provider', 'anthropic', '--repair', 'no/x.json'],
      1,
      /there is no directory no/,
    ],
    [
      'a repair of a request that goes on from a stored answer',
      ['stored.json', '--provider', 'openai-responses', '--repair', 'x'],
      2,
      /continues a stored response is incomplete\n {2}where: previous_response_id\n {2}hint: Put all items/,
    ],
  ]
  it.each(failures)('says what is wrong: %s', async (_, args, status, message) => {
    const failed = await precis(args)
    expect(failed).toMatchObject({ status, stdout: '' })
    expect(failed.stderr).toMatch(message)
    expect(left()).toEqual([])
  })

  it('lists the providers in its help', async () => {
    const { status, stdout } = await precis(['--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(Object.keys(PROFILES).join(', '))
  })

  it('lets nothing of the document control the terminal', async () => {
    const evil = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: '\u001b[2J' }] }]
    const { stdout, stderr } = await precis(['-', '--provider', 'anthropic'], JSON.stringify(evil))
    expect(stdout).toContain('VALID-A5')
    expect(stdout + stderr).not.toContain('\u001b')
  })
})
