// Several processes that append at the same time, through the store and with the bare driver, in turns.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { progress } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave } from '../measure.ts'
import type { BenchDatabase } from './databases.ts'
import type { Settings } from './settings.ts'

const CHILD = fileURLToPath(new URL('./crowd-process.ts', import.meta.url))
const BATCH = 'batches of 3'

export async function crowdCost(
  { crowdProcesses, crowdRounds, crowdMs }: Settings,
  database: BenchDatabase,
): Promise<Answered[]> {
  progress(`crowd: ${crowdProcesses} processes, ${database.name}`)
  const crowd = new Crowd(database, crowdProcesses)
  try {
    await crowd.ready()
    const series = await interleave(
      {
        own: () => crowd.round('own', crowdMs),
        together: () => crowd.round('together', crowdMs),
        bare: () => crowd.round('bare', crowdMs),
      },
      { rounds: crowdRounds, keep: 1 },
    )
    const reference = `${crowdProcesses} with the bare driver, the same rows in one transaction`
    const question = (id: string, what: string) => ({
      ...{ id: `crowd-${id}-${database.id}`, unit: 'events/s' as const, reference },
      subject: `${crowdProcesses} processes, ${BATCH}, ${what}, ${database.name}`,
    })
    return [
      compare(question('own', 'each to its own thread'), series.own, series.bare),
      compare(question('together', 'all to one thread'), series.together, series.bare),
    ]
  } finally {
    crowd.end()
  }
}

class Crowd {
  readonly #members: readonly { child: ChildProcess; nextLine: () => Promise<string> }[]

  constructor(database: BenchDatabase, processes: number) {
    const addresses = [database.address('crowd'), database.bareAddress]
    this.#members = Array.from({ length: processes }, (_, index) => {
      const args = [CHILD, ...addresses, String(index + 2)]
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      return { child, nextLine: async () => (await lines.next()).value ?? '' }
    })
  }

  async ready(): Promise<void> {
    await Promise.all(this.#members.map(({ nextLine }) => nextLine()))
  }

  /** Events in a second, of all. */
  async round(name: string, ms: number): Promise<number> {
    for (const { child } of this.#members) child.stdin?.write(`${name} ${ms}\n`)
    const counts = await Promise.all(this.#members.map(({ nextLine }) => nextLine()))
    return (counts.reduce((sum, count) => sum + Number(count), 0) * 1_000) / ms
  }

  end(): void {
    for (const { child } of this.#members) child.kill()
  }
}
