// Providers that refuse for a while, or believe in half of the window: what must hold of every compaction all the same.

import { describe, expect, it } from 'vitest'
import type { Asked, Fault, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { runsIn } from '../agent/past.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { until } from '../wait.ts'
import { CHARACTERS, type Character } from './characters.ts'
import { scriptOf } from './doors.ts'
import { expectBilled, expectHonest, planted, sent, timesIn, undoAll, WINDOW } from './honest.ts'
import { REQUEST } from './planted.ts'

const PRESETS = ['range', 'whole', 'fold', 'log', 'fresh', 'precis'] as const
const AUTOMATIC = ['range', 'whole', 'fold', 'log', 'precis'] as const

const [HONEST] = CHARACTERS.filter(({ name }) => name === 'forgets the last request')

function honest(): Character {
  if (HONEST === undefined) throw new Error('there is no such character')
  return HONEST
}

/** Refuses so many requests before each one that it answers. */
function inBursts(fault: Fault, most: number): (asked: Asked) => ScriptedAnswer {
  const answer = scriptOf(honest())
  let count = 0
  return (asked) => {
    count += 1
    return count % (most + 1) === 0 ? answer(asked) : { fault }
  }
}

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['429 with retry-after', { kind: 'rate-limit', retryAfterS: 3 }],
  ['429', { kind: 'rate-limit' }],
  ['529', { kind: 'overloaded' }],
  ['500', { kind: 'server-error' }],
]
/** More patience than a provider is given. */
const LATER: Fault = { kind: 'rate-limit', retryAfterS: 600 }

describe('/compact', () => {
  it.each(
    FAULTS.flatMap(([name, fault], at) =>
      inTurn(PRESETS, at).flatMap((preset) => [
        [name, 'three times', preset, inBursts(fault, 3)] as const,
        [name, 'always', preset, () => ({ fault })] as const,
      ]),
    ).concat(
      PRESETS.map((preset) => ['429 for minutes', 'always', preset, () => ({ fault: LATER })]),
    ),
  )(
    'refused with %s, %s, in the preset %s: one of the four ends, the request, the bill, undone to the byte',
    async (_, times, preset, script) => {
      const setup = await planted(preset, 0.4)
      const { threads, threadId, dev } = setup
      await threads.append(threadId, [user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script(script)
      const { freshId, isCommitted } = await expectHonest(setup, times)
      if (times === 'three times') expect(isCommitted).toBe(true)
      if (preset !== 'fresh' || isCommitted) await expectBilled(setup, freshId)
      await undoAll(setup)
      expect(await threads.messages(threadId)).toEqual(before)
    },
  )
})

describe('automatic compaction', () => {
  it.each(
    FAULTS.flatMap(([name, fault], at) =>
      inTurn(AUTOMATIC, at).map((preset) => [name, preset, fault] as const),
    ),
  )(
    'refused with %s in bursts, in the preset %s: the request is answered, once',
    async (_, preset, fault) => {
      const setup = await planted(preset, 0.95)
      const { agent, dev, threadId, frames } = setup
      dev.script(inBursts(fault, 3))
      const outcome = await agent.sendMessage(threadId, REQUEST)
      expect(outcome).toMatchObject({ status: 'done', text: 'Renamed.' })
      expect(runsIn(frames).length).toBeLessThanOrEqual(2)
      expect(timesIn(await sent(setup, threadId), REQUEST)).toBe(1)
    },
  )
})

describe('a window of half the size that is believed', () => {
  const HALF = { windowTokens: WINDOW, believedWindowTokens: 2 * WINDOW }

  it.each(AUTOMATIC)(
    'in the preset %s: compacted after one refusal, below what was refused, and not refused again',
    async (preset) => {
      const setup = await planted(preset, 1.2, HALF)
      const { agent, dev, threads, threadId, frames } = setup
      dev.script(scriptOf(honest()))
      const outcome = await agent.sendMessage(threadId, REQUEST)
      expect(outcome).toMatchObject({ status: 'done', text: 'Renamed.' })
      const refusedFrom = (from: number) =>
        dev.requests.slice(from).filter(({ outcome }) => outcome === 'refused').length
      expect(runsIn(frames)).toMatchObject([{ trigger: 'overflow', success: true }])
      expect(refusedFrom(0)).toBeLessThanOrEqual(3)
      expect((await threads.context(threadId)).tokens).toBeLessThan(0.8 * WINDOW)
      expect(timesIn(await sent(setup, threadId), REQUEST)).toBe(1)
      // Filled again, by ordinary turns.
      frames.length = 0
      const asked = dev.requests.length
      for (let at = 1; at <= 12; at += 1) {
        const text = `Look at this, number ${at}:\n${'a line of it that says little. '.repeat(230)}\n${REQUEST}`
        expect(await agent.sendMessage(threadId, text), `turn ${at}`).toMatchObject({
          text: 'Renamed.',
        })
      }
      const count = (type: string) => frames.filter((frame) => frame.type === type).length
      await until(
        'the end of the compaction in the background',
        () => count('COMPACTION_START') === count('COMPACTION_COMPLETE'),
      )
      const runs = runsIn(frames)
      // Each is prepared at 0.7 of the window and lands at half of it.
      expect(runs.length).toBeLessThanOrEqual(6)
      expect(runs.every(({ success }) => success)).toBe(true)
      // Within the cooldown only a refusal begins one in the preset log (LOG-72); a summary is never refused.
      expect(refusedFrom(asked)).toBe(preset === 'log' ? runs.length : 0)
      await expectBilled(setup, undefined)
    },
  )

  it.each(PRESETS)(
    '/compact in the preset %s: one of the four ends, and the request',
    async (preset) => {
      const setup = await planted(preset, 1.2, HALF)
      const { threads, threadId, dev } = setup
      await threads.append(threadId, [user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script(scriptOf(honest()))
      await expectHonest(setup, preset)
      await undoAll(setup)
      expect(await threads.messages(threadId)).toEqual(before)
    },
  )
})
