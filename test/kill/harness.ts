// Kills a working process again and again, and after each kill checks what is left.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from '../generate/random.ts'
import { READY } from './child.ts'

export interface Scenario {
  readonly name: string
  /** A script that calls `runChild`. It must go on until it is killed. */
  readonly child: URL
  /**
   * Throws where something is wrong. `acknowledged` are the lines of all children that worked in
   * this folder, in order. May change the folder as a program would that opens it after a crash.
   */
  check(folder: string, acknowledged: readonly string[]): Promise<void>
}

export interface KillOptions {
  readonly kills: number
  readonly seed: number
}

export interface KillReport {
  readonly kills: number
  readonly beforeReady: number // kills that came while the child was still opening
  readonly acknowledged: number
}

/** Two at a time, since a process that starts leaves a core idle. */
const LANES = 2
/** After so many kills a new folder is begun, so that checking everything stays cheap. */
const KILLS_PER_FOLDER = 20

export interface KillMoments {
  /** A kill comes at a random moment of so many milliseconds after the child is ready. */
  readonly longestWorkMs: number
  /** One kill in so many comes while the child is still opening. */
  readonly earlyOneIn: number
  readonly longestStartMs: number
}

const MOMENTS: KillMoments = { longestWorkMs: 60, earlyOneIn: 5, longestStartMs: 250 }

/** Throws what a check throws, with the seed that tells the run again. */
export async function killRepeatedly(
  scenario: Scenario,
  { kills, seed }: KillOptions,
): Promise<KillReport> {
  const sizes = Array.from({ length: Math.ceil(kills / KILLS_PER_FOLDER) }, (_, index) =>
    Math.min(KILLS_PER_FOLDER, kills - index * KILLS_PER_FOLDER),
  )
  const reports: KillReport[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < sizes.length) {
      const index = next
      next += 1
      reports.push(await killInOneFolder(scenario, sizes[index] ?? 0, seed + index))
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason
  const sum = (key: keyof KillReport) => reports.reduce((total, report) => total + report[key], 0)
  return { kills: sum('kills'), beforeReady: sum('beforeReady'), acknowledged: sum('acknowledged') }
}

async function killInOneFolder(
  scenario: Scenario,
  kills: number,
  seed: number,
): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-kill-'))
  const random = new Random(seed)
  const acknowledged: string[] = []
  let beforeReady = 0
  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      const lines = await killOnce(scenario.child, folder, random, MOMENTS)
      if (!lines.includes(READY)) beforeReady += 1
      acknowledged.push(...lines.filter((line) => line !== READY))
      await scenario.check(folder, acknowledged).catch((cause: unknown) => {
        throw new Error(`${scenario.name}: kill ${kill} with seed ${seed} broke something`, {
          cause,
        })
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { kills, beforeReady, acknowledged: acknowledged.length }
}

/** The whole lines that the child wrote before it died. */
export function killOnce(
  script: URL,
  folder: string,
  random: Random,
  { longestWorkMs, earlyOneIn, longestStartMs }: KillMoments,
): Promise<readonly string[]> {
  const args = [fileURLToPath(script), folder, String(random.int(0, 2 ** 32 - 1))]
  const early = random.int(0, earlyOneIn - 1) === 0
  const delayMs = random.next() * (early ? longestStartMs : longestWorkMs)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const kill = () => void child.kill('SIGKILL')
    let timer = early ? setTimeout(kill, delayMs) : undefined
    let output = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (!timer) timer = setTimeout(kill, delayMs)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') resolve(output.split('\n').slice(0, -1))
      else reject(new Error(`the child ended by itself (${code ?? signal}): ${complaints}`))
    })
  })
}
