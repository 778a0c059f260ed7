// `precis check` as people run it: a process, its streams, its exit code, and the files it leaves.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PROFILES } from '../validate/profiles.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../../samples/session.json', import.meta.url))

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
  'shape.json': { messages: 7 },
  'text.txt': 'not JSON',
}

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [PRECIS, 'check', ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
  })
  return { status, stdout, stderr }
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const left = () => readdirSync(folder).filter((name) => !(name in FILES))

describe('precis check', () => {
  it('finds nothing wrong with the sample session, and writes nothing', () => {
    const { status, stdout, stderr } = precis([SAMPLE, '--provider', 'anthropic'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Every rule is kept')
    expect(left()).toEqual([])
  })

  it('prints the id, the place and the message of each broken rule, and fails', () => {
    const { status, stdout, stderr } = precis(['bad.json', '--provider', 'anthropic'])
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^ {2}VALID-A4 {2}messages\[1\]\.content\[0\] {2}the next message has no result of the call a$/m,
    )
    expect(stderr).toBe(
      'precis: a rule is broken: anthropic would refuse it\n  where: bad.json\n  hint: --repair FILE writes a copy that keeps the rules, and says what was changed.\n',
    )
  })

  it('gives the report as JSON', () => {
    const { status, stdout, stderr } = precis(['bad.json', '--provider', 'anthropic', '--json'])
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
      remarks: [],
    })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'invalid-request',
      details: { violations: 1 },
    })
  })

  it('writes a repaired copy for its owner, lists the changes, and is content with it', () => {
    const args = ['bad.json', '--provider', 'anthropic', '--repair', 'mended.json']
    const { status, stdout, stderr } = precis(args)
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
    expect(precis(['mended.json', '--provider', 'anthropic']).status).toBe(0)
  })

  it('works as a filter', () => {
    const args = ['-', '--provider', 'anthropic', '--repair', '-']
    const { status, stdout, stderr } = precis(args, read('bad.json'))
    expect(status).toBe(0)
    expect(stderr).toContain('aborted-call')
    expect(precis(args, stdout)).toMatchObject({ status: 0, stdout })
  })

  it('copies what needs no repair byte for byte', () => {
    const { status, stdout } = precis([
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

  it('lets a history end with an answer and leave its tools undefined, but not a request', () => {
    expect(precis(['history.json', '--provider', 'anthropic']).status).toBe(0)
    const { status, stdout } = precis(['open.json', '--provider', 'anthropic', '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout).violations.map(({ id }: { id: string }) => id)).toEqual([
      'VALID-A10',
      'VALID-A8',
    ])
    const repaired = precis(['open.json', '--provider', 'anthropic', '--repair', 'mended.json'])
    expect(repaired.status).toBe(0)
    expect(JSON.stringify(JSON.parse(read('mended.json')).messages)).toContain('[call of read: {}]')
  })

  it('fails where the copy still breaks a rule, and says which', () => {
    const args = ['marks.json', '--provider', 'anthropic', '--repair', 'mended.json']
    const { status, stdout, stderr } = precis(args)
    expect(status).toBe(1)
    expect(stdout).toContain('One broken rule by the copy')
    expect(stderr).toContain('a rule is broken by the repaired copy')
  })

  it.each(['bedrock', 'mistral', 'openai-responses'])('checks a history for %s', (name) => {
    expect(precis([SAMPLE, '--provider', name])).toMatchObject({ status: 0, stderr: '' })
  })

  it('checks a request in the provider’s own format as it stands', () => {
    const args = ['chat.json', '--provider', 'openai-chat', '--from', 'openai-chat', '--json']
    const { status, stdout } = precis(args)
    expect(status).toBe(1)
    expect(JSON.parse(stdout).violations).toMatchObject([{ id: 'VALID-C2' }])
  })

  const failures: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no file', ['--provider', 'anthropic'], 2, /missing required argument 'file'/],
    ['no provider', ['good.json'], 2, /required option '--provider <name>' not specified/],
    [
      'an unknown provider',
      ['good.json', '--provider', 'antropic'],
      2,
      /Unknown provider: antropic\n.*\n.*Did you mean anthropic\? Known providers: anthropic, /,
    ],
    [
      'a provider that cannot be converted for',
      ['good.json', '--provider', 'gemini'],
      2,
      /cannot be converted for gemini yet[\s\S]*take one of anthropic, /,
    ],
    [
      'an unknown format',
      ['good.json', '--provider', 'anthropic', '--from', 'xml'],
      1,
      /Unknown format: xml/,
    ],
    [
      'a missing file',
      ['nowhere.json', '--provider', 'anthropic'],
      1,
      /there is no file nowhere\.json/,
    ],
    ['no JSON', ['text.txt', '--provider', 'anthropic'], 1, /the input is not JSON/],
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
      /there is no folder no/,
    ],
    [
      'a repair of another format',
      ['chat.json', '--provider', 'openai-chat', '--from', 'openai-chat', '--repair', 'x'],
      2,
      /cannot be repaired yet/,
    ],
  ]
  it.each(failures)('says what is wrong: %s', (_, args, status, message) => {
    const failed = precis(args)
    expect(failed).toMatchObject({ status, stdout: '' })
    expect(failed.stderr).toMatch(message)
    expect(left()).toEqual([])
  })

  it('lists the providers in its help', () => {
    const { status, stdout } = precis(['--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(Object.keys(PROFILES).join(', '))
  })

  it('lets nothing of the document control the terminal', () => {
    const evil = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: '\u001b[2J' }] }]
    const { stdout, stderr } = precis(['-', '--provider', 'anthropic'], JSON.stringify(evil))
    expect(stdout).toContain('VALID-A5')
    expect(stdout + stderr).not.toContain('\u001b')
  })
})
