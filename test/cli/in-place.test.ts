// Files that are replaced: with a backup, undone byte for byte, and proposals that are applied exactly.
import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandReport } from '../../src/cli/compact/report.ts'
import { eachPlace, messages, sample } from './place.ts'

const place = eachPlace()
const TRIM = ['--strategy', 'trim-tool-results']

/** The session with the line ends and the mode that somebody's file may have. */
function given(): string {
  const text = readFileSync(sample('session.jsonl'), 'utf8')
  const name = place().write('s.jsonl', text.replace(/\n$/, ''))
  chmodSync(join(place().folder, name), 0o644)
  return text.replace(/\n$/, '')
}

describe('precis compact FILE --in-place', () => {
  it('replaces the file as a whole, and undo and redo swap it byte for byte', async () => {
    const original = given()
    const told = await place().json<CommandReport>(['compact', 's.jsonl', ...TRIM, '--in-place'])
    expect(told.result).toMatchObject({ written: 's.jsonl', inPlace: true })
    const replaced = place().read('s.jsonl')
    expect(replaced).not.toBe(original)
    expect(statSync(join(place().folder, 's.jsonl')).mode & 0o777).toBe(0o644)
    expect(place().left()).toEqual([])

    const difference = await place().json<{ removed: object[]; added: object[] }>([
      'diff',
      's.jsonl',
    ])
    expect(difference.removed.length).toBeGreaterThan(50)
    const { compactions } = await place().json<{ compactions: object[] }>(['inspect', 's.jsonl'])
    expect(compactions).toMatchObject([
      {
        by: 'precis',
        strategyId: 'trim-tool-results',
        before: told.before.total,
        after: told.after.total,
      },
    ])

    expect((await place().precis(['undo', 's.jsonl'])).stdout).toContain('s.jsonl is restored')
    expect(place().read('s.jsonl')).toBe(original)
    const twice = await place().precis(['undo', 's.jsonl'])
    expect(twice).toMatchObject({ status: 1, stdout: '' })
    expect(twice.stderr).toMatch(
      /nothing left to undo in s\.jsonl\n +hint: The file was compacted with trim-tool-results on \S+ \S+ and then restored\. precis redo s\.jsonl/,
    )
    expect((await place().precis(['redo', 's.jsonl'])).status).toBe(0)
    expect(place().read('s.jsonl')).toBe(replaced)
    const again = await place().precis(['redo', 's.jsonl'])
    expect(again).toMatchObject({ status: 1, stdout: '' })
    expect(again.stderr).toContain('precis undo s.jsonl reverts it')
    expect((await place().precis(['undo', 's.jsonl', '--json'])).status).toBe(0)
    expect(place().read('s.jsonl')).toBe(original)
  })

  it('leaves a file as it is in which there is nothing to do, and writes it as it was', async () => {
    const text = readFileSync(sample('sessions/claude-code.jsonl'), 'utf8')
    place().write('short.jsonl', text)
    const told = await place().json<CommandReport>(['compact', 'short.jsonl', '--in-place'])
    expect(told.result).toEqual({ written: null, inPlace: false })
    expect(place().read('short.jsonl')).toBe(text)
    expect((await place().precis(['undo', 'short.jsonl'])).stderr).toContain(
      'has not replaced short.jsonl',
    )
    await place().json(['compact', 'short.jsonl', '--out', 'out.jsonl'])
    expect(place().read('out.jsonl')).toBe(text)
  })

  it('goes back step by step', async () => {
    const original = place().read(place().write('in.json', messages()))
    await place().json(['compact', 'in.json', ...TRIM, '--in-place'])
    const once = place().read('in.json')
    await place().json([
      'compact',
      'in.json',
      '--strategy',
      'summarize',
      '--model',
      'dev',
      '--in-place',
    ])
    expect(place().read('in.json')).not.toBe(once)
    await place().precis(['undo', 'in.json'])
    expect(place().read('in.json')).toBe(once)
    await place().precis(['undo', 'in.json'])
    expect(place().read('in.json')).toBe(original)
  })

  it('refuses to take back what somebody has gone on with, and says where the backup is', async () => {
    const original = given()
    await place().json(['compact', 's.jsonl', ...TRIM, '--in-place'])
    appendFileSync(join(place().folder, 's.jsonl'), '{"type":"summary","summary":"later"}\n')
    const now = place().read('s.jsonl')
    const { status, stdout, stderr } = await place().precis(['undo', 's.jsonl'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('has changed since précis wrote it')
    expect(place().read('s.jsonl')).toBe(now)
    const [, backup = ''] = /(\/\S+\.before)/.exec(stderr) ?? []
    expect(readFileSync(backup, 'utf8')).toBe(original)
  })

  it('refuses a format that is only read, and one that would become another', async () => {
    place().write('chat.md', '# aider chat started at 2026-01-01 10:00:00\n\n#### hi\n\nhello\n')
    for (const args of [['chat.md'], ['chat.md', '--to', 'pi']]) {
      const { status, stderr } = await place().precis(['compact', ...args, '--in-place'])
      expect(status).toBe(2)
      expect(stderr).toContain('has the format aider, and would become')
    }
  })
})

describe('precis compact FILE --dry-run', () => {
  it('keeps its proposal, and --apply does exactly that', async () => {
    const original = given()
    const asked = ['--strategy', 'summarize', '--model', 'dev', '--pin', 'Keep this sentence.']
    const dry = await place().json<CommandReport>(['compact', 's.jsonl', ...asked, '--dry-run'])
    const { proposal = '' } = dry.result
    expect(proposal).toMatch(/^prp_\w+$/)
    expect(place().read('s.jsonl')).toBe(original)
    expect(place().left()).toEqual([])
    const kept = readdirSync(join(place().home, 'proposals'))
    expect(kept).toEqual([`${proposal}.json`])
    expect(statSync(join(place().home, 'proposals', `${proposal}.json`)).mode & 0o777).toBe(0o600)

    const unsaid = await place().precis(['compact', '--apply', proposal])
    expect(unsaid).toMatchObject({ status: 2, stdout: '' })
    expect(unsaid.stderr).toContain('--in-place or --out FILE')
    const done = await place().json<CommandReport>([
      'compact',
      '--apply',
      proposal,
      '--out',
      'out.jsonl',
    ])
    expect(done.strategy).toEqual({ id: 'summarize', origin: `proposal: ${proposal}` })
    // Nobody is asked again: the words are those of the proposal.
    expect(done.models).toEqual([])
    expect(done.after).toEqual(dry.after)
    expect(place().read('out.jsonl')).toContain('Keep this sentence.')
    await place().json(['compact', '--apply', proposal, '--in-place'])
    expect((await place().precis(['undo', 's.jsonl'])).status).toBe(0)
    expect(place().read('s.jsonl')).toBe(original)
  })

  it('is refused when the file has changed meanwhile', async () => {
    given()
    const dry = await place().json<CommandReport>(['compact', 's.jsonl', ...TRIM, '--dry-run'])
    appendFileSync(join(place().folder, 's.jsonl'), '\n')
    const { proposal = '' } = dry.result
    const { status, stdout, stderr } = await place().precis([
      'compact',
      '--apply',
      proposal,
      '--in-place',
    ])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('has changed since the proposal was created')
  })
})

describe('a file that its owner made read-only', () => {
  const locked = (name: string) => chmodSync(join(place().folder, name), 0o444)
  const refused = async (args: readonly string[], name: string, text: string) => {
    const { status, stderr } = await place().precis(args)
    expect(stderr).toContain(`${name} cannot be written: it is read-only`)
    expect(stderr).toContain('chmod u+w')
    expect(status).toBe(1)
    expect(place().read(name)).toBe(text)
    expect(statSync(join(place().folder, name)).mode & 0o777).toBe(0o444)
  }

  it('stays as it is where it was to be replaced, and no backup is kept', async () => {
    const original = given()
    locked('s.jsonl')
    await refused(['compact', 's.jsonl', ...TRIM, '--in-place'], 's.jsonl', original)
    expect((await place().precis(['undo', 's.jsonl'])).stderr).toContain('s.jsonl')
    chmodSync(join(place().folder, 's.jsonl'), 0o644)
    expect((await place().precis(['compact', 's.jsonl', ...TRIM, '--in-place'])).status).toBe(0)
  })

  it('is neither restored by undo nor written by compact and export with --force', async () => {
    given()
    await place().precis(['compact', 's.jsonl', ...TRIM, '--in-place'])
    const replaced = place().read('s.jsonl')
    locked('s.jsonl')
    await refused(['undo', 's.jsonl'], 's.jsonl', replaced)
    place().write('old.jsonl', 'mine')
    locked('old.jsonl')
    const out = ['--out', 'old.jsonl', '--force']
    await refused(['compact', 's.jsonl', ...TRIM, ...out], 'old.jsonl', 'mine')
    await refused(['export', 's.jsonl', ...out], 'old.jsonl', 'mine')
  })
})
