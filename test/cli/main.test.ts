// The command as a whole: help, version, exit codes, colours, and failures that leave nothing behind.
import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { COMMAND_TABLE } from '../../src/cli/main.ts'
import { eachPlace, messages, PRECIS, ROOT, sample } from './place.ts'

/** They talk with a person until they are ended: there is no outcome to print. */
/** They speak with a person or another program, and print no result. */
const INTERACTIVE: ReadonlySet<string> = new Set(['chat', 'serve', 'mcp', 'hook'])

const place = eachPlace()
beforeEach(() => {
  place().write('in.json', messages())
})

describe('precis', () => {
  it('says what it can do, and its version', async () => {
    const help = await place().precis(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('precis compact session.jsonl --out smaller.jsonl')
    for (const [name] of COMMAND_TABLE) expect(help.stdout).toContain(`  ${name} `)
    expect(await place().precis([])).toMatchObject({ status: 2, stdout: '', stderr: help.stdout })
    expect(await place().precis(['help'])).toMatchObject({ status: 0, stdout: help.stdout })
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await place().precis(['--version'])).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  it.each(COMMAND_TABLE.map(([name]) => name))('has help with examples: %s', async (name) => {
    const { status, stdout, stderr } = await place().precis([name, '--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`Examples:\n(.*\n)*.*precis (completion )?${name}`))
    // Of a group, its commands say what they print.
    const isGroup = /^Commands:$/m.test(stdout)
    if (!INTERACTIVE.has(name) && !isGroup) expect(stdout).toContain('--json')
  })

  it('colours only a terminal, unless it is told otherwise', async () => {
    const compact = ['compact', 'in.json']
    const colour = '\u001b['
    expect((await place().precis(compact)).stdout).not.toContain(colour)
    expect((await place().precis(compact, { env: { FORCE_COLOR: '1' } })).stdout).toContain(colour)
    const both = await place().precis(compact, { env: { FORCE_COLOR: '0', NO_COLOR: '1' } })
    expect(both.stdout).not.toContain(colour)
  })

  it('keeps quiet when the reader goes away', () => {
    const shell = `${process.execPath} ${PRECIS} compact ${sample('session.json')} --out - | head -c 10`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', shell], {
      encoding: 'utf8',
      env: place().environment(),
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{\n  "model' })
    expect(stderr).not.toMatch(/EPIPE|Error/)
  })
})

describe('failures', () => {
  const cases: readonly (readonly [string, readonly string[], number, string])[] = [
    ['a missing file', ['compact', 'nope.json'], 1, 'precis: there is no file nope.json'],
    ['a folder without a session', ['compact', '.bin'], 1, 'precis: .bin holds no session'],
    [
      'no words',
      ['recall'],
      2,
      "precis: missing required argument 'query'\n  hint: See precis recall --help.",
    ],
    [
      'a folder for a server that is not there',
      ['serve', '--workspace', 'nowhere'],
      2,
      'nowhere does not exist.\n  where: --workspace\n  hint: Name an existing, readable directory',
    ],
    ['no input', ['compact'], 2, 'precis: no input'],
    ['two inputs', ['compact', 'in.json', '--input', 'in.json'], 2, 'the input is given twice'],
    [
      'an unknown command',
      ['compct'],
      2,
      "unknown command 'compct'\n  hint: Did you mean compact?",
    ],
    ['an unknown option', ['compact', 'in.json', '--outptu', 'x'], 2, 'hint: Did you mean --out?'],
    ['an option without a value', ['compact', 'in.json', '--budget'], 2, 'argument missing'],
    [
      'an unknown strategy',
      ['compact', 'in.json', '--strategy', 'sumarize'],
      2,
      'precis: Unknown compaction strategy: sumarize\n  where: --strategy\n  hint: Did you mean summarize? Known strategies: ',
    ],
    [
      'an unknown input format',
      ['compact', 'in.json', '--format', 'codx'],
      2,
      'Unknown format: codx\n  where: --format\n  hint: Did you mean codex? Known formats: ',
    ],
    ['an unknown output format', ['compact', 'in.json', '--to', 'x'], 2, 'Unknown format: x'],
    [
      'a format that is only read',
      ['compact', 'in.json', '--to', 'aider'],
      2,
      'précis reads the format aider but cannot write it',
    ],
    ['an unknown counter', ['compact', 'in.json', '--counter', 'x'], 2, 'Unknown counter: x'],
    [
      'a budget of 0',
      ['compact', 'in.json', '--budget', '0'],
      2,
      '--budget: "0" is not a valid budget',
    ],
    ['a budget below 0', ['compact', 'in.json', '--budget', '-5'], 2, '"-5" is not a valid budget'],
    ['a budget that is no number', ['compact', 'in.json', '--budget', 'abc'], 2, '"abc" is no'],
    [
      'a budget above all',
      ['compact', 'in.json', '--budget', '101%'],
      2,
      '"101%" is not a valid budget',
    ],
    [
      'output into no folder',
      ['compact', 'in.json', '--output', 'no/out.json'],
      1,
      'there is no directory no',
    ],
    [
      'output into a file',
      ['compact', 'in.json', '--out', 'in.json/x'],
      1,
      'a part of the path is a file',
    ],
    ['output to a folder', ['compact', 'in.json', '--out', '.'], 1, 'precis: . is a directory'],
    ['empty output', ['compact', 'in.json', '--output', ''], 2, '--output is empty'],
    ['output over the input', ['compact', 'in.json', '--out', './in.json'], 2, 'is the input'],
    ['two outputs', ['compact', 'in.json', '--out', 'a', '--output', 'b'], 2, 'are the same'],
    ['in place and out', ['compact', 'in.json', '--in-place', '--out', 'a'], 2, 'into the file'],
    ['standard input in place', ['compact', '-', '--in-place'], 2, 'cannot be replaced'],
    ['a dry run of it', ['compact', '-', '--dry-run'], 2, 'cannot be read again'],
    [
      'a dry run with output',
      ['compact', 'in.json', '--dry-run', '--out', 'a'],
      2,
      'writes nothing',
    ],
    ['an unknown proposal', ['compact', '--apply', 'prp_1', '--in-place'], 1, 'no proposal prp_1'],
    ['a path as a proposal', ['compact', '--apply', '../x', '--in-place'], 1, 'no proposal ../x'],
    ['more beside a proposal', ['compact', 'in.json', '--apply', 'x'], 2, 'cannot be given with'],
    ['an unknown thread', ['compact', 'thr_0'], 1, 'Thread thr_0 not found'],
    [
      'a thread with a format',
      ['compact', 'thr_0', '--format', 'pi'],
      2,
      '--format applies to files',
    ],
    ['inspect of nothing', ['inspect', 'nope'], 1, 'there is no file nope'],
    ['import of nothing', ['import', 'nope'], 1, 'there is no file nope'],
    ['export of nothing', ['export', 'nope'], 1, 'there is no file nope'],
    ['export over the input', ['export', 'in.json', '--out', 'in.json'], 2, 'is the input'],
    ['a fork of a file', ['fork', 'in.json'], 2, 'in.json is not a thread'],
    ['pins of a file', ['pins', 'in.json'], 2, 'precis compact FILE --pin TEXT'],
    ['undo of a file that is as it was', ['undo', 'in.json'], 1, 'precis has not replaced in.json'],
    ['redo of it', ['redo', 'in.json'], 1, 'precis has not replaced in.json'],
    ['diff without a compaction', ['diff', 'in.json'], 1, 'nothing was ever compacted in in.json'],
    ['no ref', ['show', 'x1', '--in', 'in.json'], 2, 'x1 is not a ref'],
    ['a ref of nothing', ['show', 'e1'], 2, 'e1 needs the thread or session that it belongs to'],
    ['a ref that is not there', ['show', 'e99', '--in', 'in.json'], 1, 'nothing under the ref e99'],
    ['an unknown shell', ['completion', 'tcsh'], 2, 'there is no completion for tcsh'],
  ]
  for (const [name, args, status, message] of cases)
    it(`${name}: exit ${status}, one message, nothing written`, async () => {
      const before = place().read('in.json')
      const result = await place().precis(args)
      expect(result.stderr).toContain(message)
      expect(result).toMatchObject({ status, stdout: '' })
      expect(result.stderr).toMatch(/^precis: [^\n]+\n( {2}(where|hint): [^\n]+\n)*$/)
      expect(place().left()).toEqual([])
      expect(place().read('in.json')).toBe(before)
    })

  it('refuses to write over the input under another name', async () => {
    linkSync(join(place().folder, 'in.json'), join(place().folder, 'same.json'))
    const { status, stderr } = await place().precis(['compact', 'in.json', '--out', 'same.json'])
    expect(status).toBe(2)
    expect(stderr).toContain('the output is the input')
    expect(stderr).toContain('--in-place')
  })

  it('tells failures as JSON when asked to', async () => {
    const { status, stdout, stderr } = await place().precis(['compact', 'nope.json', '--json'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'not-found',
        message: 'there is no file nope.json',
        where: 'nope.json',
        hint: 'Check the path, or take an id that precis sessions lists; `-` reads standard input.',
        details: {},
      },
    })
  })

  it('says which setting is wrong, and in which file', async () => {
    const own = join(place().folder, '.config', 'precis')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'settings.json'), '{"stratgy": "x"}')
    const { status, stderr } = await place().precis(['compact', 'in.json'])
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /stratgy is not a setting\n {2}where: .*settings\.json\n {2}hint: Did you mean strategy\?/,
    )
  })

  // Only some systems have a device that is always full.
  const full = existsSync('/dev/full') ? ['/dev/full'] : []
  it.each(full)('says that a full disk is full: %s', async (device) => {
    const { status, stderr } = await place().precis(['compact', 'in.json', '--out', device])
    expect(status).toBe(1)
    expect(stderr).toBe(
      `precis: ${device} cannot be written: the disk is full\n  hint: Make room there, or write to another disk.\n`,
    )
    const shell = `${process.execPath} ${PRECIS} compact ${sample('session.json')} --out - > ${device}`
    const piped = spawnSync('sh', ['-c', shell], { encoding: 'utf8', env: place().environment() })
    expect(piped.status).toBe(1)
    expect(piped.stderr).toContain('standard output cannot be written: the disk is full')
  })
})
