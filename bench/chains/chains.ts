// What survives many compactions in a row: `npm run bench -- chains`. Generated sessions, no corpus, no model.

import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import { archiveOf } from '../../src/threads/archive.ts'
import { createThreads } from '../../src/threads/threads.ts'
import { has } from '../recall/measure.ts'
import { resultRow } from '../result-row.ts'
import { COUNTERS, piecesOf, tokensIn } from '../retention/pieces.ts'
import { FACT_KINDS, type Fact, type FactKind, plantedCycle } from './planted.ts'

const CYCLES = [1, 2, 5, 10, 20] as const
const QUICK_CYCLES = [1, 5] as const
const KEPT_TOKENS = 3_000
const PIN = 'Never push to main.'
/** So that 64 conflicts are seen in the longest chains. */
const SEEDS = [1, 2, 3, 4] as const
const FINDS = 5

export async function main(args: readonly string[]): Promise<number> {
  const isQuick = args.includes('--quick')
  const unknown = args.find((given) => !['--quick', '--json', '--write'].includes(given))
  if (unknown !== undefined) {
    process.stderr.write(
      `Unknown: ${unknown}. npm run bench -- chains [--quick] [--json] [--write]\n`,
    )
    return 2
  }
  const rows: ChainRow[] = []
  for (const strategy of strategiesOf())
    for (const cycles of isQuick ? QUICK_CYCLES : CYCLES) {
      const runs: ChainRun[] = []
      for (const seed of isQuick ? SEEDS.slice(0, 1) : SEEDS)
        runs.push(await runChain(strategy, cycles, seed))
      rows.push(rowOf(strategy.id, cycles, runs))
    }
  if (args.includes('--write') && !isQuick) appendChains(rows)
  process.stdout.write(`${args.includes('--json') ? JSON.stringify(rows) : linesOf(rows)}\n`)
  return 0
}

const RESULTS = fileURLToPath(new URL('../results/chains.jsonl', import.meta.url))

function appendChains(rows: readonly ChainRow[]): void {
  const { figures: _, ...made } = resultRow('chains', { keptTokens: KEPT_TOKENS }, [])
  appendFileSync(RESULTS, `${JSON.stringify({ ...made, seeds: SEEDS, rows })}\n`)
}

function strategiesOf(): Strategy[] {
  const others = ['drop-turns', 'trim-tool-results', 'cascade']
  return [extract, ...DEFAULT_STRATEGIES.filter(({ id }) => others.includes(id))]
}

interface ChainRun {
  readonly facts: readonly (Fact & { readonly isKept: boolean; readonly isRecalled: boolean })[]
  readonly stale: number // old values that stand there as if they held
  readonly hasPin: boolean
  readonly tokens: number
  readonly refused: number
}

async function runChain(strategy: Strategy, cycles: number, seed: number): Promise<ChainRun> {
  const store = memoryStore()
  const threads = createThreads({ store, clock: systemClock, ids: randomIds })
  const threadId = await threads.create()
  await threads.pin(threadId, { text: PIN })
  const facts: Fact[] = []
  let refused = 0
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const planted = plantedCycle(seed, cycle)
    await threads.append(threadId, planted.drafts)
    facts.push(...planted.facts)
    const context = await threads.context(threadId)
    const targetTokens = weightOf(context) - context.tokens + KEPT_TOKENS
    try {
      // As the preset `precis` does: sentences that bind are pinned.
      const outcome = await threads.compact(threadId, strategy, {
        targetTokens,
        pinning: { detect: true },
      })
      if (!outcome.committed) refused += 1
    } catch (error) {
      if (!PrecisError.is(error)) throw error
      refused += 1
    }
  }
  const pieces = piecesOf((await threads.messages(threadId)).messages, COUNTERS.estimate)
  const text = pieces.map((piece) => piece.text).join('\n')
  const archive = archiveOf({ threads, store }, threadId)
  const judged: ChainRun['facts'][number][] = []
  for (const fact of facts) {
    const isKept = has(text, fact.value)
    const found = isKept ? [] : (await archive.search(fact.query, FINDS)).finds
    const isRecalled = found.some(({ snippet, names }) =>
      has([snippet, ...names].join('\n'), fact.value),
    )
    judged.push({ ...fact, isKept, isRecalled })
  }
  const stale = judged.filter((fact) => isStale(text.split('\n'), fact)).length
  return { facts: judged, stale, hasPin: text.includes(PIN), tokens: tokensIn(pieces), refused }
}

/** The old value stands after the new one, or without it: a reader takes it for current. */
function isStale(lines: readonly string[], { value, stale: old }: Fact): boolean {
  if (old === undefined) return false
  const current = lines.findLastIndex((line) => has(line, value))
  return lines.findLastIndex((line) => has(line, old) && !has(line, value)) > current
}

interface ChainRow {
  readonly strategy: string
  readonly cycles: number
  readonly kept: Readonly<Record<FactKind, number>>
  readonly keptOrRecalled: number
  /** Exact facts alone: in the context, or shown by one search. */
  readonly exactReached: number
  readonly stale: number
  readonly conflicts: number
  readonly pins: number
  readonly tokens: number
  readonly refused: number
}

function rowOf(strategy: string, cycles: number, runs: readonly ChainRun[]): ChainRow {
  const facts = runs.flatMap((run) => run.facts)
  const share = (of: typeof facts, is: (fact: (typeof facts)[number]) => boolean) =>
    of.filter(is).length / Math.max(1, of.length)
  const kept = FACT_KINDS.map((kind) => {
    const own = facts.filter((fact) => fact.kind === kind)
    return [kind, share(own, ({ isKept }) => isKept)] as const
  })
  const mean = (of: (run: ChainRun) => number) =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length
  return {
    strategy,
    cycles,
    kept: Object.fromEntries(kept) as Record<FactKind, number>,
    keptOrRecalled: share(facts, isReached),
    exactReached: share(
      facts.filter(({ kind }) => kind === 'exact'),
      isReached,
    ),
    stale: runs.reduce((sum, run) => sum + run.stale, 0),
    conflicts: facts.filter(({ kind }) => kind === 'correction').length,
    pins: mean(({ hasPin }) => Number(hasPin)),
    tokens: mean(({ tokens }) => tokens),
    refused: runs.reduce((sum, run) => sum + run.refused, 0),
  }
}

function isReached({ isKept, isRecalled }: ChainRun['facts'][number]): boolean {
  return isKept || isRecalled
}

function linesOf(rows: readonly ChainRow[]): string {
  const share = (value: number) => value.toFixed(2)
  const lines = rows.map(({ strategy, cycles, kept, ...row }) =>
    [
      strategy.padEnd(18),
      `${cycles} cycles`.padEnd(10),
      ...FACT_KINDS.map((kind) => `${kind} ${share(kept[kind])}`),
      `kept or recalled ${share(row.keptOrRecalled)}`,
      `exact kept or recalled ${share(row.exactReached)}`,
      `stale ${row.stale} of ${row.conflicts}`,
      `pins ${share(row.pins)}`,
      `${Math.round(row.tokens)} tokens`,
      ...(row.refused > 0 ? [`${row.refused} refused`] : []),
    ].join('  '),
  )
  const limits =
    'Not shown by these figures: prose that says a fact in other words; real sessions, whose facts are not planted; what a model makes of the context.'
  return [...lines, '', limits].join('\n')
}
