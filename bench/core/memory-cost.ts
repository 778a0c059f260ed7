// What an open thread takes in memory for each event, measured in processes of their own.
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import type { MemoryReport } from './memory-process.ts'
import { progress } from './place.ts'
import { outputOf } from './process.ts'
import type { Settings } from './settings.ts'

const SCRIPT = fileURLToPath(new URL('./memory-process.ts', import.meta.url))
const SMALL_CHARS = 16

export async function memoryCost(settings: Settings): Promise<Answered[]> {
  const { eventChars } = settings
  const small = await measure('thread', SMALL_CHARS, settings)
  const large = await measure('thread', eventChars, settings)
  const context = await measure('context', eventChars, settings)
  const { memoryEvents, contextEntries } = settings
  const heap = (runs: readonly MemoryReport[]) => runs.map((run) => run.heap / memoryEvents)
  const json = (runs: readonly MemoryReport[]) => runs.map((run) => run.json / memoryEvents)
  const question = { unit: 'bytes', reference: 'their JSON' } as const
  return [
    compare(
      {
        ...question,
        id: 'memory-small',
        subject: `an event of ${SMALL_CHARS} characters, thread open`,
      },
      heap(small),
      json(small),
    ),
    compare(
      {
        ...question,
        id: 'memory-large',
        subject: `an event of ${eventChars} characters, thread open`,
      },
      heap(large),
      json(large),
    ),
    compare(
      { ...question, id: 'memory-context', subject: 'the context alone, for each event' },
      heap(context),
      json(context),
    ),
    compare(
      {
        unit: 'kB',
        id: 'memory-compacted',
        subject: `${memoryEvents.toLocaleString('en-US')} events, compacted to ${contextEntries} entries`,
        reference: 'before the compaction',
      },
      large.map(({ compacted = Number.NaN }) => compacted / 1_000),
      large.map((run) => run.heap / 1_000),
    ),
  ]
}

async function measure(which: string, chars: number, settings: Settings): Promise<MemoryReport[]> {
  const { memoryEvents, contextEntries, seed } = settings
  const reports: MemoryReport[] = []
  for (let run = 0; run < settings.memoryRuns; run += 1) {
    progress(`memory: ${which}, ${memoryEvents} events of ${chars} characters`)
    const args = [which, memoryEvents, chars, contextEntries, seed + run].map(String)
    reports.push(JSON.parse(await outputOf(SCRIPT, args)) as MemoryReport)
  }
  return reports
}
