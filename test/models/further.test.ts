// Further characters of model through the agent, with what must hold of every compaction whoever summarises.
import { describe, expect, it } from 'vitest'
import type { Asked, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { runsIn } from '../agent/past.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { scriptOf, summaryOf } from './doors.ts'
import { FURTHER, FURTHER_ANSWERS } from './further-characters.ts'
import { expectBilled, expectHonest, planted, sent, timesIn, undoAll } from './honest.ts'
import { REQUEST } from './planted.ts'

const PRESETS = ['range', 'whole', 'fold', 'log', 'fresh', 'precis'] as const
const AUTOMATIC = ['range', 'whole', 'fold', 'log', 'precis'] as const

const SCRIPTS: (readonly [string, (asked: Asked) => ScriptedAnswer])[] = [
  ...FURTHER.map(
    (character) => [character.name, (asked: Asked) => summaryOf(character, asked)] as const,
  ),
  ...Object.entries(FURTHER_ANSWERS).map(([name, answer]) => [name, () => answer] as const),
]

describe('/compact', () => {
  it.each(
    SCRIPTS.flatMap(([name, script], at) =>
      inTurn(PRESETS, at).map((preset) => [name, preset, script] as const),
    ),
  )(
    'with a model that «%s», in the preset %s: the request once, no false success, all on the bill, undone to the byte',
    async (name, preset, script) => {
      const setup = await planted(preset, 0.5)
      const { threads, threadId, dev } = setup
      await threads.append(threadId, [user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script(script)
      const { freshId, isCommitted } = await expectHonest(setup, name)
      if (preset !== 'fresh' || isCommitted) await expectBilled(setup, freshId)
      await undoAll(setup)
      expect(await threads.messages(threadId)).toEqual(before)
      // And once more, on what is there by then.
      if (isCommitted && freshId === undefined) await threads.redo(threadId)
      await expectHonest(setup, `${name}, and again`)
    },
  )
})

describe('automatic compaction', () => {
  it.each(
    FURTHER.flatMap((character, at) =>
      inTurn(AUTOMATIC, at).map((preset) => [character.name, preset, character] as const),
    ),
  )(
    'with a model that «%s», in the preset %s: the request is answered, once, after two compactions at most',
    async (_, preset, character) => {
      const setup = await planted(preset, 0.95)
      const { agent, dev, threadId, frames } = setup
      dev.script(scriptOf(character))
      const outcome = await agent.sendMessage(threadId, REQUEST)
      expect(outcome).toMatchObject({ status: 'done', text: 'Renamed.' })
      expect(runsIn(frames).length).toBeLessThanOrEqual(2)
      expect(timesIn(await sent(setup, threadId), REQUEST)).toBe(1)
    },
  )
})
