// The benchmark from end to end, on small sessions; and the page that shows its latest row.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EventDraft } from '../../src/core/log/event.ts'
import { blockOf } from '../report.ts'
import { retentionBlock } from './page.ts'
import { main } from './retention.ts'
import { latestRetentionRow, type RetentionRow } from './row.ts'
import { smallSession } from './small-session.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-retention-'))
  for (const seed of [1, 2, 3])
    writeFileSync(join(folder, `secret-name-${seed}.json`), chatText(smallSession({ seed })))
  writeFileSync(join(folder, 'broken.json'), '{"messages": [')
  writeFileSync(join(folder, 'notes.md'), 'nothing of the kind')
})

afterAll(() => rmSync(folder, { recursive: true }))

/** As Chat Completions has it. */
function chatText(drafts: readonly EventDraft[]): string {
  const messages = drafts.flatMap((draft): object[] => {
    if (draft.type === 'USER_MESSAGE') return [{ role: 'user', content: draft.data }]
    if (draft.type === 'TOOL_RESULT') {
      const content = draft.data.content.map(({ text }) => text).join('')
      return [{ role: 'tool', tool_call_id: draft.data.id, content }]
    }
    if (draft.type !== 'AGENT_MESSAGE') return []
    const calls = drafts.flatMap((other) =>
      other.type === 'TOOL_CALL' && draft.data.calls.includes(other.data.id)
        ? [
            {
              id: other.data.id,
              type: 'function',
              function: { name: other.data.name, arguments: JSON.stringify(other.data.arguments) },
            },
          ]
        : [],
    )
    return [{ role: 'assistant', content: draft.data.content, tool_calls: calls }]
  })
  return JSON.stringify({ messages })
}

function bench(...args: string[]) {
  const script = fileURLToPath(new URL('../run.ts', import.meta.url))
  const env = { ...process.env, PRECIS_CORPUS: '' }
  return spawnSync(process.execPath, [script, 'retention', ...args], { encoding: 'utf8', env })
}

describe('npm run bench -- retention', () => {
  it('measures the sessions of a folder, tells how far it is, and names no file in the row', () => {
    const { status, stdout, stderr } = bench(folder, '--json')
    expect(status, stderr).toBe(0)
    const row = JSON.parse(stdout) as RetentionRow
    expect(row).toMatchObject({ bench: 'retention', counter: 'estimate' })
    expect(row.sessions).toHaveLength(3)
    for (const { id, headlines } of row.sessions) {
      expect(id).toMatch(/^[0-9a-f]{12}$/)
      expect(headlines['10%']?.oracle).toBeGreaterThan(0.9)
    }
    expect(stdout).not.toContain('secret-name')
    expect(stderr).toContain('5 of 5')
    expect(stderr).toMatch(/broken\.json is left out/)
  })

  it('draws the same sessions and gives the same figures with any number of jobs', () => {
    const args = [folder, '--json', '--sessions', '2', '--policies', 'keep-last,random']
    const [one, two] = ['1', '2'].map((jobs) => {
      const { date: _, ...row } = JSON.parse(bench(...args, '--jobs', jobs).stdout)
      return row
    })
    expect(one.sessions).toHaveLength(2)
    expect(two).toEqual(one)
  })

  it('shows a table for each budget, and each session where it is asked to', () => {
    const policies = 'keep-last,mask-results,trim-tool-results'
    const { stdout } = bench(folder, '--policies', policies, '--each', '--counter', 'chars4')
    for (const budget of ['5%', '10%', '20%'])
      expect(stdout).toContain(`── ${budget}, 3 sessions ──`)
    expect(stdout).toMatch(/^trim-tool-results .*×\d\.\d\d, worse in \d/m)
    expect(stdout).toContain('secret-name-2.json')
    expect(stdout).toContain('3 sessions, 9 cuts, counted by chars4')
  })

  it('measures the strategies that a module exports', () => {
    const file = join(folder, 'strategy.ts')
    writeFileSync(file, `export const own = { id: 'own', propose: async () => ({ edits: [] }) }`)
    const { stdout } = bench(folder, '--policies', 'keep-last,own', '--with', file)
    expect(stdout).toMatch(/^own /m)
  })

  it.each([
    { args: ['--frob'], status: 2, says: '--frob' },
    { args: ['no/such/folder'], status: 2, says: 'There is no folder no/such/folder.' },
    { args: ['a', 'b'], status: 2, says: 'Give it one folder.' },
    { args: ['--policies', 'frob'], status: 2, says: 'There is no policy frob. Known: keep-last' },
    { args: ['--sessions', '0'], status: 2, says: '--sessions takes a number from 1.' },
    { args: ['--counter', 'frob'], status: 2, says: 'There is no counter frob.' },
    { args: ['--with', 'no/such.ts'], status: 2, says: 'no/such.ts cannot be imported' },
    { args: ['--with', 'biome.json'], status: 2, says: 'biome.json' },
    { args: ['--sessions', '3', '--write'], status: 2, says: 'Only a whole run' },
    {
      args: ['bench/results', '--policies', 'keep-last'],
      status: 1,
      says: 'no session to measure',
    },
  ])('answers $args with a sentence', async ({ args, status, says }) => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    expect(await main(args)).toBe(status)
    expect(told.mock.calls.join('')).toContain(says)
    expect(printed).not.toHaveBeenCalled()
  })

  it('asks for a folder where there is no corpus', () => {
    const answered = bench()
    expect(answered.stderr).toContain('Give it a folder, or set PRECIS_CORPUS.')
    expect(answered).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('docs/benchmarks.md', () => {
  it('shows the latest row', () => {
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
    expect(blockOf(page, 'retention')).toBe(retentionBlock(latestRetentionRow()))
  })

  it('has every strategy beside every baseline, and the list of identifiers at the bottom', () => {
    const { cells, differences } = latestRetentionRow()
    const baselines = new Set(differences.map(({ baseline }) => baseline))
    expect(baselines.size).toBeGreaterThanOrEqual(7)
    for (const budget of ['5%', '10%', '20%']) {
      const of = (policy: string) =>
        cells.find((cell) => cell.policy === policy && cell.budget === budget)?.headline.mean ?? 0
      for (const { policy } of cells.filter((cell) => cell.budget === budget))
        if (policy !== 'identifier-list') expect(of('identifier-list')).toBeLessThan(of(policy))
    }
  })
})
