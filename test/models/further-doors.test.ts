// Further characters of model behind the other doors: the HTTP server through its client, and `precis send`.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compose } from '../../src/compose.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { type Asked, type ScriptedAnswer, startDevModel } from '../../src/dev-model/index.ts'
import { openStore } from '../../src/stores/index.ts'
import { MODEL } from '../agent/host.ts'
import { eachPlace } from '../cli/place.ts'
import { user } from '../say.ts'
import { inTurn, isFastTier } from '../scale.ts'
import { converse, setUpApp } from '../server/setup.ts'
import { plantedDrafts, scriptOf, summaryOf } from './doors.ts'
import { FURTHER, FURTHER_ANSWERS } from './further-characters.ts'
import { expectBilled, expectHonestBy, HASTE, sent, timesIn, undoAll, WINDOW } from './honest.ts'
import { REQUEST } from './planted.ts'

const PRESETS = ['range', 'whole', 'fold', 'log', 'fresh', 'precis'] as const
const AUTOMATIC = ['range', 'whole', 'fold', 'log', 'precis'] as const
const NAMES = [
  'does the task instead',
  'writes JSON',
  'changes digits',
  'claims files that do not exist',
]
const BREAKS_OFF = FURTHER_ANSWERS['stops in the middle'] ?? {}

type Script = (asked: Asked) => ScriptedAnswer
const CHOSEN = FURTHER.filter(({ name }) => NAMES.includes(name))
/** Of those that are asked for nothing but a summary. */
const SUMMARIES = CHOSEN.map(
  (character) => [character.name, (asked: Asked) => summaryOf(character, asked)] as const,
)
const TASKS = CHOSEN.map((character) => [character.name, scriptOf(character)] as const)
const BROKEN = ['stops in the middle', () => BREAKS_OFF] as const

function eachIn<P>(scripts: readonly (readonly [string, Script])[], presets: readonly P[]) {
  return scripts.flatMap(([name, script], at) =>
    inTurn(presets, at).map((preset) => [name, preset, script] as const),
  )
}

describe('the server', () => {
  async function served() {
    return setUpApp({ windowTokens: WINDOW, modelClock: HASTE })
  }

  it.each(eachIn([...SUMMARIES, BROKEN], PRESETS))(
    'compacts with a model that «%s», in the preset %s: the request, one of the four ends, the bill, undone to the byte',
    async (name, preset, script) => {
      const { client, home, dev } = await served()
      const { threadId } = await client.createThread({ preset })
      const { drafts, facts } = plantedDrafts(0.5 * WINDOW)
      const { threads } = home
      await threads.import(threadId, [...drafts, user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script(script)
      const held = { threads, threadId, facts, dev }
      const told = await expectHonestBy(held, name, () => client.compact(threadId))
      if (preset !== 'fresh' || told.isCommitted) await expectBilled(held, told.freshId)
      if (told.isCommitted && told.freshId === undefined) await client.undo(threadId)
      await undoAll(held)
      expect(await threads.messages(threadId)).toEqual(before)
    },
  )

  it.each(eachIn(TASKS, AUTOMATIC))(
    'makes room by itself with a model that «%s», in the preset %s, and the request is answered once',
    async (_, preset, script) => {
      const { client, home, dev } = await served()
      const { threadId } = await client.createThread({ preset })
      await home.threads.import(threadId, plantedDrafts(0.95 * WINDOW).drafts)
      dev.script(script)
      await converse(client, threadId, REQUEST)
      const left = await sent(home, threadId)
      expect(timesIn(left, REQUEST)).toBe(1)
      expect(left).toContain('Renamed.')
      const compactions = (await client.events(threadId)).filter(
        ({ type }) => type === 'COMPACTION',
      )
      expect(compactions.length).toBeGreaterThanOrEqual(1)
      expect(compactions.length).toBeLessThanOrEqual(2)
    },
  )
})

const place = eachPlace()

/** A store that `precis` opens, with a thread of so many windows in it. */
async function sending(windows: number) {
  const dev = await startDevModel({ windowTokens: WINDOW })
  const storeUrl = `sqlite:${join(place().folder, 'mine.db')}`
  const home = compose({ store: await openStore(storeUrl) })
  onTestFinished(async () => {
    await home.close()
    await dev.close()
  })
  const { threads } = home
  const threadId = await threads.create()
  const { drafts, facts } = plantedDrafts(windows * WINDOW)
  await threads.import(threadId, drafts)
  const env = {
    ANTHROPIC_API_KEY: 'test-key-of-nobody',
    PRECIS_STORE: storeUrl,
    PRECIS_PROVIDERS: JSON.stringify({ anthropic: { baseUrl: dev.url } }),
    PRECIS_CATALOGUE: JSON.stringify({ [MODEL]: { windowTokens: WINDOW, outputTokens: 1_500 } }),
  }
  const send = async (preset: string, text: string) => {
    const to = ['send', '--model', MODEL, '--thread', threadId, '--preset', preset]
    const { stdout, stderr } = await place().precis([...to, '--json', text], { env })
    expect(stdout, stderr).toMatch(/^\{/)
    return { ...JSON.parse(stdout), stderr }
  }
  return { dev, threads, threadId, facts, send }
}

describe('precis send', () => {
  // Here nothing hastens the pauses between attempts: the one that breaks off is seen once, at full scale.
  const broken = [BROKEN[0], 'log', BROKEN[1]] as const

  it.each([...eachIn(SUMMARIES, PRESETS), ...(isFastTier ? [] : [broken])])(
    'compacts with a model that «%s», in the preset %s: the request, one of the four ends, the bill, undone to the byte',
    async (name, preset, script) => {
      const held = await sending(0.5)
      const { threads, threadId, dev, send } = held
      await threads.append(threadId, [user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script(script)
      const told = await expectHonestBy(held, name, async () => {
        const sizeOf = async () => ({ tokens: weightOf(await threads.context(threadId)) })
        const size = await sizeOf()
        const { ok, text, goOnIn } = await send(preset, '/compact')
        const last = (await threads.getAllEvents(threadId)).findLast(
          ({ type }) => type === 'COMPACTION',
        )
        const strategy = last?.type === 'COMPACTION' ? last.data.strategyId : undefined
        const fresh = goOnIn === undefined ? undefined : { threadId: String(goOnIn) }
        const sizes = fresh ? {} : { before: size, after: await sizeOf() }
        return { ok, text, compaction: { strategy, fresh, ...sizes } }
      })
      if (preset !== 'fresh' || told.isCommitted) await expectBilled(held, told.freshId)
      await undoAll(held)
      expect((await threads.messages(threadId)).messages).toEqual(before.messages)
    },
  )

  it.each(eachIn(TASKS, AUTOMATIC))(
    'makes room by itself with a model that «%s», in the preset %s, and the request is answered once',
    async (_, preset, script) => {
      const { dev, threads, threadId, send } = await sending(0.95)
      dev.script(script)
      const { status, text, stderr } = await send(preset, REQUEST)
      expect({ status, text }).toEqual({ status: 'done', text: 'Renamed.' })
      expect(timesIn(await sent({ threads }, threadId), REQUEST)).toBe(1)
      expect((await threads.context(threadId)).stack.length).toBeLessThanOrEqual(2)
      expect(stderr).not.toMatch(/undefined|\[object|NaN/)
    },
  )
})
