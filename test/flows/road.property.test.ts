// Every strategy through every door of the one road: pins survive, undo restores to the byte, one record at most.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import type { RunResult } from '../../src/core/agent/frame.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { openStore } from '../../src/stores/index.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { MODEL } from '../agent/host.ts'
import { eachPlace } from '../cli/place.ts'
import { Random } from '../generate/random.ts'
import { answer, result, system, user } from '../say.ts'
import { inTurn, seeds } from '../scale.ts'
import { type AppSetup, setUpApp } from '../server/setup.ts'
import { within } from '../wait.ts'

const STRATEGY_IDS = DEFAULT_STRATEGIES.map(({ id }) => id)
const FRESH = 'fresh-session'
const PINNED_TEXT = 'Mind the tide at the north pier.'
const PINNED_ENTRY = 'The key of the boathouse hangs behind the third lantern.'
const WINDOW = 20_000
/** A bit more than 0.8 of the window with the tools: it is compacted before the next request. */
const FULL_TOKENS = 16_500
/** Between 0.7 and 0.8: a compaction is prepared in the background. */
const NEARLY_FULL_TOKENS = 13_000
/** Room for the summaries of the stand-in. */
const CATALOGUE = { [MODEL]: { windowTokens: WINDOW, outputTokens: 4_000 } }
const WAIT_MS = 30_000
/** In the fast tier each door has every third strategy, so that each strategy has two doors at least. */
const ONE_IN = 3

/** What a door did: the thread that has the result, and whether the gate let it pass. */
interface Done {
  readonly threadId: string
  readonly isCommitted: boolean
  readonly strategy: string // that really ran
  /** Somebody asked for it: then it may be committed without an edit. */
  readonly isAsked: boolean
}

type Walk = (app: AppSetup, threadId: string, strategyId: string) => Promise<Done>

const asked = (threadId: string, { success, fresh, strategy }: RunResult): Done => ({
  threadId: fresh?.threadId ?? threadId,
  isCommitted: success,
  strategy,
  isAsked: true,
})

const DOORS: Readonly<Record<string, { readonly tokens: number; readonly walk: Walk }>> = {
  library: {
    tokens: NEARLY_FULL_TOKENS,
    async walk({ home }, threadId, strategyId) {
      const { threads, model } = home
      const options = { provider: model, model: 'default', pinning: { detect: true } }
      const outcome = await threads.compact(threadId, strategyId, options)
      const fresh = outcome.committed ? outcome.fresh?.threadId : undefined
      const { committed: isCommitted } = outcome
      return { threadId: fresh ?? threadId, isCommitted, strategy: strategyId, isAsked: true }
    },
  },
  agent: {
    tokens: NEARLY_FULL_TOKENS,
    walk: async ({ agent }, threadId, strategy) =>
      asked(threadId, await agent.compact(threadId, { strategy })),
  },
  'preview and apply': {
    tokens: NEARLY_FULL_TOKENS,
    async walk({ agent }, threadId, strategy) {
      const preview = await agent.preview(threadId, { strategy })
      return asked(threadId, await agent.applyPreview(threadId, preview))
    },
  },
  HTTP: {
    tokens: NEARLY_FULL_TOKENS,
    async walk({ client }, threadId, strategy) {
      const { threadId: fresh, ok, compaction } = await client.compact(threadId, { strategy })
      const ran = compaction?.strategy ?? ''
      return { threadId: fresh ?? threadId, isCommitted: ok, strategy: ran, isAsked: true }
    },
  },
  automatic: {
    tokens: FULL_TOKENS,
    async walk({ agent, home }, threadId, strategy) {
      await home.threads.append(threadId, [{ type: 'THREAD_SETTINGS', data: { strategy } }])
      const ended = runOf(agent, 'auto')
      await agent.sendMessage(threadId, 'And now?')
      const result = await within('an automatic compaction', ended, WAIT_MS)
      return { ...asked(threadId, result), isAsked: false }
    },
  },
  background: {
    tokens: NEARLY_FULL_TOKENS,
    async walk({ agent, home }, threadId, strategy) {
      await home.threads.append(threadId, [{ type: 'THREAD_SETTINGS', data: { strategy } }])
      const ended = runOf(agent, 'background')
      await agent.sendMessage(threadId, 'And now?')
      const result = await within('a compaction in the background', ended, WAIT_MS)
      return { ...asked(threadId, result), isAsked: false }
    },
  },
}

function runOf(agent: AppSetup['agent'], trigger: string): Promise<RunResult> {
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  const stop = agent.on((frame) => {
    if (frame.type !== 'COMPACTION_COMPLETE' || frame.trigger !== trigger) return
    stop()
    resolve(frame)
  })
  return promise
}

/** Rounds of a tool and plain turns until they weigh enough, with one entry that is to be pinned. */
function randomPast(random: Random, tokens: number): EventDraft[] {
  const words = (count: number) =>
    Array.from({ length: count }, () => random.int(100, 999_999).toString(36)).join(' ')
  const drafts: EventDraft[] = [system('You look after a harbour.'), user('Let us begin.')]
  const pinAt = random.int(2, 5)
  let weight = 0
  for (let turn = 0; weight < tokens; turn += 1) {
    const said = `${turn === pinAt ? PINNED_ENTRY : `Question ${turn}:`} ${words(random.int(3, 30))}`
    const read = words(random.int(20, 300))
    const told = `Answer ${turn}: ${words(random.int(10, 60))}`
    const isReading = random.chance(0.7)
    weight += estimateTokens(said + told) + (isReading ? estimateTokens(read) : 0)
    if (weight > tokens) break // a door needs a window that is so full, and no fuller
    drafts.push(user(said))
    if (isReading) drafts.push(...answer(`Reading ${turn}.`, `r${turn}`), result(`r${turn}`, read))
    drafts.push(...answer(told))
  }
  return drafts
}

async function pinned(threads: Threads, past: readonly EventDraft[]): Promise<string> {
  const threadId = await threads.create()
  await threads.import(threadId, past)
  const events = await threads.getEvents(threadId)
  const said = events.find(({ data }) => String(data).startsWith(PINNED_ENTRY))
  await threads.pin(threadId, { entries: [`e${said?.seq ?? 0}`] })
  await threads.pin(threadId, { text: PINNED_TEXT, by: 'user' })
  return threadId
}

const messagesOf = async (threads: Threads, threadId: string) =>
  (await threads.messages(threadId)).messages.map((message) => JSON.stringify(message))

const recordsIn = async (threads: Threads, threadId: string) =>
  (await threads.getAllEvents(threadId)).filter(({ type }) => type === 'COMPACTION')

describe.each(Object.entries(DOORS))('%s', (name, { tokens, walk }) => {
  it.each(inTurn(STRATEGY_IDS, Object.keys(DOORS).indexOf(name), ONE_IN))(
    '%s keeps the pins, is undone to the byte, and leaves one record or none [ALWAYS-01, ALWAYS-02, ALWAYS-21, ALWAYS-22]',
    async (strategyId) => {
      const app = await setUpApp({ windowTokens: WINDOW, values: { catalogue: CATALOGUE } })
      const { threads } = app.home
      for (const seed of seeds(10)) {
        const note = `PRECIS_SEED=${seed}`
        const past = randomPast(new Random(seed), tokens)
        const threadId = await pinned(threads, past)
        const before = await messagesOf(threads, threadId)
        const log = JSON.stringify(await threads.getAllEvents(threadId))
        const done = await walk(app, threadId, strategyId)
        if (done.isAsked)
          expect(done, note).toMatchObject({ strategy: strategyId, isCommitted: true })
        const after = (await messagesOf(threads, done.threadId)).join('\n')
        expect(after, note).toContain(PINNED_ENTRY)
        if (done.isCommitted) expect(after, note).toContain(PINNED_TEXT)
        const records = await recordsIn(threads, threadId)
        if (done.threadId !== threadId) {
          expect(JSON.stringify(await threads.getAllEvents(threadId)), note).toBe(log)
          expect(await recordsIn(threads, done.threadId), note).toEqual([])
          expect(await threads.pins(done.threadId), note).toMatchObject([{}, { text: PINNED_TEXT }])
          await expect(threads.undo(done.threadId), note).rejects.toMatchObject({ where: threadId })
          await expect(threads.redo(threadId), note).rejects.toMatchObject({ where: done.threadId })
          continue
        }
        expect(records, note).toHaveLength(done.isCommitted ? 1 : 0)
        if (!done.isAsked)
          for (const { data } of records) expect(data, note).not.toMatchObject({ edits: [] })
        if (done.isCommitted) await threads.undo(threadId)
        const undone = await messagesOf(threads, threadId)
        expect(undone.slice(0, before.length), note).toEqual(before)
        if (done.isAsked) expect(undone, note).toHaveLength(before.length)
      }
    },
  )
})

describe('the command', () => {
  const place = eachPlace()

  it.each(inTurn(STRATEGY_IDS, 0, ONE_IN))(
    'on a thread: %s keeps the pins, and is undone to the byte [ALWAYS-01, ALWAYS-02, ALWAYS-21, ALWAYS-22]',
    async (strategyId) => {
      for (const seed of seeds(10)) {
        const note = `PRECIS_SEED=${seed}`
        const past = randomPast(new Random(seed), NEARLY_FULL_TOKENS)
        const threadId = await withThreads((threads) => pinned(threads, past))
        const before = await withThreads((threads) => messagesOf(threads, threadId))
        const { result: told } = await place().json<{ result: { threadId: string } }>([
          ...['compact', threadId, '--strategy', strategyId, '--model', 'dev'],
        ])
        const after = await withThreads((threads) => messagesOf(threads, told.threadId))
        expect(after.join('\n'), note).toContain(PINNED_ENTRY)
        expect(after.join('\n'), note).toContain(PINNED_TEXT)
        const records = await withThreads((threads) => recordsIn(threads, threadId))
        expect(records, note).toHaveLength(strategyId === FRESH ? 0 : 1)
        if (strategyId !== FRESH) await place().json(['undo', threadId])
        expect(await withThreads((threads) => messagesOf(threads, threadId)), note).toEqual(before)
      }
    },
  )

  it.each(inTurn(STRATEGY_IDS, 1, ONE_IN))(
    'on a file: %s keeps what is pinned, and is undone to the byte [ALWAYS-01, ALWAYS-21]',
    async (strategyId) => {
      for (const seed of seeds(10)) {
        const note = `PRECIS_SEED=${seed}`
        const file = JSON.stringify(plainMessages(randomPast(new Random(seed), NEARLY_FULL_TOKENS)))
        place().write('talk.json', file)
        const args = ['compact', 'talk.json', '--strategy', strategyId, '--model', 'dev']
        const out = strategyId === FRESH ? ['--out', 'fresh.json', '--force'] : ['--in-place']
        await place().json([...args, '--pin', PINNED_TEXT, ...out])
        const written = strategyId === FRESH ? 'fresh.json' : 'talk.json'
        expect(place().read(written), note).toContain(PINNED_TEXT)
        if (strategyId !== FRESH) await place().json(['undo', 'talk.json'])
        expect(place().read('talk.json'), note).toBe(file)
      }
    },
  )

  /** The store of the place, as another process has it. */
  async function withThreads<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    const store = await openStore(`sqlite:${join(place().home, 'threads.db')}`)
    const composed = compose({ store })
    try {
      return await work(composed.threads)
    } finally {
      await composed.close()
    }
  }
})

function plainMessages(drafts: readonly EventDraft[]): object[] {
  return drafts.flatMap((draft) => {
    if (draft.type === 'USER_MESSAGE') return [{ role: 'user', content: draft.data }]
    const isSaid = draft.type === 'AGENT_MESSAGE' && draft.data.calls.length === 0
    return isSaid ? [{ role: 'assistant', content: draft.data.content }] : []
  })
}
