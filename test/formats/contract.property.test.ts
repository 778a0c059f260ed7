// Random conversations through every written format: one trip may lose what the format names, a second none.
import { describe, expect, it } from 'vitest'
import type { EventDraft } from '../../src/core/log/event.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { randomAnswer, randomResult, randomText, randomUserContent } from '../generate/content.ts'
import { Random } from '../generate/random.ts'
import { seeds } from '../scale.ts'
import { openText, threadOf, writing } from './session.ts'

const SEEDS = seeds(60, 20)

function conversation(random: Random): EventDraft[] {
  const drafts: EventDraft[] = []
  for (let turn = 0; turn < random.int(1, 6); turn += 1) {
    drafts.push({ type: 'USER_MESSAGE', data: randomUserContent(random) })
    if (random.chance(0.2)) drafts.push({ type: 'SYSTEM_REMINDER', data: randomText(random) })
    for (let round = 0; round < random.int(0, 3); round += 1) {
      const calls = Array.from({ length: random.int(0, 3) }, (_, at) => `c${turn}_${round}_${at}`)
      drafts.push({ type: 'AGENT_MESSAGE', data: randomAnswer(random, calls) })
      for (const id of calls)
        drafts.push({ type: 'TOOL_CALL', data: { id, name: 'read', arguments: { id }, answer: 0 } })
      for (const id of calls)
        if (random.chance(0.9)) drafts.push({ type: 'TOOL_RESULT', data: randomResult(random, id) })
    }
  }
  return drafts
}

describe.each(
  SESSION_FORMATS.filter(({ write }) => write).map((format) => [format.id, format] as const),
)('%s', (_, format) => {
  it(`a second trip changes nothing, over ${SEEDS.length} random conversations [NEED-20]`, async () => {
    for (const seed of SEEDS) {
      const { view } = await threadOf(conversation(new Random(seed)))
      const once = await trip(view)
      const twice = await trip(once)
      expect(twice, `seed ${seed}`).toEqual(once)
    }
  }, 60_000)

  async function trip(view: Awaited<ReturnType<typeof threadOf>>['view']) {
    const written = format.write?.({ view }, writing())
    return (await openText(written?.text ?? '', format)).view
  }
})
