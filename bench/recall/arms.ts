// Searches that answer the same questions: recall as a model calls it and on a session file, plain FTS5, plain BM25.
import Database from 'better-sqlite3'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { type AwaitedCall, buildDocument } from '../../src/core/search/documents.ts'
import { archiveOf } from '../../src/threads/archive.ts'
import { searchArchive } from '../../src/threads/search-archive.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { recallTool } from '../../src/tools/compact/recall.ts'

export interface Answer {
  /** What the asker reads. */
  readonly shown: string
  /** The whole of each find: what one more step would read. */
  readonly entries: readonly string[]
}

export type Arm = (words: readonly string[]) => Promise<Answer>

export interface Place {
  readonly threads: Threads
  readonly store: Store
  /** Everything that was said up to the cut, and the same behind a compaction. */
  readonly whole: string
  readonly compacted: string
  readonly events: readonly ThreadEvent[]
}

export const ARMS = ['recall', 'recall --in', 'fts5', 'bm25'] as const
export type ArmName = (typeof ARMS)[number]

const FINDS = 5
const MOST_CHARS = 10_000_000
/** As long as a find of recall may be. */
const SNIPPET_CHARS = 260
const SNIPPET_WORDS = 40

export function armsOf(place: Place): Readonly<Record<ArmName, Arm>> {
  const texts = textsIn(place.events)
  return {
    recall: asModel(place),
    'recall --in': onFile(place),
    fts5: fullText(texts),
    bm25: bestMatch(texts),
  }
}

function asModel({ threads, store, compacted }: Place): Arm {
  const archive = archiveOf({ threads, store }, compacted)
  const tool = recallTool(() => archive)
  const { signal } = new AbortController()
  const run = { threadId: compacted, callId: 'asked', signal }
  return async (words) => {
    const query = words.join(' ')
    const { content } = await tool.run({ query }, run)
    const { finds } = await archive.search(query, FINDS)
    const pages = finds.map(({ ref }) => archive.read(ref, 0, MOST_CHARS))
    return {
      shown: content.map(({ text }) => text ?? '').join('\n'),
      entries: (await Promise.all(pages)).map(({ text }) => text),
    }
  }
}

function onFile({ threads, store, whole }: Place): Arm {
  const archive = archiveOf({ threads, store }, whole)
  return async (words) => {
    const options = { limit: FINDS, seesContext: false }
    const found = await searchArchive({ threads, store }, [whole], words.join(' '), options)
    const pages = found.finds.map(({ ref }) => archive.read(ref, 0, MOST_CHARS))
    return {
      shown: [
        ...found.finds.map(({ snippet, names }) => [snippet, ...names].join('\n')),
        ...found.further.map(({ names }) => names.join('\n')),
      ].join('\n'),
      entries: (await Promise.all(pages)).map(({ text }) => text),
    }
  }
}

function textsIn(events: readonly ThreadEvent[]): string[] {
  let awaited: readonly AwaitedCall[] = []
  return events.flatMap((event) => {
    const built = buildDocument(event, awaited)
    awaited = built.awaited
    return built.document ? [built.document.text] : []
  })
}

/** As one would write it in an afternoon: a row for each event, any of the words, the rank of the database. */
function fullText(texts: readonly string[]): Arm {
  const db = new Database(':memory:')
  db.exec('CREATE VIRTUAL TABLE said USING fts5(text)')
  const insert = db.prepare('INSERT INTO said (text) VALUES (?)')
  for (const text of texts) insert.run(text)
  const find = db.prepare(
    `SELECT text, snippet(said, 0, '', '', '…', ${SNIPPET_WORDS}) AS part FROM said WHERE said MATCH ? ORDER BY rank LIMIT ${FINDS}`,
  )
  return async (words) => {
    const match = words.map((word) => `"${word}"`).join(' OR ')
    const rows = find.all(match) as { readonly text: string; readonly part: string }[]
    return {
      shown: rows.map(({ part }) => part).join('\n'),
      entries: rows.map(({ text }) => text),
    }
  }
}

/** The textbook: k1 1.2, b 0.75, whole words. */
function bestMatch(texts: readonly string[]): Arm {
  const all = texts.map((text) => ({ text, counts: countsOf(text) }))
  const lengths = all.map(({ counts }) => sumOf([...counts.values()]))
  const mean = sumOf(lengths) / Math.max(1, lengths.length)
  return async (words) => {
    const rarity = words.map((word) => {
      const holders = all.filter(({ counts }) => counts.has(word)).length
      return Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5))
    })
    const best = all
      .map(({ text, counts }, index) => {
        const damping = 1.2 * (0.25 + (0.75 * (lengths[index] ?? 0)) / mean)
        const scores = words.map((word, at) => {
          const count = counts.get(word) ?? 0
          return ((rarity[at] ?? 0) * count * 2.2) / (count + damping)
        })
        return { text, score: sumOf(scores) }
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, FINDS)
    return {
      shown: best.map(({ text }) => snippetOf(text, words)).join('\n'),
      entries: best.map(({ text }) => text),
    }
  }
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function snippetOf(text: string, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0)
  const start = Math.max(0, Math.min(...places, text.length) - SNIPPET_CHARS / 4)
  return text.slice(start, start + SNIPPET_CHARS)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
