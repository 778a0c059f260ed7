// Sessions with planted facts: exact values, relations, corrections, decisions, task state and lists, in four languages.
import type { EventDraft } from '../../src/core/log/event.ts'
import { user } from '../../test/say.ts'
import { random } from '../retention/random.ts'

export const FACT_KINDS = [
  'exact',
  'relation',
  'correction',
  'constraint',
  'decision',
  'state',
  'list',
] as const
export type FactKind = (typeof FACT_KINDS)[number]

export interface Fact {
  readonly kind: FactKind
  /** What must be there, word for word. */
  readonly value: string
  /** The value that it replaced: shown without the new one it is stale. */
  readonly stale?: string
  /** How somebody would ask for it, without the value. */
  readonly query: string
}

export interface PlantedCycle {
  readonly drafts: readonly EventDraft[]
  readonly facts: readonly Fact[]
}

const NOUNS = ['queue', 'cache', 'parser', 'router', 'ledger', 'socket', 'index', 'worker'] as const
const FILLER_ROUNDS = 6
const FILLER_LINES = 25

/** What one cycle of a chain says. The same seed and number give the same cycle. */
export function plantedCycle(seed: number, cycle: number): PlantedCycle {
  const next = random(seed * 10_007 + cycle)
  const number = (most: number) => Math.floor(next() * most)
  const noun = NOUNS[number(NOUNS.length)] ?? 'queue'
  const mark = `${cycle}${String.fromCharCode(97 + number(26))}`
  const port = 20_000 + number(20_000)
  const path = `src/${noun}/drain-${mark}.ts`
  const symbol = `drain${noun}Of${mark}`
  const [before, after] = [`${100 + number(400)}ms`, `${600 + number(400)}ms`]
  const facts: Fact[] = [
    { kind: 'exact', value: `deploy-${mark}:${port}`, query: `address of the ${noun} deployment` },
    { kind: 'relation', value: symbol, query: `function that empties the ${noun}` },
    { kind: 'correction', value: after, stale: before, query: `timeout of the ${noun}` },
    { kind: 'constraint', value: `fixtures-${mark}`, query: `what must never be touched` },
    { kind: 'decision', value: `plan-${mark}`, query: `which plan was chosen for the ${noun}` },
    { kind: 'state', value: path, query: `file that was changed for the ${noun}` },
    { kind: 'list', value: `step-${mark}-two`, query: `second step of the ${noun} list` },
  ]
  const said = [
    user(`The ${noun} deployment runs at deploy-${mark}:${port}. Its timeout is ${before}.`),
    ...round(
      `look-${mark}`,
      'read',
      { path },
      `export function ${symbol}() {} // empties the ${noun}`,
    ),
    user(CONSTRAINTS[cycle % CONSTRAINTS.length]?.(`fixtures-${mark}`) ?? ''),
    ...fillers(mark, number),
    user(
      `The steps for the ${noun}:\n1. step-${mark}-one\n2. step-${mark}-two\n3. step-${mark}-three`,
    ),
    user(
      `Use plan-${mark} instead of plan-old-${mark} for the ${noun}, because the old one failed.`,
    ),
    user(`No, the timeout of the ${noun} is ${after}, not ${before}.`),
    ...round(`edit-${mark}`, 'edit', { path, old: before, new: after }, 'edited'),
  ]
  return { drafts: said, facts }
}

const CONSTRAINTS: readonly ((what: string) => string)[] = [
  (what) => `Never touch ${what}.`,
  (what) => `Fasse ${what} niemals an.`,
  (what) => `Ne touche jamais à ${what}.`,
  (what) => `No toques nunca ${what}.`,
]

function fillers(mark: string, number: (most: number) => number): EventDraft[] {
  return Array.from({ length: FILLER_ROUNDS }, (_, at) => {
    const lines = Array.from(
      { length: FILLER_LINES },
      (_, line) => `  const step${line} = other${number(900)}(${number(90)})`,
    )
    return round(`fill-${mark}-${at}`, 'read', { path: `lib/other-${at}.ts` }, lines.join('\n'))
  }).flat()
}

function round(
  id: string,
  name: string,
  given: Record<string, string>,
  text: string,
): EventDraft[] {
  return [
    { type: 'AGENT_MESSAGE', data: { content: 'Next.', calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name, arguments: given, answer: 0 } },
    {
      type: 'TOOL_RESULT',
      data: { id, content: [{ type: 'text', text }], status: 'completed' },
    },
  ]
}
