// Measuring on a machine that others use too: arms take turns, and a round is compared with its own neighbour.

/** What an arm measured, one value for each round. */
export type Series = readonly number[]

/** The middle round, and the middle half of the rounds around it. */
export interface Spread {
  readonly value: number
  readonly low: number
  readonly high: number
}

export interface Rounds {
  /** Many short rounds tell more than a few long ones: the two sides of a pair stay close in time. */
  readonly rounds: number
  /** After this no further round begins, unless there were fewer than `LEAST_ROUNDS`. */
  readonly budgetMs?: number
  /** Which part of the rounds counts, the fastest first: in the others, other programs were busier. */
  readonly keep?: number
  /** Rounds before those that count: compilers and caches get warm. */
  readonly warmUps?: number
}

const LEAST_ROUNDS = 9

type Arms<K extends string> = Readonly<Record<K, (round: number) => number | Promise<number>>>

/** Runs every arm once a round, in turned order every other round, with the garbage taken out first. */
export async function interleave<K extends string>(
  arms: Arms<K>,
  { rounds, warmUps = 1, budgetMs = Number.POSITIVE_INFINITY, keep = 0.5 }: Rounds,
): Promise<Record<K, number[]>> {
  const names = Object.keys(arms) as K[]
  const measured: { readonly values: Record<K, number>; readonly ms: number }[] = []
  const deadline = performance.now() + budgetMs
  for (let round = 0 - Math.min(warmUps, rounds); round < rounds; round += 1) {
    if (round >= LEAST_ROUNDS && performance.now() > deadline) break
    const values = {} as Record<K, number>
    let ms = 0
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      collectGarbage()
      const start = performance.now()
      values[name] = await arms[name](round)
      ms += performance.now() - start
    }
    if (round >= 0) measured.push({ values, ms })
  }
  const kept = quietest(measured, keep)
  const series = (name: K) => [name, kept.map(({ values }) => values[name])] as const
  return Object.fromEntries(names.map(series)) as Record<K, number[]>
}

/** Chosen by the time that all arms took together, which favours none of them. */
function quietest<T extends { readonly ms: number }>(measured: readonly T[], part: number): T[] {
  if (part === 1) return [...measured]
  const sorted = measured.toSorted((a, b) => a.ms - b.ms)
  return sorted.slice(0, Math.ceil(sorted.length * part))
}

export function spreadOf(series: Series): Spread {
  const sorted = series.toSorted((a, b) => a - b)
  return { value: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}

/** The ratio of each round by itself: what slows the machine for a while slows both arms. */
export function ratioOf(subject: Series, reference: Series): Spread {
  return spreadOf(subject.map((value, round) => value / (reference[round] ?? Number.NaN)))
}

/**
 * Microseconds of the processor for one of `count` runs, those of the collector and the compiler
 * included. Unlike the time on the wall it does not grow while other programs have the processor.
 */
export function microsEach(count: number, work: (index: number) => void): number {
  const start = process.cpuUsage()
  for (let index = 0; index < count; index += 1) work(index)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
}

/** Milliseconds on the wall: for what waits for the disk and for other threads. */
export async function millisOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Only where Node was started with --expose-gc. */
export function collectGarbage(): void {
  globalThis.gc?.()
}

/** What is computed must be used, or the compiler may leave it out. */
export function use(value: number): void {
  used = (used + value) % 1_000_003
}
let used = 0

function quantile(sorted: Series, part: number): number {
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
