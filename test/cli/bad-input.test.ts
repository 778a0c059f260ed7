// Files that are not what they should be: a clear message, exit 1 or 2, and nothing written.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { NOBODY, requirement } from '../require.ts'
import { within } from '../wait.ts'
import { eachPlace, messages, PRECIS, sample } from './place.ts'

const place = eachPlace()
const { available, notice } = requirement('readable-checkout')
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const user = (content: string) =>
  `{"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","content":${content}}}`

/** Of another program. */
function notes(): Buffer {
  const db = new Sqlite(':memory:')
  db.exec('CREATE TABLE notes (text TEXT)')
  const bytes = db.serialize()
  db.close()
  return bytes
}

const inputs: readonly (readonly [string, string | Buffer, readonly string[], RegExp])[] = [
  ['an empty file', '', [], /the input is empty\n {2}where: bad\n/],
  ['blanks', ' \n ', [], /the input is empty\n {2}where: bad\n/],
  ['no JSON', 'hello', [], /the format of the file is unknown\n {2}where: bad\n/],
  [
    'a truncated document',
    '{"messages": [',
    [],
    /not JSON: .*\n {2}where: bad, line 1, column 15\n/,
  ],
  ['a truncated list', '[{"role":"us', [], /the input is not JSON/],
  [
    'another kind of JSON',
    '{"a": 1}',
    [],
    /format of the file is unknown.*\n.*\n {2}hint: .* --format, as in .* compact FILE --format anthropic\. Formats that are read: /,
  ],
  ['a number', '7', [], /format of the file is unknown/],
  ['lines of another kind', '{"a":1}\n{"b":2}\n', [], /format of the file is unknown/],
  [
    'binary',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0]),
    [],
    /not text in UTF-8\n {2}where: bad, line 1\n/,
  ],
  [
    'a database',
    notes(),
    [],
    /^precis: bad is a database, but not OpenCode's\n {2}hint: Give it a session file, or opencode\.db/,
  ],
  [
    'a damaged database',
    Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_096, 0xff)]),
    [],
    /^precis: bad begins as a SQLite database and is damaged\n {2}hint: Give it a session file, or opencode\.db/,
  ],
  [
    'the wrong format named',
    `${user('"hi"')}\n`,
    ['--format', 'codex'],
    /the file has no record of the format codex\n(.*\n)*.*It looks like claude-code/,
  ],
  [
    'a wrong role',
    '[{"role":"bot","content":""}]',
    ['--format', 'anthropic'],
    /expected "user" or "assistant".*\n {2}where: bad, messages\[0\]\.role/,
  ],
  [
    'a wrong type deep inside',
    '[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":7}]}]',
    [],
    /expected a string, got the number 7\n {2}where: bad, messages\[1\]\.content\[1\]\.id/,
  ],
  [
    'a deep input',
    `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":{"a":${nested(5_000)}}}]}]`,
    [],
    /nested too deep.*\n {2}where: bad, messages\[1\]\.content\[0\]\.input/,
  ],
  [
    'a number without end',
    `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":{"x":1e999}}]}]`,
    [],
    /where: bad, messages\[1\]\.content\[0\]\.input\.x/,
  ],
  [
    'a deep field beside the messages',
    `{"metadata":${nested(5_000)},"messages":[{"role":"user","content":"x"}]}`,
    [],
    /where: bad, metadata/,
  ],
  ['brackets without end', '['.repeat(2_000_000), [], /The JSON is nested too deeply/],
]

describe('a file that cannot be read', () => {
  it.each(inputs)('%s', async (_, content, args, message) => {
    place().write('bad', content)
    const { status, stdout, stderr } = await place().precis([
      'compact',
      'bad',
      ...args,
      '--out',
      'out',
    ])
    expect(stderr).toMatch(message)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^precis: [^\n]+\n( {2}(where|hint): [^\n]+\n)+$/)
    expect(stderr).not.toMatch(/evt_|a row of the log/)
    expect(place().left()).toEqual([])
  })

  it.each(['inspect', 'import', 'export', 'diff'])(
    'leaves nothing in the store or beside it: %s',
    async (command) => {
      place().write('bad', '{"messages": [{"role":"user","content":"hi"}, {"rol')
      const { status, stdout, stderr } = await place().precis([command, 'bad'])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain('where: bad')
      expect(await place().json(['threads'])).toEqual([])
      expect(place().left()).toEqual([])
    },
  )

  it('standard input is named as such', async () => {
    const { status, stderr } = await place().precis(['compact', '-', '--format', 'anthropic'], {
      input: '[7]',
    })
    expect(status).toBe(1)
    expect(stderr).toContain('where: standard input, messages[0]')
  })

  it('hostile lines do no harm: they are kept as text and named', async () => {
    const lines = [
      user('"hi"'),
      user(nested(200_000)),
      '{"type": oops}',
      user('"there"').replace('"u"', '"v"'),
    ]
    place().write('hostile.jsonl', `${lines.join('\n')}\n{"half`)
    const told = await place().json<{ messages: { before: number }; problems: string[] }>([
      ...['compact', 'hostile.jsonl', '--out', 'out.jsonl'],
    ])
    expect(told.messages.before).toBe(2)
    expect(told.problems.join('\n')).toMatch(
      /line 2: nested too deep[\s\S]*line 3: not JSON[\s\S]*line 5: the file ends/,
    )
    expect(place().read('out.jsonl')).toContain('{"type": oops}')
  })

  it('a folder, and a file inside of none', async () => {
    mkdirSync(join(place().folder, 'dir'))
    for (const [path, message] of [
      ['dir', 'dir holds no session'],
      ['dir/none/x', 'there is no file dir/none/x'],
    ] as const)
      expect(await place().precis(['inspect', path])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(message),
      })
    rmSync(join(place().folder, 'dir'), { recursive: true })
  })

  it.skipIf(!available)(`no permission: neither to read nor to write ${notice}`, () => {
    const { folder } = place()
    place().write('secret.json', messages())
    chmodSync(join(folder, 'secret.json'), 0o000)
    mkdirSync(join(folder, 'closed'), { mode: 0o500 })
    place().write('in.json', messages())
    chmodSync(join(folder, 'in.json'), 0o644)
    chmodSync(folder, 0o755)
    // For root nothing is forbidden: then somebody else tries.
    const somebody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [PRECIS, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: place().environment({ PRECIS_HOME: join(folder, 'closed', 'home') }),
        ...somebody,
      })
    expect(run('compact', 'secret.json')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /secret\.json cannot be read: EACCES.*\n.*Check that you may read it/,
      ),
    })
    expect(run('compact', 'in.json', '--out', 'closed/out.json')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/cannot be written: EACCES/),
    })
    expect(run('threads')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the data directory cannot be created'),
    })
    chmodSync(join(folder, 'closed'), 0o700)
  })

  it('reads a pipe once, and a session from it', () => {
    const shell = `${process.execPath} ${PRECIS} inspect <(cat ${sample('session.jsonl')}) --json`
    const { status, stdout } = spawnSync('bash', ['-c', shell], {
      encoding: 'utf8',
      env: place().environment(),
      maxBuffer: 64_000_000,
    })
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ input: { format: 'claude-code' } })
  })
})

describe('a file without end', () => {
  it('is refused early: many lines that say nothing', async () => {
    const path = join(place().folder, 'many.jsonl')
    const out = createWriteStream(path)
    for (let at = 0; at < 60; at += 1) out.write('{"type":"progress"}\n'.repeat(5_000))
    out.end()
    await within('the file to be written', once(out, 'finish'))
    const { status, stderr } = await place().precis([
      'import',
      'many.jsonl',
      '--format',
      'claude-code',
    ])
    expect(status).toBe(1)
    expect(stderr).toContain('hold no conversation of the format claude-code')
    expect((await place().precis(['import', 'many.jsonl'])).stderr).toContain(
      'format of the file is unknown',
    )
    expect(await place().json(['threads'])).toEqual([])
  })
})
