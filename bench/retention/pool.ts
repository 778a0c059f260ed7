// Many sessions measured by several threads; the results come in the order of the files.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { SessionFile } from './files.ts'
import type { MeasuredSession } from './measure.ts'
import type { WorkerSettings } from './worker.ts'

export interface Outcome {
  readonly file: SessionFile
  readonly session?: MeasuredSession
  readonly problem?: string
}

export interface PoolOptions {
  readonly jobs: number
  readonly settings: WorkerSettings
  /** As soon as so many sessions at the front of the order had something to measure, no more are begun. */
  readonly enough: number
  onDone(outcome: Outcome, done: number): void
}

export async function measureAll(
  files: readonly SessionFile[],
  { jobs, settings, enough, onDone }: PoolOptions,
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = []
  let begun = 0
  let done = 0
  const work = async () => {
    const measuring = new MeasuringThread(settings)
    while (begun < files.length && measuredIn(outcomes) < enough) {
      const index = begun
      begun += 1
      const file = files[index] as SessionFile
      const outcome = { file, ...(await measuring.measure(file.path)) }
      outcomes[index] = outcome
      done += 1
      onDone(outcome, done)
    }
    await measuring.end()
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return upTo(outcomes, enough)
}

/** A thread that is started anew where a session was too much for it. */
class MeasuringThread {
  readonly #settings: WorkerSettings
  #worker: Worker | undefined

  constructor(settings: WorkerSettings) {
    this.#settings = settings
  }

  async measure(path: string): Promise<Omit<Outcome, 'file'>> {
    this.#worker ??= new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#settings,
    })
    this.#worker.postMessage(path)
    try {
      const [answer] = await once(this.#worker, 'message')
      return answer
    } catch (error) {
      await this.end()
      return { problem: error instanceof Error ? error.message : String(error) }
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }
}

/** How many sessions of the unbroken front had something to measure: a faster thread changes nothing. */
function measuredIn(outcomes: readonly (Outcome | undefined)[]): number {
  const gap = outcomes.indexOf(undefined)
  return (gap < 0 ? outcomes : outcomes.slice(0, gap)).filter(isMeasured).length
}

function upTo(outcomes: readonly (Outcome | undefined)[], enough: number): Outcome[] {
  const taken: Outcome[] = []
  for (const outcome of outcomes) {
    if (outcome === undefined || taken.filter(isMeasured).length >= enough) break
    taken.push(outcome)
  }
  return taken
}

export function isMeasured(outcome: Outcome | undefined): boolean {
  return (outcome?.session?.cuts.length ?? 0) > 0
}
