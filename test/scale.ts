// How much the random and repeated tests do, and from which seed: one variable for all of it.

/** `fast` is `npm test`, `all` is `npm run test:all`, `long` takes hours; empty for vitest by itself. */
const tier = process.env.PRECIS_TIER ?? ''

export const isFastTier = tier === 'fast'
export const isLongTier = tier === 'long'

const SCALES: Readonly<Record<string, number>> = { all: 1, long: 12.5 }
const FAST_SCALE = 0.1

/** 1 is full scale. */
const scale = positive('PRECIS_SCALE') ?? SCALES[tier] ?? FAST_SCALE

/** The same in every run of `npm test`; `npm run test:all` draws one and prints it. */
export const SEED = positive('PRECIS_SEED') ?? 1

/** So many of `full` kills, threads or cases; `least` where fewer would show nothing. */
export function scaled(full: number, least = 1): number {
  return Math.max(Math.min(full, least), Math.round(full * scale))
}

/** The seeds of so many random cases. `PRECIS_SEED=70` begins with one that failed. */
export function seeds(full: number, least = 1): readonly number[] {
  return Array.from({ length: scaled(full, least) }, (_, index) => SEED + index)
}

/** All of them; in the fast tier one of each `every`, others for each `index`. */
export function inTurn<T>(all: readonly T[], index: number, every = all.length): readonly T[] {
  return isFastTier ? all.filter((_, at) => at % every === index % every) : all
}

/** For `fc.assert`: runs are cheap, so that a hundred of them are made at any scale. */
export function runs(full = 100): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: scaled(full, 100), seed: SEED }
}

/**
 * The store of a test that opens it once. On disk each has a thread of its own, which takes longer to start
 * than most tests take; the fast tier keeps it in memory, and the contract of stores holds both to the same.
 */
export function storeIn(folder: string): string {
  return isFastTier ? 'memory:' : `sqlite:${folder}/threads.db`
}

function positive(name: string): number | undefined {
  const text = process.env[name] ?? ''
  if (text === '') return undefined
  const number = Number(text)
  if (!(number > 0)) throw new Error(`${name}=${text} is not a number above 0`)
  return number
}
