// The benchmarks whose figures come from one process of their own: settings, headings, what to measure.
import * as agent from './agent/settings.ts'
import * as cli from './cli/settings.ts'
import * as edl from './edl/settings.ts'
import * as extract from './extract/settings.ts'
import type { Answered } from './figure.ts'
import * as page from './page/settings.ts'
import type { ResultRow } from './result-row.ts'
import * as sessions from './sessions/settings.ts'
import * as stores from './stores/settings.ts'
import * as tui from './tui/settings.ts'

export interface Benchmark {
  readonly full: ResultRow['settings']
  readonly quick: ResultRow['settings']
  /** The heading of an answer. */
  headingOf(answer: Answered): string
  /** Loads its code when it measures: the process needs that of one benchmark only. */
  measure(settings: string): Promise<readonly Answered[]>
}

const STORE_HEADINGS: Readonly<Record<string, string>> = {
  append: 'Appending',
  chain: 'The hash chain',
  crowd: 'Several processes',
  open: 'Opening',
  search: 'Searching',
  follow: 'Following in another process',
}

export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  // How the time of a script grows with the size of the file, and the speed of its regular expressions.
  edl: define(
    edl,
    ({ id }) => (id.startsWith('search') ? 'Regular expressions' : 'Scripts'),
    async (settings) => (await import('./edl/apply-cost.ts')).applyCost(settings),
  ),
  // The cost of the agent's loop itself, everything but the model, and how it grows with the log.
  agent: define(
    agent,
    () => 'The loop',
    async (settings) => (await import('./agent/turn-cost.ts')).turnCost(settings),
  ),
  // The cost of `extract`: time beside JSON.parse, growth, a second compaction, memory.
  extract: define(
    extract,
    ({ unit }) => (unit === 'kB' ? 'Memory' : 'Time'),
    async (settings) => {
      const { extractCost } = await import('./extract/extract-cost.ts')
      const { memoryCost } = await import('./extract/memory-cost.ts')
      return [...(await extractCost(settings)), ...(await memoryCost(settings))]
    },
  ),
  // The stores beside bare databases, and what several processes and a search cost on them.
  stores: define(
    stores,
    ({ id }) => STORE_HEADINGS[id.split('-')[0] ?? ''] ?? 'The rest',
    async (settings) => (await import('./stores/store-costs.ts')).storeCosts(settings),
  ),
  // The cost of drawing the chat: one more token under a long transcript and a short one, and beside ink.
  tui: define(
    tui,
    ({ id }) => (id.startsWith('ink') ? 'Beside ink, the same screen' : 'One more token'),
    async (settings) => {
      // React's development build checks every drawing. Under CI, ink draws nothing until its end.
      Object.assign(process.env, { NODE_ENV: 'production', CI: 'false' })
      return (await import('./tui/token-cost.ts')).tokenCost(settings)
    },
  ),
  // The cost of scrolling in the page: a thread of 100,000 events beside one of 1,000.
  page: define(
    page,
    () => 'One frame while scrolling',
    async (settings) => (await import('./page/scroll-cost.ts')).scrollCost(settings),
  ),
  // What the command costs: a session in and out beside parsing it, its start beside Node's, its memory.
  cli: define(
    cli,
    () => 'The command line',
    async (settings) => {
      const { peakMemory, sessionCost, startCost } = await import('./cli/command-cost.ts')
      const { hookCost } = await import('./cli/hook-cost.ts')
      return [
        await sessionCost(settings),
        await startCost(settings),
        ...(await hookCost(settings)),
        ...(await peakMemory(settings)),
      ]
    },
  ),
  // Finding, listing and syncing 1,000 sessions of other agents, beside find and stat of the same files.
  sessions: define(
    sessions,
    ({ reference }) => `Sessions of other agents, beside ${reference.what}`,
    async (settings) => (await import('./sessions/session-cost.ts')).sessionCost(settings),
  ),
}

function define<S extends object>(
  { FULL, QUICK }: { readonly FULL: S; readonly QUICK: S },
  headingOf: Benchmark['headingOf'],
  measure: (settings: S) => Promise<readonly Answered[]>,
): Benchmark {
  return {
    full: Object.fromEntries(Object.entries(FULL)),
    quick: Object.fromEntries(Object.entries(QUICK)),
    headingOf,
    measure: (settings) => measure(JSON.parse(settings)),
  }
}
