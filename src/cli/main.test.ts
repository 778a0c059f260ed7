// The command as people run it: a process, its streams, its exit code, and the files it leaves.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../../samples/session.json', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-cli-'))
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} of a long result`)
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: lines.join('\n') }],
    },
    { role: 'assistant', content: 'done' },
  ]
  writeFileSync(join(folder, 'in.json'), JSON.stringify({ model: 'm', messages }))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function precis(args: readonly string[], options: { input?: string; env?: object } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PRECIS, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input: options.input ?? '',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      ...options.env,
    },
    maxBuffer: 64_000_000,
  })
  return { status, stdout, stderr }
}

/** Everything but the input: a failure must leave nothing behind. */
function left(): string[] {
  return readdirSync(folder).filter((name) => name !== 'in.json')
}

describe('precis', () => {
  it('says what it can do', () => {
    const help = precis(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('precis compact session.json --output smaller.json')
    expect(precis(['compact', '--help']).stdout).toContain('cat session.json | precis compact -')
    expect(precis([])).toMatchObject({ status: 2, stdout: '', stderr: help.stdout })
  })

  it('says its version', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    expect(precis(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('precis compact', () => {
  it('shows the sample session before and after, and writes nothing', () => {
    const { status, stdout, stderr } = precis(['compact', SAMPLE])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const name of [
      'system',
      'user',
      'answers',
      'thinking',
      'tool calls',
      'tool results',
      'total',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${name} +[\\d,]+`, 'm'))
    expect(stdout).toContain('█')
    expect(stdout).toContain('Largest drops:')
    expect(stdout).toContain('Nothing was written.')
    expect(stdout).not.toContain('\u001b')
    expect(left()).toEqual([])
  })

  it('writes the result to a file for its owner, and the report to standard output', () => {
    const { status, stdout } = precis(['compact', 'in.json', '--output', 'out.json'])
    expect(status).toBe(0)
    expect(stdout).toContain('Written to out.json.')
    const { model, messages } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))
    expect(model).toBe('m')
    expect(messages).toHaveLength(4)
    expect(messages[2].content[0].content).toBe(
      'line 0 of a long result\nline 1 of a long result\nline 2 of a long result\n[results truncated to save space.]',
    )
    expect(statSync(join(folder, 'out.json')).mode & 0o777).toBe(0o600)
    expect(left()).toEqual(['out.json'])
  })

  it('works as a filter', () => {
    const input = readFileSync(join(folder, 'in.json'), 'utf8')
    const { status, stdout, stderr } = precis(['compact', '-', '--output', '-'], { input })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).messages).toHaveLength(4)
    expect(stderr).toContain('What changed: 1 trimmed.')
    const again = precis(['compact', '--input', '-', '--output', '-'], { input: stdout })
    expect(again.stdout).toBe(stdout)
  })

  it('gives the report as JSON', () => {
    const { status, stdout, stderr } = precis(['compact', 'in.json', '--budget', '60%', '--json'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      input: { source: 'in.json', format: 'anthropic' },
      strategy: { id: 'trim-tool-results', origin: 'default' },
      before: { messages: 4 },
      after: { messages: 4 },
      changes: { trimmed: 1 },
      drops: [{ what: 'read' }],
      problems: [],
      output: null,
    })
    const total = (side: { categories: Record<string, number> }) =>
      Object.values(side.categories).reduce((sum, tokens) => sum + tokens, 0)
    expect(total(report.before)).toBe(report.before.tokens)
    expect(total(report.after)).toBe(report.after.tokens)
    expect(report.budgetTokens).toBe(Math.floor(report.before.tokens * 0.6))
    expect(report.after.tokens).toBeLessThanOrEqual(report.budgetTokens)
  })

  it('overwrites another file in place, through a link, and keeps its mode', () => {
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real', 'out.json'), 'old', { mode: 0o640 })
    symlinkSync(join('real', 'out.json'), join(folder, 'link.json'))
    expect(precis(['compact', 'in.json', '--output', 'link.json']).status).toBe(0)
    expect(readFileSync(join(folder, 'real', 'out.json'), 'utf8')).toContain('"messages"')
    expect(statSync(join(folder, 'real', 'out.json')).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(folder, 'real'))).toEqual(['out.json'])
  })

  it('takes the strategy from the settings and says from where', () => {
    mkdirSync(join(folder, '.precis'))
    writeFileSync(join(folder, '.precis', 'settings.json'), '{"strategy": "trim-tool-results"}')
    expect(precis(['compact', 'in.json']).stdout).toMatch(/\(project: .*settings\.json\)/)
    const flag = precis(['compact', 'in.json', '--strategy', 'trim-tool-results'])
    expect(flag.stdout).toContain('(flag: --strategy)')
    const env = precis(['compact', 'in.json'], { env: { PRECIS_STRATEGY: 'nope' } })
    expect(env).toMatchObject({ status: 1, stdout: '' })
    expect(env.stderr).toContain('Unknown compaction strategy: nope')
  })

  it('keeps quiet when the reader goes away', () => {
    const shell = `${process.execPath} ${PRECIS} compact ${SAMPLE} --output - | head -c 10`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{\n  "model' })
    expect(stderr).not.toMatch(/EPIPE|Error/)
  })
})

describe('failures', () => {
  const cases: readonly (readonly [string, readonly string[], number, string])[] = [
    ['a missing file', ['compact', 'nope.json'], 1, 'precis: there is no file nope.json'],
    ['a folder', ['compact', '.'], 1, 'precis: . is a folder'],
    ['no input', ['compact'], 2, 'precis: no input is given'],
    ['two inputs', ['compact', 'in.json', '--input', 'in.json'], 2, 'the input is given twice'],
    ['too many inputs', ['compact', 'in.json', 'b'], 2, "too many arguments for 'compact'"],
    [
      'an unknown command',
      ['compct'],
      2,
      "unknown command 'compct'\n  hint: Did you mean compact?",
    ],
    [
      'an unknown option',
      ['compact', 'in.json', '--outptu', 'x'],
      2,
      'hint: Did you mean --output?',
    ],
    ['an option without a value', ['compact', 'in.json', '--budget'], 2, 'argument missing'],
    [
      'an unknown strategy',
      ['compact', 'in.json', '--strategy', 'shrink'],
      1,
      'precis: Unknown compaction strategy: shrink\n  hint: Known strategies: trim-tool-results, summarize, ai-summarize',
    ],
    ['an unknown input format', ['compact', 'in.json', '--from', 'x'], 1, 'Unknown format: x'],
    [
      'an unknown output format',
      ['compact', 'in.json', '--to', 'x'],
      1,
      'hint: Known formats: anthropic',
    ],
    ['a budget of 0', ['compact', 'in.json', '--budget', '0'], 2, '--budget: "0" is no budget'],
    ['a budget below 0', ['compact', 'in.json', '--budget', '-5'], 2, '"-5" is no budget'],
    [
      'a budget that is no number',
      ['compact', 'in.json', '--budget', 'abc'],
      2,
      '"abc" is no budget',
    ],
    ['a budget above all', ['compact', 'in.json', '--budget', '101%'], 2, '"101%" is no budget'],
    [
      'output into no folder',
      ['compact', 'in.json', '--output', 'no/out.json'],
      1,
      'there is no folder no',
    ],
    [
      'output into a file',
      ['compact', 'in.json', '--output', 'in.json/x'],
      1,
      'there is no folder in.json',
    ],
    ['output to a folder', ['compact', 'in.json', '--output', '.'], 1, 'precis: . is a folder'],
    ['empty output', ['compact', 'in.json', '--output', ''], 2, '--output is empty'],
    [
      'output over the input',
      ['compact', 'in.json', '--output', './in.json'],
      2,
      'the output is the input',
    ],
  ]
  for (const [name, args, status, message] of cases)
    it(`${name}: exit ${status}, one message, nothing written`, () => {
      const before = readFileSync(join(folder, 'in.json'), 'utf8')
      const result = precis(args)
      expect(result).toMatchObject({ status, stdout: '' })
      expect(result.stderr).toContain(message)
      expect(result.stderr).toMatch(/^precis: [^\n]+\n( {2}(where|hint): [^\n]+\n)*$/)
      expect(left()).toEqual([])
      expect(readFileSync(join(folder, 'in.json'), 'utf8')).toBe(before)
    })

  const inputs: readonly (readonly [string, string | Buffer, string, string])[] = [
    ['an empty file', '', 'the input is empty', 'bad.json'],
    ['blanks', ' \n ', 'the input is empty', 'bad.json'],
    ['no JSON', 'hello', 'the input is not JSON', 'bad.json'],
    ['half a document', '{"messages": [', 'unexpected end of JSON', 'bad.json, line 1, column 15'],
    [
      'JSON Lines',
      '{"a":1}\n{"b":2}\n',
      'hint: It looks like JSON Lines',
      'bad.json, line 2, column 1',
    ],
    ['a number', '7', 'expected an object with `messages`', 'bad.json'],
    ['null', 'null', 'expected an object with `messages`', 'bad.json'],
    ['no messages', '{"a": 1}', 'messages: expected an array of messages', 'bad.json, messages'],
    [
      'a wrong role',
      '[{"role":"bot","content":""}]',
      'expected "user" or "assistant"',
      'messages[0].role',
    ],
    [
      'a wrong type deep inside',
      '[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":7}]}]',
      'expected a string, got the number 7',
      'bad.json, messages[1].content[1].id',
    ],
    [
      'binary',
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0]),
      'not text in UTF-8',
      'bad.json',
    ],
  ]
  for (const [name, content, message, where] of inputs)
    it(`bad input is located: ${name}`, () => {
      writeFileSync(join(folder, 'bad.json'), content)
      const { status, stdout, stderr } = precis(['compact', 'bad.json', '--output', 'out.json'])
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr).toContain(`where: ${where.startsWith('bad') ? where : `bad.json, ${where}`}\n`)
      expect(stderr).toContain('hint: ')
      expect(left()).toEqual(['bad.json'])
    })

  it('bad standard input is located as well', () => {
    const { status, stderr } = precis(['compact', '-'], { input: '[7]' })
    expect(status).toBe(1)
    expect(stderr).toContain('where: standard input, messages[0]')
  })

  it('refuses to write over the input under another name', () => {
    linkSync(join(folder, 'in.json'), join(folder, 'same.json'))
    const { status, stderr } = precis(['compact', 'in.json', '--output', 'same.json'])
    expect(status).toBe(2)
    expect(stderr).toContain('the output is the input')
  })

  it('says what cannot be made smaller, with the floor, the budget and the biggest parts', () => {
    const { status, stdout, stderr } = precis([
      'compact',
      'in.json',
      '--budget',
      '5',
      '--output',
      'out.json',
      '--json',
    ])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    const { error } = JSON.parse(stderr)
    expect(error).toMatchObject({ code: 'irreducible', details: { budget: 5 } })
    expect(error.details.floor).toBeGreaterThan(5)
    expect(error.details.biggest[0]).toMatchObject({ what: 'read', tokens: expect.any(Number) })
    expect(existsSync(join(folder, 'out.json'))).toBe(false)
  })

  it('tells failures as JSON when asked to', () => {
    const { status, stdout, stderr } = precis(['compact', 'nope.json', '--json'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'not-found',
        message: 'there is no file nope.json',
        where: 'nope.json',
        hint: 'Check the path; `-` reads standard input.',
        details: {},
      },
    })
  })

  it('says which setting is wrong, and in which file', () => {
    mkdirSync(join(folder, '.precis'))
    writeFileSync(join(folder, '.precis', 'settings.json'), '{"stratgy": "x"}')
    const { status, stderr } = precis(['compact', 'in.json'])
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /stratgy is no setting\n {2}where: .*settings\.json\n {2}hint: Did you mean strategy\?/,
    )
  })

  // Only some systems have a device that is always full.
  const full = existsSync('/dev/full') ? ['/dev/full'] : []
  it.each(full)('says that a full disk is full: %s', (device) => {
    const { status, stderr } = precis(['compact', 'in.json', '--output', device])
    expect(status).toBe(1)
    expect(stderr).toBe(
      `precis: ${device} cannot be written: the disk is full\n  hint: Make room there, or write to another disk.\n`,
    )
  })

  it.each(full)('says so of standard output as well: %s', (device) => {
    const shell = `${process.execPath} ${PRECIS} compact ${SAMPLE} --output - > ${device}`
    const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('standard output cannot be written: the disk is full')
  })

  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  const call = (input: string) => `{"type":"tool_use","id":"t","name":"read","input":${input}}`
  const said = (input: string) =>
    `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"b"},${call(input)}]}]`
  it.each([
    ['a deep input', said(deep), 'messages[1].content[1].input'],
    ['a deep input in a document', `{"messages":${said(deep)}}`, 'messages[1].content[1].input'],
    ['a number without end', said('{"x":1e999}'), 'messages[1].content[1].input.x'],
    ['a deep field beside the messages', `{"metadata":${deep},"messages":[]}`, 'metadata'],
  ])('locates what the log cannot hold: %s', (_, content, where) => {
    writeFileSync(join(folder, 'bad.json'), content)
    const { status, stdout, stderr } = precis(['compact', 'bad.json', '--output', 'out.json'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^precis: a value is nested too deep, or holds a number too large\n/)
    expect(stderr).toContain(`  where: bad.json, ${where}`)
    expect(stderr).toContain('  hint: ')
    expect(stderr).not.toMatch(/evt_|a row of the log/)
    expect(left()).toEqual(['bad.json'])
  })

  it.each(['o200k', 'chars4'])('refuses a counter it cannot measure with: %s', (counter) => {
    const given = precis(['compact', 'in.json', '--output', 'out.json'], {
      env: { PRECIS_COUNTER: counter },
    })
    expect(given).toMatchObject({ status: 2, stdout: '' })
    expect(given.stderr).toBe(
      `precis: precis compact cannot count with ${counter} yet\n  where: PRECIS_COUNTER\n  hint: Set counter to estimate for this command, or leave it out.\n`,
    )
    expect(left()).toEqual([])
    const estimate = precis(['compact', 'in.json'], { env: { PRECIS_COUNTER: 'estimate' } })
    expect(estimate.status).toBe(0)
  })
})
