// How fast stored rows become checked events, beside the parsing of their JSON.
import { readRow, writeEvent } from '../../src/core/log/codec.ts'
import { Random } from '../../test/generate/random.ts'
import { TestLog } from '../../test/generate/test-log.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, microsEach, use } from '../measure.ts'
import { conversation } from './conversation.ts'
import { progress } from './place.ts'
import type { Settings } from './settings.ts'

export async function decodeSpeed(settings: Settings): Promise<Answered[]> {
  const { seed, decodeEvents, decodeRounds, eventChars } = settings
  progress(`decoding: ${decodeEvents} rows`)
  const log = new TestLog()
  for (const batch of conversation(new Random(seed), decodeEvents, eventChars)) log.append(batch)
  const texts = log.events.map((event) => JSON.stringify(writeEvent(event)))
  const rows: unknown[] = texts.map((text) => JSON.parse(text))
  const perSecond = (work: (index: number) => void) => 1e6 / microsEach(texts.length, work)
  const series = await interleave(
    {
      read: () => perSecond((index) => use(readRow(rows[index]).seq)),
      parse: () => perSecond((index) => use(JSON.parse(texts[index] ?? '').seq)),
    },
    { rounds: decodeRounds, warmUps: 3 },
  )
  const question = {
    id: 'decode',
    unit: 'rows/s',
    subject: 'readRow of parsed rows',
    reference: 'JSON.parse of the same rows',
  } as const
  return [compare(question, series.read, series.parse)]
}
