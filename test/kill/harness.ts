// Kills a working process again and again, and after each kill checks what is left.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Random } from '../generate/random.ts'
import { pretendWork } from '../wait.ts'
import { READY } from './child.ts'

export interface Scenario {
  readonly name: string
  /** What its checks show, for the title. */
  readonly proves: string
  /** A script that calls `runStoreChild`. It must go on until it is killed. */
  readonly child: URL
  /** What the next child is told besides the address and its seed. */
  readonly tell?: (acknowledged: readonly string[]) => string
  /**
   * Throws where something is wrong. `acknowledged` are the lines of all children that worked on
   * this store, in order. May change the store as a program would that opens it after a crash.
   */
  check(address: string, acknowledged: readonly string[]): Promise<void>
  /** What comes after the last kill. */
  finish?(address: string, acknowledged: readonly string[]): Promise<void>
}

/** A store for the children, empty at first. */
export interface KillPlace {
  readonly address: string
  /** What else can happen while a child works: the server crashes and starts again, say. */
  readonly disturb?: () => Promise<void>
  /** Waits for what a killed child has asked for and a server still does. */
  readonly settle?: () => Promise<void>
  /** What must be true of it besides what the scenario checks. */
  readonly checkPlace?: () => void
  remove(): Promise<void>
}

export interface KillOptions {
  readonly kills: number
  readonly seed: number
  newPlace(): Promise<KillPlace>
}

export interface KillReport {
  readonly kills: number
  readonly beforeReady: number // kills that came while the child was still opening
  readonly acknowledged: number
  readonly disturbed: number
}

/** After so many kills a new place is begun, so that checking everything stays cheap. */
const KILLS_PER_PLACE = 20
/** Long runs say how far they are. */
const TOLD_EVERY = 100
/** One child in so many works on a place that is disturbed meanwhile. */
const DISTURBED_ONE_IN = 6

export interface KillMoments {
  /** A kill comes at a random moment of so many milliseconds after the child is ready. */
  readonly longestWorkMs: number
  /** One kill in so many comes while the child is still opening. */
  readonly earlyOneIn: number
  readonly longestStartMs: number
  /** That moment comes after a random number of its lines, at most so many; one without. */
  readonly mostLines?: number
}

const MOMENTS: KillMoments = {
  longestWorkMs: 60,
  earlyOneIn: 5,
  longestStartMs: 250,
  mostLines: 4,
}
/** A server that crashed is back within this: some children die before, some after. */
const DISTURBED: KillMoments = { ...MOMENTS, longestWorkMs: 900, earlyOneIn: Infinity }

/** Throws what a check throws, with the seed that tells the run again. */
export async function killRepeatedly(
  scenario: Scenario,
  { kills, seed, newPlace }: KillOptions,
): Promise<KillReport> {
  const sizes = Array.from({ length: Math.ceil(kills / KILLS_PER_PLACE) }, (_, index) =>
    Math.min(KILLS_PER_PLACE, kills - index * KILLS_PER_PLACE),
  )
  const reports: KillReport[] = []
  for (const [index, size] of sizes.entries()) {
    const place = await newPlace()
    try {
      reports.push(await killOnPlace(scenario, place, size, seed + index))
    } finally {
      await place.remove()
    }
    const done = (index + 1) * KILLS_PER_PLACE
    if (done < kills && done % TOLD_EVERY === 0)
      process.stdout.write(`${scenario.name}: ${done} of ${kills} kills\n`)
  }
  const sum = (key: keyof KillReport) => reports.reduce((total, report) => total + report[key], 0)
  return {
    kills: sum('kills'),
    beforeReady: sum('beforeReady'),
    acknowledged: sum('acknowledged'),
    disturbed: sum('disturbed'),
  }
}

async function killOnPlace(
  scenario: Scenario,
  place: KillPlace,
  kills: number,
  seed: number,
): Promise<KillReport> {
  const { address, disturb } = place
  const random = new Random(seed)
  const acknowledged: string[] = []
  let beforeReady = 0
  let disturbed = 0
  for (let kill = 1; kill <= kills; kill += 1) {
    const isDisturbed = disturb !== undefined && kill % DISTURBED_ONE_IN === 0
    const moments = isDisturbed ? DISTURBED : MOMENTS
    let disturbance: Promise<void> | undefined
    const killing = killOnce(scenario.child, address, random, moments, {
      tell: scenario.tell?.(acknowledged) ?? '',
      onReady: () => {
        if (isDisturbed) disturbance = disturb()
      },
    })
    // Whatever became of the child: what was begun on the place is over before anything else.
    const lines = await killing.finally(() => disturbance)
    await place.settle?.()
    if (isDisturbed) disturbed += 1
    if (!lines.includes(READY)) beforeReady += 1
    acknowledged.push(...lines.filter((line) => line !== READY))
    try {
      await scenario.check(address, acknowledged)
      place.checkPlace?.()
    } catch (cause) {
      throw new Error(`${scenario.name}: kill ${kill} with seed ${seed} broke something`, { cause })
    }
  }
  await scenario.finish?.(address, acknowledged)
  return { kills, beforeReady, acknowledged: acknowledged.length, disturbed }
}

interface KillExtras {
  readonly tell?: string
  readonly onReady?: () => void
}

/** The whole lines that the child wrote before it died. */
export function killOnce(
  script: URL,
  place: string,
  random: Random,
  { longestWorkMs, earlyOneIn, longestStartMs, mostLines = 1 }: KillMoments,
  { tell = '', onReady = () => undefined }: KillExtras = {},
): Promise<readonly string[]> {
  const args = [fileURLToPath(script), place, String(random.int(0, 2 ** 32 - 1)), tell]
  const early = random.next() < 1 / earlyOneIn
  const lines = mostLines === 1 ? 1 : random.int(1, mostLines)
  const delayMs = random.next() * (early ? longestStartMs : longestWorkMs)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const kill = () => void child.kill('SIGKILL')
    const over = new AbortController()
    let dying = early ? pretendWork(delayMs, over.signal).then(kill) : undefined
    let output = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output === '') onReady()
      output += text
      if (!dying && output.split('\n').length > lines)
        dying = pretendWork(delayMs, over.signal).then(kill)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      over.abort()
      if (signal === 'SIGKILL') resolve(output.split('\n').slice(0, -1))
      else reject(new Error(`the child ended by itself (${code ?? signal}): ${complaints}`))
    })
  })
}
