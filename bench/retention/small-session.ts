// A small session for tests: an agent that reads modules, and comes back to what it read before.
import type { EventDraft } from '../../src/core/log/event.ts'
import { user } from '../../test/say.ts'
import { random } from './random.ts'

export interface SmallOptions {
  readonly seed?: number
  readonly rounds?: number
  /** How many rounds back the agent refers to what it read; none: to nothing at all. */
  readonly back?: readonly number[]
}

const NOUNS = [
  'queue',
  'cache',
  'parser',
  'session',
  'router',
  'ledger',
  'socket',
  'index',
] as const
const VERBS = ['drain', 'flush', 'retry', 'decode', 'follow', 'rotate'] as const
const FILLER_LINES = 12

export function smallSession(options: SmallOptions = {}): EventDraft[] {
  const { seed = 1, rounds = 60, back = [1, 2, 5, 12, 25] } = options
  const modules = Array.from({ length: rounds }, (_, index) => moduleOf(index, seed))
  return [
    user('Please make the timeouts of all modules longer, and never touch the fixtures.'),
    ...modules.flatMap((module, index) => {
      const earlier = back.flatMap((distance) => modules[index - distance] ?? [])
      return round(module, earlier, index)
    }),
  ]
}

interface Module {
  readonly path: string
  readonly symbol: string
  readonly noun: string
  readonly text: string
}

function moduleOf(index: number, seed: number): Module {
  const next = random(seed * 1_000 + index)
  const pick = <T>(from: readonly T[]) => from[Math.floor(next() * from.length)] as T
  const [noun, verb] = [pick(NOUNS), pick(VERBS)]
  const path = `src/${noun}/${verb}-${index}.ts`
  const symbol = `${verb}${capital(noun)}Timeout${index}`
  const filler = Array.from(
    { length: FILLER_LINES },
    (_, line) => `  return ${pick(VERBS)}Step${line}(${pick(NOUNS)}, ${Math.floor(next() * 90)})`,
  )
  const fact = `const ${symbol} = ${100 + index}ms // the ${noun} gives up`
  return { path, symbol, noun, text: [fact, ...filler].join('\n') }
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function round(module: Module, earlier: readonly Module[], index: number): EventDraft[] {
  const id = `call_${index}`
  const said = earlier.map(({ symbol, path }) => `Like const ${symbol} in ${path} it waits.`)
  return [
    {
      type: 'AGENT_MESSAGE',
      data: { content: [`Now the ${module.noun} is next.`, ...said].join('\n'), calls: [id] },
    },
    {
      type: 'TOOL_CALL',
      data: { id, name: 'read', arguments: { path: module.path }, answer: 0 },
    },
    {
      type: 'TOOL_RESULT',
      data: { id, content: [{ type: 'text', text: module.text }], status: 'completed' },
    },
  ]
}
