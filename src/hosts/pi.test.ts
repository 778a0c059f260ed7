// The extension for pi: the compaction that it hands over, what of the user it keeps, and pi's own where it fails.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plugin } from './pi.ts'

type Api = Parameters<ReturnType<typeof plugin>>[0]
type OnCompact = Parameters<Api['on']>[1]
type Tool = Parameters<Api['registerTool']>[0]
type Entry = Record<string, unknown> & { id: string }

const RULE = 'Never touch the migrations folder.'
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-pi-'))
  vi.stubEnv('PRECIS_HOME', folder)
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** A rule, then rounds with a call and a long result each. */
function entriesOf(rounds: number): Entry[] {
  const messages: object[] = [{ role: 'user', content: `${RULE} Then mend the build.` }]
  for (let at = 0; at < rounds; at += 1) {
    const call = {
      type: 'toolCall',
      id: `c${at}`,
      name: 'bash',
      arguments: { command: `make t${at}` },
    }
    const text = Array.from({ length: 200 }, (_, n) => `t${at} line ${n}`).join('\n')
    messages.push({ role: 'assistant', content: [call], provider: 'dev', model: 'dev-1' })
    messages.push({ role: 'toolResult', toolCallId: `c${at}`, content: [{ type: 'text', text }] })
  }
  return messages.map((message, at) => ({
    ...{ type: 'message', id: `m${at}`, parentId: at === 0 ? null : `m${at - 1}`, message },
  }))
}

function loaded() {
  let onCompact: OnCompact | undefined
  let tool: Tool | undefined
  plugin()({
    on: (_, handler) => {
      onCompact = handler
    },
    registerTool: (given) => {
      tool = given
    },
  })
  if (!onCompact || !tool) throw new Error('nothing was registered')
  return { onCompact, tool }
}

function contextOf(entries: readonly Entry[]) {
  const getHeader = () => ({ type: 'session', version: 3, id: 's', cwd: folder })
  const sessionManager = { getHeader, getEntries: () => entries, getSessionFile: () => undefined }
  return { cwd: folder, model: { contextWindow: 32_000 }, sessionManager }
}

function eventOf(
  branchEntries: readonly Entry[],
  firstKeptEntryId: string,
  customInstructions = '',
) {
  const settings = { reserveTokens: 6_000, keepRecentTokens: 4_000 }
  const preparation = { firstKeptEntryId, tokensBefore: 30_000, settings }
  return { preparation, branchEntries, customInstructions, signal: new AbortController().signal }
}

describe('the extension for pi', () => {
  it('hands over a brief of what goes, with the rules and instructions of the user', async () => {
    const entries = entriesOf(20)
    const { onCompact } = loaded()
    const event = eventOf(entries, 'm31', 'Keep the names of targets.')
    const { compaction } = (await onCompact(event, contextOf(entries))) ?? {}
    expect(compaction).toMatchObject({ firstKeptEntryId: 'm31', tokensBefore: 30_000 })
    const summary = compaction?.summary ?? ''
    expect(summary).toMatch(/^\[Context note/)
    expect(summary).toContain(RULE)
    expect(summary).toContain('make t14')
    expect(summary).not.toContain('make t15') // pi keeps it
    expect(summary).toContain(
      '## What the user asked of this compaction\nKeep the names of targets.',
    )
  })

  it('keeps the rules and the instructions of before in the next one, and no brief in a brief', async () => {
    const first = entriesOf(20)
    const { onCompact } = loaded()
    const one = await onCompact(eventOf(first, 'm31', 'Keep the names.'), contextOf(first))
    const compaction = { ...one?.compaction, type: 'compaction', id: 'k1', parentId: 'm40' }
    const more = entriesOf(40).slice(41)
    const second = [
      ...first,
      compaction,
      ...more.map((entry, at) => (at === 0 ? { ...entry, parentId: 'k1' } : entry)),
    ]
    const two = await onCompact(eventOf(second, 'm71'), contextOf(second))
    const summary = two?.compaction.summary ?? ''
    expect(summary.match(/\[Context note/g)).toHaveLength(1)
    expect(summary).toContain(RULE)
    expect(summary).toContain('make t34')
    expect(summary).toContain('Keep the names.')
    const asked = async (...instructions: string[]) => {
      const details = { by: 'precis', instructions }
      const entries = [...first, { ...compaction, details }]
      const made = await onCompact(eventOf(entries, 'm31', 'Keep the names.'), contextOf(entries))
      return made?.compaction.details.instructions
    }
    expect(await asked('Keep the names.', 'Keep dates.')).toEqual([
      'Keep dates.',
      'Keep the names.',
    ])
  })

  it('makes the brief from the branch that the user went back to, not from the last one written', async () => {
    const { onCompact } = loaded()
    const branch = entriesOf(20)
    const left = ['Use MongoDB. Never use SQL.', 'Add the shards.'].map((content, at) => ({
      ...{ type: 'message', id: `x${at}`, parentId: at === 0 ? 'm2' : 'x0' },
      message: { role: 'user', content },
    }))
    const made = await onCompact(eventOf(branch, 'm31'), contextOf([...branch, ...left]))
    const summary = made?.compaction.summary ?? ''
    expect(summary).toContain('make t14')
    expect(summary).not.toContain('make t15')
    expect(summary).not.toMatch(/MongoDB|SQL|shards/)
    const alone = await onCompact(eventOf(branch, 'm31'), contextOf(branch))
    expect(summary).toBe(alone?.compaction.summary)
  })

  it('leaves the compaction to pi where the first entry to keep is not on the branch', async () => {
    const { onCompact } = loaded()
    const entries = entriesOf(20)
    expect(await onCompact(eventOf(entries, 'gone'), contextOf(entries))).toBeUndefined()
    expect(readFileSync(join(folder, 'host-failures.log'), 'utf8')).toMatch(/ plugin pi .*gone/)
  })

  it('recalls what was compacted, by words and by the ref of a find', async () => {
    const { tool } = loaded()
    const ask = async (input: object) => {
      const answer = await tool.execute('c', input, undefined, undefined, contextOf(entriesOf(9)))
      return answer.content[0]?.text ?? ''
    }
    const [, ref = ''] = /^- (e\d+) /m.exec(await ask({ query: 't7 line 150' })) ?? []
    expect(await ask({ ref })).toContain('t7 line 150')
    expect(await ask({})).toContain('give either `query` or `ref`')
  })

  it('leaves the compaction to pi where it fails, and writes down why', async () => {
    const { onCompact } = loaded()
    const entries = entriesOf(3)
    const context = contextOf(entries)
    const getEntries = () => {
      throw new Error('the session is gone')
    }
    const broken = { ...context, sessionManager: { ...context.sessionManager, getEntries } }
    expect(await onCompact(eventOf(entries, 'm3'), broken)).toBeUndefined()
    const log = readFileSync(join(folder, 'host-failures.log'), 'utf8')
    expect(log).toMatch(/ plugin pi .*the session is gone\n$/)
  })
})
