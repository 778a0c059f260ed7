// Two servers on one PostgreSQL: one is killed now and then, and each sees what happens on the other.
import { describe, expect, it, onTestFinished } from 'vitest'
import { compose } from '../../src/compose.ts'
import { type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { openStore } from '../../src/stores/index.ts'
import { longPast } from '../agent/past.ts'
import { Random } from '../generate/random.ts'
import { startPostgres } from '../postgres/server.ts'
import { requirement } from '../require.ts'
import { scaled } from '../scale.ts'
import { converse, followUntil, isFrame, transportTo } from './setup.ts'
import { Team } from './team.ts'
import { teamSuite } from './team-suite.ts'

const STRATEGY = 'trim-tool-results'
const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  teamSuite({ writers: 3, followersEach: 2, kills: scaled(3, 1), killEveryMs: 1_000 })

  it('a thread followed on one process sees what happens on the other, compactions included [LOG-77, LOG-78, LOG-79]', async () => {
    const { address, here, there } = await setUpPair()
    const thread = await here.createThread()
    const { threadId } = thread
    const following = followUntil(there, thread, isFrame('COMPACTION_COMPLETE'))
    const store = await openStore(address)
    const { threads } = compose({ store })
    await threads.append(threadId, longPast(20_000), { openCalls: 'leave' })
    await store.close()
    await converse(here, threadId, 'Hello')
    const outcome = await here.compact(threadId, { strategy: STRATEGY })
    expect(outcome.ok, outcome.text).toBe(true)
    const items = await following
    const told = items.flatMap((item) => (item.kind === 'frame' ? [item.frame] : []))
    // That a turn ran is told as well; of its words only what was stored.
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['turn-start', 'turn-end']))
    const frames = told.filter(({ type }) => type.startsWith('COMPACTION'))
    expect(frames.map(({ type }) => type)).toEqual(['COMPACTION_START', 'COMPACTION_COMPLETE'])
    expect(frames[0]).toMatchObject({ threadId, strategy: STRATEGY })
    expect(frames[1]).toMatchObject({ success: true, strategy: STRATEGY })
    const seqs = items.flatMap((item) => (item.kind === 'event' ? [item.event.seq] : []))
    expect(seqs).toEqual(seqs.map((_, at) => thread.version + 1 + at))
    // What is said there is heard here.
    const back = followUntil(here, await there.thread(threadId), (item) => item.kind === 'event')
    await converse(there, threadId, 'And back')
    expect((await back).filter(({ kind }) => kind === 'event')).toHaveLength(1)
  })

  it('what one process works on can be stopped on the other', async () => {
    const { here, there } = await setUpPair({
      pieceDelayMs: 20,
      script: () => ({ text: 'word '.repeat(2_000) }),
    })
    const thread = await here.createThread()
    const ended = followUntil(here, thread, isFrame('turn-end'))
    await here.send(thread.threadId, 'Go')
    await there.abort(thread.threadId)
    expect((await ended).at(-1)).toMatchObject({ frame: { end: 'aborted' } })
    expect((await here.thread(thread.threadId)).isWorking).toBe(false)
    await there.abort(thread.threadId) // nobody works: nothing to stop
    const callId = 'call_none'
    await expect(there.decide(thread.threadId, callId, 'allow')).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

/** Two servers on one PostgreSQL, each asked by itself. */
async function setUpPair(options: DevModelOptions = {}) {
  const server = await startPostgres()
  const dev = await startDevModel(options)
  const address = server.address('team')
  const team = new Team(address, dev.url, new Random(1))
  onTestFinished(async () => {
    team.end()
    await dev.close()
    await server.remove()
  })
  await Promise.all([team.grow(), team.grow()])
  const [here, there] = team
    .urls()
    .map((url) => createClient(transportTo((request) => fetch(request), url)))
  if (!here || !there) throw new Error('two are there')
  return { address, here, there }
}
