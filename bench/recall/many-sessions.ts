// Many generated sessions in one store, and questions by template: recall beside plain FTS5 and ripgrep over the files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { searchAll } from '../../src/cli/recall/recall-archive.ts'
import { type Composed, compose } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { spreadOf } from '../measure.ts'
import { type GeneratedSession, generateSessions } from './generate-sessions.ts'

const FINDS = 5
const SNIPPET_WORDS = 40

export interface ManySessions {
  readonly sessions: number
  readonly events: number
  readonly questions: number
  /** The share of questions whose message is among the first five finds, by search. */
  readonly found: Readonly<Record<'recall' | 'fts5' | 'fts5 with porter', number>> & {
    readonly ripgrep?: number // absent where it is not on this machine
  }
  /** Processor time of one question: of recall, of the bare query, and their ratio. */
  readonly recallMs: ReturnType<typeof spreadOf>
  readonly fts5Ms: ReturnType<typeof spreadOf>
  readonly ratio: ReturnType<typeof spreadOf>
}

export async function askManySessions(
  count: number,
  most: number,
  seed: number,
): Promise<ManySessions> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  const store = await openStore(`sqlite:${join(folder, 'threads.db')}`, { cwd: folder })
  const composed = compose({ store })
  try {
    const sessions = generateSessions(count, seed)
    const threadIds = await storeAll(composed, sessions)
    const plain = plainIndex(sessions, 'unicode61')
    const stemmed = plainIndex(sessions, 'porter')
    const files = writeFiles(folder, sessions)
    await searchAll(composed, 'warm up', FINDS) // indexes everything
    const asked = sessions.filter((_, at) => at % Math.max(1, Math.floor(count / most)) === 0)
    const found = { recall: 0, fts5: 0, 'fts5 with porter': 0, ...(hasRipgrep() && { ripgrep: 0 }) }
    const times: { recall: number; fts5: number }[] = []
    for (const session of asked) {
      const { question, at: number } = session
      const own = `${threadIds[number]}:e${session.factAt + 2}`
      const recall = await cpuMillisOf(() => searchAll(composed, question, FINDS))
      const fts5 = await cpuMillisOf(() => plain(question))
      if (recall.value.finds.some(({ ref }) => ref === own)) found.recall += 1
      const place = `${number}:${session.factAt}`
      if (fts5.value.includes(place)) found.fts5 += 1
      if (stemmed(question).includes(place)) found['fts5 with porter'] += 1
      if (found.ripgrep !== undefined && ripgrep(files, question).includes(place))
        found.ripgrep += 1
      times.push({ recall: recall.millis, fts5: fts5.millis })
    }
    const share = (hits: number) => hits / asked.length
    return {
      sessions: count,
      events: sessions.reduce((sum, { texts }) => sum + texts.length, 0),
      questions: asked.length,
      found: {
        recall: share(found.recall),
        fts5: share(found.fts5),
        'fts5 with porter': share(found['fts5 with porter']),
        ...(found.ripgrep !== undefined && { ripgrep: share(found.ripgrep) }),
      },
      recallMs: spreadOf(times.map(({ recall }) => recall)),
      fts5Ms: spreadOf(times.map(({ fts5 }) => fts5)),
      ratio: spreadOf(times.map(({ recall, fts5 }) => recall / fts5)),
    }
  } finally {
    await composed.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function storeAll(
  { threads }: Composed,
  sessions: readonly GeneratedSession[],
): Promise<string[]> {
  const ids: string[] = []
  for (const { texts } of sessions) {
    const threadId = await threads.create({})
    const drafts = texts.map((data, at): EventDraft => {
      if (at % 2 === 0) return { type: 'USER_MESSAGE', data, origin: 'typed' } as EventDraft
      return { type: 'AGENT_MESSAGE', data: { content: data, calls: [] } }
    })
    await threads.append(threadId, drafts)
    ids.push(threadId)
  }
  return ids
}

/** What anybody would write first: one document for each message, any of the words, the best by BM25. */
function plainIndex(
  sessions: readonly GeneratedSession[],
  tokenizer: string,
): (question: string) => string[] {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE said USING fts5(text, place UNINDEXED, tokenize='${tokenizer}')`)
  const insert = db.prepare('INSERT INTO said VALUES (?, ?)')
  db.transaction(() => {
    for (const { texts, at } of sessions)
      for (const [index, text] of texts.entries()) insert.run(text, `${at}:${index}`)
  })()
  const sql = `SELECT place, snippet(said, 0, '', '', '…', ${SNIPPET_WORDS}) FROM said WHERE said MATCH ? ORDER BY rank LIMIT ${FINDS}`
  const query = db.prepare(sql)
  return (question) => {
    const words = wordsOf(question).map((word) => `"${word}"`)
    return (query.all(words.join(' OR ')) as { place: string }[]).map(({ place }) => place)
  }
}

/** One file for each session, one line for each message. */
function writeFiles(folder: string, sessions: readonly GeneratedSession[]): string {
  const files = join(folder, 'files')
  mkdirSync(files)
  for (const { texts, at } of sessions)
    writeFileSync(join(files, `${at}.txt`), texts.map((text) => `${text}\n`).join(''))
  return files
}

function hasRipgrep(): boolean {
  return spawnSync('rg', ['--version']).error === undefined
}

/** Lines with any of the words, those with the most different ones first. */
function ripgrep(files: string, question: string): string[] {
  const words = wordsOf(question)
  const patterns = words.flatMap((word) => ['-e', word])
  const args = ['--no-heading', '--line-number', '-i', '-w', '--sort', 'path', ...patterns, files]
  const options = { encoding: 'utf8', maxBuffer: 256_000_000 } as const
  const { stdout, error } = spawnSync('rg', args, options)
  if (error) throw error
  const lines = stdout.split('\n').flatMap((line) => {
    const [, name, number, text = ''] = /(\d+)\.txt:(\d+):(.*)$/.exec(line) ?? []
    if (name === undefined) return []
    const held = words.filter((word) => new RegExp(`\\b${word}\\b`, 'i').test(text)).length
    return [{ place: `${name}:${Number(number) - 1}`, held }]
  })
  const best = lines.toSorted((one, other) => other.held - one.held)
  return best.slice(0, FINDS).map(({ place }) => place)
}

function wordsOf(question: string): string[] {
  return question.split(/\W+/).filter((word) => word !== '')
}

/** With the threads of the store. */
async function cpuMillisOf<T>(work: () => T | Promise<T>): Promise<{ value: T; millis: number }> {
  const start = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(start)
  return { value, millis: (user + system) / 1_000 }
}
