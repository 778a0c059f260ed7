// The arguments of the benchmark.
import { parseArgs } from 'node:util'
import { PrecisError } from '../../src/core/errors.ts'
import { CORPUS } from '../../test/require.ts'
import { COUNTERS, type Counter } from './pieces.ts'

export interface Options {
  readonly folders: readonly string[]
  readonly policies?: readonly string[]
  readonly with?: string
  readonly sessions: number
  readonly jobs: number
  readonly counter: Counter['id']
  readonly seed: number
  readonly each: boolean
  readonly json: boolean
  readonly write: boolean
  readonly docs: boolean
  readonly measure: boolean
}

const SEED = 20261

export const HELP = `npm run bench -- retention [FOLDER] [options]
  FOLDER            sessions of any agent, in any known format; absent: those of PRECIS_CORPUS
  --policies A,B    some policies; absent: all
  --sessions N      so many sessions, drawn by the seed
  --jobs N          so many at a time (2)
  --counter NAME    estimate (as the product counts) or chars4
  --seed N          for the draw, for chance and for the intervals (${SEED})
  --with FILE       measures the strategies that a module exports, too
  --each            the headline of every session
  --json            the row as JSON
  --write           adds the row to bench/results/retention.jsonl: a whole run over the corpus
  --docs            writes the table of docs/benchmarks.md from the latest row; alone, without measuring
`

/** Throws a `usage` error where the arguments make no sense. */
export function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parsed(args)
  const { policies, sessions, counter, write, docs } = values
  if (positionals.length > 1) throw usage('Give it one folder.')
  if (!isCounter(counter)) throw usage(`There is no counter ${counter}.`)
  const isPart = positionals.length > 0 || policies !== undefined || sessions !== undefined
  if (write && (isPart || values.with !== undefined || counter !== 'estimate'))
    throw usage('Only a whole run over the corpus can be written.')
  const measure = !docs || write
  return {
    folders: positionals.length > 0 ? positionals : CORPUS,
    ...(policies !== undefined && { policies: policies.split(',') }),
    ...(values.with !== undefined && { with: values.with }),
    sessions: sessions === undefined ? Number.POSITIVE_INFINITY : numberFrom1('sessions', sessions),
    jobs: numberFrom1('jobs', values.jobs),
    counter,
    seed: numberFrom1('seed', values.seed),
    each: values.each,
    json: values.json,
    write,
    docs,
    measure,
  }
}

function parsed(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        policies: { type: 'string' },
        sessions: { type: 'string' },
        with: { type: 'string' },
        jobs: { type: 'string', default: '2' },
        counter: { type: 'string', default: 'estimate' },
        seed: { type: 'string', default: String(SEED) },
        each: flag,
        json: flag,
        write: flag,
        docs: flag,
      },
    })
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function isCounter(name: string): name is Counter['id'] {
  return Object.hasOwn(COUNTERS, name)
}

function numberFrom1(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw usage(`--${name} takes a number from 1.`)
  return number
}

export function usage(message: string): PrecisError {
  return new PrecisError('usage', message)
}
