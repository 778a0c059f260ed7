// What a compaction takes in memory beside the size of the session, measured in processes of their own.
import { fileURLToPath } from 'node:url'
import { progress } from '../core/place.ts'
import { outputOf } from '../core/process.ts'
import { type Answered, compare } from '../figure.ts'
import type { MemoryReport } from './memory-process.ts'
import type { Settings } from './settings.ts'

const SCRIPT = fileURLToPath(new URL('./memory-process.ts', import.meta.url))

export async function memoryCost(settings: Settings): Promise<Answered[]> {
  const reports: MemoryReport[] = []
  for (let run = 0; run < settings.memoryRuns; run += 1) {
    progress('extract: memory')
    const given = { ...settings, seed: settings.seed + run }
    reports.push(JSON.parse(await outputOf(SCRIPT, [JSON.stringify(given)])))
  }
  return [
    compare(
      {
        id: 'extract-memory',
        unit: 'kB',
        subject: 'the digest and a proposal',
        reference: 'the session as JSON',
        goal: { is: 'at most', ratio: 10 },
      },
      reports.map(({ heap }) => heap / 1_000),
      reports.map(({ json }) => json / 1_000),
    ),
  ]
}
