// Golden: threads over a store: random work by two processes, undo and redo, search and recall, reports.
import { describe, it } from 'vitest'
import { renderReport } from '../../src/core/edit/report-text.ts'
import { buildDocument, buildSnippet, readParts } from '../../src/core/search/documents.ts'
import { queryWords } from '../../src/core/search/words.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { mask } from '../../src/strategies/mask.ts'
import { archiveOf } from '../../src/threads/archive.ts'
import { LiveWorld } from '../generate/live.ts'
import { testClock } from '../generate/test-log.ts'
import { digestOf, expectGolden, settledOf } from './golden.ts'
import { eventLine, itemLine, openSample, SAMPLES, type Sample, seeds } from './subjects.ts'

const QUERIES = [
  'test',
  'error in parser',
  'Read file',
  'migration 0001',
  'nothing of the kind',
  '設定',
]

async function viewOf({ threads, threadId }: Pick<Sample, 'threads' | 'threadId'>) {
  const { items, stack, undone, pops, active, tokens } = await threads.context(threadId)
  return {
    entries: items.toArray().map(itemLine).join('; '),
    tokens,
    standing: { stack, undone, pops, active },
    reading: await threads.reading(threadId),
    working: digestOf((await threads.getEvents(threadId)).map(eventLine)),
    all: digestOf((await threads.getAllEvents(threadId)).map(({ data }) => data)),
    messages: digestOf(await threads.messages(threadId)),
  }
}

async function found({ threads, store, threadId }: Sample) {
  const archive = archiveOf({ threads, store }, threadId)
  const rows: Record<string, unknown> = {}
  for (const query of QUERIES) {
    const { finds, ...counts } = await archive.search(query, 4)
    const lines = finds.map(
      ({ ref, speaker, isVisible, snippet }) =>
        `${ref} ${speaker}${isVisible ? ' visible' : ''}: ${snippet}`,
    )
    rows[query] = { ...counts, lines }
  }
  return rows
}

describe('threads', () => {
  it.each(SAMPLES)('are compacted, searched and restored: sample %s', async (name) => {
    const sample = await openSample(name)
    const { threads, store, threadId } = sample
    const archive = archiveOf({ threads, store }, threadId)
    const before = await viewOf(sample)
    const pinId = await threads.pin(threadId, { text: 'Never push to main.' })
    const pinning = { detect: true, patterns: ['*always*'] }
    const masked = await settledOf(threads.compact(threadId, mask, { pinning }))
    const targetTokens = Math.floor(((await threads.reading(threadId)).tokens ?? 0) * 0.5)
    const extracted = await settledOf(threads.compact(threadId, extract, { targetTokens }))
    const outcomes = [masked, extracted].map((outcome) =>
      'report' in outcome && outcome.report ? renderReport(outcome.report).split('\n') : outcome,
    )
    const compacted = await viewOf(sample)
    const { items } = await threads.context(threadId)
    const made = items.toArray().filter(({ id }) => id.startsWith('c'))
    const finds = await found(sample)
    const pages = []
    for (const { id } of made.slice(0, 3)) {
      pages.push(await settledOf(archive.read(id, 0, 200)))
      pages.push(await settledOf(archive.read(id, 150, 90)))
    }
    pages.push(await settledOf(archive.read('e2', 100_000_000, 10)))
    pages.push(
      await settledOf(archive.read('x2', 0, 10)),
      await settledOf(archive.read('t:e2', 0, 9)),
    )
    const pins = await threads.pins(threadId)
    const steps = []
    const last = made.at(-1)
    for (const act of [
      () => threads.undo(threadId),
      () => threads.redo(threadId),
      () => threads.expand(threadId, last?.id ?? 'c1.0'),
      () => threads.undo(threadId, 1),
      () => threads.unpin(threadId, pinId),
      () => threads.unpin(threadId, 'pin_nowhere'),
      () => threads.undo(threadId),
      () => threads.undo(threadId),
      () => threads.redo(threadId),
    ]) {
      const outcome = await settledOf(Promise.resolve(act()))
      const did = outcome && 'seq' in outcome ? eventLine(outcome) : outcome
      const { tokens, stack, undone } = await threads.context(threadId)
      steps.push({ did, tokens, stack, undone })
    }
    const forkId = await threads.fork(threadId, 3)
    const fork = await viewOf({ threads, threadId: forkId })
    const short = name === 'session' ? { entries: '' } : {}
    await expectGolden(`threads-sample-${name}`, {
      before: { ...before, ...short },
      outcomes,
      compacted: { ...compacted, entries: digestOf(compacted.entries) },
      pins,
      finds,
      pages,
      steps,
      fork,
    })
  })

  it.each(seeds(12))('shared by two processes, seed %i', async (seed) => {
    const world = await LiveWorld.begin(seed, memoryStore(testClock()))
    for (let step = 0; step < 25; step += 1) await world.step()
    const { threadId, did } = world
    const [threads] = world.processes
    if (!threads) throw new Error('there is no process')
    const log = await world.log()
    await expectGolden(`threads-shared-${seed}`, {
      did,
      view: await viewOf({ threads, threadId }),
      log: log.map(eventLine),
      usage: await threads.usage(threadId),
      pins: await threads.pins(threadId),
    })
  })

  it('give documents and snippets to a search', async () => {
    const { log } = await openSample('claude-code')
    let awaited: Parameters<typeof buildDocument>[1] = []
    const documents = log.events.flatMap((event) => {
      const { document, awaited: next } = buildDocument(event, awaited)
      awaited = next
      return document ? [document] : []
    })
    const snippets = QUERIES.flatMap((query) =>
      documents.slice(0, 12).map(({ text }) => buildSnippet(text, queryWords(query), 60)),
    )
    const long = readParts('👩‍👩‍👧‍👦 many words '.repeat(2_500)).map(({ length }) => length)
    const words = QUERIES.map(queryWords)
    await expectGolden('threads-documents', { documents, snippets, words, long })
  })
})
