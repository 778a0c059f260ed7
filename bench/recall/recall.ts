// Whether a name that the context lost is one search away: `npm run bench -- recall`.
import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PrecisError } from '../../src/core/errors.ts'
import { CORPUS } from '../../test/require.ts'
import { resultRow } from '../result-row.ts'
import { intervalOf } from '../retention/aggregate.ts'
import { sessionFiles } from '../retention/files.ts'
import { readSession, type Session, sessionOf } from '../retention/session.ts'
import { smallSession } from '../retention/small-session.ts'
import { ARMS } from './arms.ts'
import { askManySessions } from './many-sessions.ts'
import { type AskedSession, askSession } from './measure.ts'

const HELP = `npm run bench -- recall [FOLDER] [--questions N] [--sessions N] [--quick] [--json] [--write]
  FOLDER         sessions of any agent; absent: those of PRECIS_CORPUS, and without it generated ones
  --questions N  so many of each cut; absent: all
  --sessions N   questions by template over so many generated sessions in one store, beside FTS5 and ripgrep
  --quick        generated sessions only, and ten questions of each cut
  --json         the row as JSON
  --write        adds the row to bench/results/recall.jsonl
`
const RESULTS = fileURLToPath(new URL('../results/recall.jsonl', import.meta.url))
const SEED = 20261
const GENERATED = [1, 2, 3]
const QUICK_QUESTIONS = 10

export async function main(args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const options = { questions: text, sessions: text, quick: flag, json: flag, write: flag } as const
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${HELP}`)
    return 2
  }
  const { values, positionals } = parsed
  if (values.sessions !== undefined) return overStore(Number(values.sessions), values)
  const every = values.quick ? QUICK_QUESTIONS : Number.POSITIVE_INFINITY
  const most = Number(values.questions ?? every)
  const folders = positionals.length > 0 ? positionals : CORPUS
  const asked: AskedSession[] = []
  for await (const { session, repository } of sessionsIn(values.quick ? [] : folders)) {
    const one = await askSession(session, repository, most)
    if (one.asked > 0) asked.push(one)
  }
  const { figures: _, ...origin } = resultRow('recall', { seed: SEED }, [])
  const row = {
    ...origin,
    isGenerated: values.quick || folders.length === 0,
    cells: cellsOf(asked),
  }
  if (values.write) appendFileSync(RESULTS, `${JSON.stringify(row)}\n`)
  process.stdout.write(`${values.json ? JSON.stringify(row) : linesOf(row.cells)}\n`)
  return 0
}

/** Each question is asked once; so many are enough. */
const STORE_QUESTIONS = 250

async function overStore(
  count: number,
  { json, write }: { readonly json: boolean; readonly write: boolean },
): Promise<number> {
  const settings = { seed: SEED, sessions: count }
  const { figures: _, ...origin } = resultRow('recall', settings, [])
  const store = await askManySessions(count, STORE_QUESTIONS, SEED)
  if (write) appendFileSync(RESULTS, `${JSON.stringify({ ...origin, store })}\n`)
  const { found, recallMs, fts5Ms, ratio } = store
  const shares = [
    ...Object.entries(found).map(([arm, share]) => `${arm} ${share.toFixed(3)}`),
    ...(found.ripgrep === undefined ? ['ripgrep not on this machine'] : []),
  ]
  const line = `${count} sessions, ${store.questions} questions, in the first five finds: ${shares.join(', ')}; processor time ${recallMs.value.toFixed(1)} ms, bare FTS5 ${fts5Ms.value.toFixed(1)} ms, ratio ${ratio.value.toFixed(1)} (${ratio.low.toFixed(1)}–${ratio.high.toFixed(1)})`
  process.stdout.write(`${json ? JSON.stringify({ ...origin, store }) : line}\n`)
  return 0
}

interface Source {
  readonly session: Session
  readonly repository: string
}

async function* sessionsIn(folders: readonly string[]): AsyncGenerator<Source> {
  if (folders.length === 0)
    for (const seed of GENERATED)
      yield {
        session: await sessionOf(`generated-${seed}`, smallSession({ seed })),
        repository: `generated-${seed}`,
      }
  for (const { path, name } of folders.length > 0 ? sessionFiles(folders, SEED) : []) {
    try {
      yield { session: await readSession(path), repository: repositoryOf(name) }
    } catch (error) {
      if (!PrecisError.is(error)) throw error
      process.stderr.write(`${name} is left out: ${error.message}\n`)
    }
  }
}

/** `owner__name--session.jsonl`, as the corpus names its files. */
function repositoryOf(name: string): string {
  return basename(name).split('--')[0] ?? name
}

interface Cell {
  readonly half: 'all' | 'half A' | 'half B'
  readonly arm: string
  readonly sessions: number
  readonly asked: number
  /** In the text of the answer; over all questions, and as the mean of the sessions with its interval. */
  readonly shown: number
  readonly bySession: ReturnType<typeof intervalOf>
  /** Somewhere in the first five finds. */
  readonly within: number
  /** In the context, or shown by one search. */
  readonly reached: number
  readonly meanTokens: number
  readonly mostTokens: number
}

/** Repositories by turns, in the order of their names: what is chosen on one half can be judged on the other. */
function cellsOf(sessions: readonly AskedSession[]): Cell[] {
  const repositories = [...new Set(sessions.map(({ repository }) => repository))].toSorted()
  const isSecond = ({ repository }: AskedSession) => repositories.indexOf(repository) % 2 === 1
  const halves = [
    ['all', sessions],
    ['half A', sessions.filter((session) => !isSecond(session))],
    ['half B', sessions.filter(isSecond)],
  ] as const
  return halves.flatMap(([half, members]) =>
    members.length === 0 ? [] : ARMS.map((arm) => cellOf(half, arm, members)),
  )
}

function cellOf(
  half: Cell['half'],
  arm: (typeof ARMS)[number],
  sessions: readonly AskedSession[],
): Cell {
  const sum = (of: (session: AskedSession) => number) =>
    sessions.reduce((total, session) => total + of(session), 0)
  const asked = sum((session) => session.asked)
  const shown = sum(({ arms }) => arms[arm].shown) / asked
  const shares = sessions.map((session) => session.arms[arm].shown / session.asked)
  const lost = sum((session) => session.lost) / sum((session) => session.needed)
  return {
    half,
    arm,
    sessions: sessions.length,
    asked,
    shown,
    bySession: intervalOf(shares, SEED),
    within: sum(({ arms }) => arms[arm].within) / asked,
    reached: 1 - lost + lost * shown,
    meanTokens: sum(({ arms }) => arms[arm].tokens) / asked,
    mostTokens: Math.max(...sessions.map(({ arms }) => arms[arm].mostTokens)),
  }
}

function linesOf(cells: readonly Cell[]): string {
  const share = (value: number) => value.toFixed(3).replace(/^0/, '')
  const lines = cells.map(({ half, arm, bySession, ...cell }) =>
    [
      half.padEnd(10),
      arm.padEnd(12),
      `shown ${share(cell.shown)}`,
      `by session ${share(bySession.mean)} (${share(bySession.low)}–${share(bySession.high)})`,
      `within five finds ${share(cell.within)}`,
      `in context or shown ${share(cell.reached)}`,
      `${Math.round(cell.meanTokens)} tokens (most ${cell.mostTokens})`,
      `${cell.asked} names of ${cell.sessions} sessions`,
    ].join('  '),
  )
  return [
    ...lines,
    '',
    'Not shown by these figures: whether an agent would ask at all, and ask in these words; facts that are no names.',
  ].join('\n')
}
