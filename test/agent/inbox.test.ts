// Messages that come while somebody works on the thread: queued, delivered once and in order, or given back.
import { describe, expect, it, vi } from 'vitest'
import { PrecisError } from '../../src/core/errors.ts'
import type { EventOf } from '../../src/core/log/event.ts'
import { pretendWork } from '../wait.ts'
import { Door, longPast, runsIn, summaryBehind } from './past.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'

function textsOf(users: readonly EventOf<'USER_MESSAGE'>[]): unknown[] {
  return users.map(({ data }) => data)
}

/** Until the thread is quiet: nobody works on it, and nothing waits. */
async function quiet({ frames }: AgentSetup, turns: number): Promise<void> {
  await expect
    .poll(() => frames.filter(({ type }) => type === 'turn-end').length, { interval: 5 })
    .toBe(turns)
}

describe('messages during a turn', () => {
  it('are delivered once, in order, before the turn ends [ALWAYS-07]', async () => {
    const { agent, threadId, dev, frames, eventsOf } = await setUpAgent()
    const door = new Door()
    dev.script(async () => {
      await door.pass()
      return { text: 'Yes.' }
    })
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    for (const text of ['two', 'three'])
      expect(await agent.sendMessage(threadId, text)).toMatchObject({ status: 'queued' })
    door.open()
    expect(await first).toMatchObject({ status: 'done', returned: [] })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one', 'two', 'three'])
    expect(dev.requests).toHaveLength(2)
    const delivered = frames.filter(({ type }) => type === 'message-delivered')
    expect(delivered).toHaveLength(2)
    expect(await agent.sendMessage(threadId, 'four')).toMatchObject({ status: 'done' })
    expect(await eventsOf('USER_MESSAGE')).toHaveLength(4)
  })

  /** A turn that has answered while a second message is still on its way into the log. */
  async function answeredMeanwhile(arrives: () => void, isFailing = false) {
    const setup = await setUpAgent({ auto: { enabled: false } })
    const { agent, threads, threadId, dev, eventsOf } = setup
    const [answering, arriving] = [new Door(), new Door()]
    dev.script(async () => {
      await answering.pass()
      return isFailing ? { fault: { kind: 'overflow' } } : { text: 'Yes.' }
    })
    const append = threads.append.bind(threads)
    vi.spyOn(threads, 'append').mockImplementation(async (id, drafts, options) => {
      if (Array.isArray(drafts) && drafts[0]?.type === 'MESSAGE_QUEUED') {
        await arriving.pass()
        arrives()
      }
      return append(id, drafts, options)
    })
    const first = agent.sendMessage(threadId, 'one')
    await answering.reached
    const second = agent.sendMessage(threadId, 'two')
    await arriving.reached
    answering.open()
    if (!isFailing) await expect.poll(() => eventsOf('AGENT_MESSAGE')).toHaveLength(1)
    // A turn that waits for nothing ends meanwhile, without the second message.
    await Promise.race([first, pretendWork(150)])
    arriving.open()
    return { ...setup, first, second }
  }

  it('are waited for where they are on their way when the turn would end [ALWAYS-07]', async () => {
    const { first, second, frames, eventsOf } = await answeredMeanwhile(() => undefined)
    expect(await first).toMatchObject({ status: 'done' })
    expect(await second).toMatchObject({ status: 'queued' })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one', 'two'])
    expect(await eventsOf('AGENT_MESSAGE')).toHaveLength(2)
    expect(frames.filter(({ type }) => type === 'turn-end')).toHaveLength(1)
  })

  it('are given back where they are on their way when the turn fails [ALWAYS-07]', async () => {
    const { first, second, eventsOf } = await answeredMeanwhile(() => undefined, true)
    expect(await second).toMatchObject({ status: 'queued' })
    expect(await first).toMatchObject({ status: 'failed', returned: ['two'] })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one'])
  })

  it.each([
    ['given back', ['one']],
    ['delivered', ['one', 'two']],
  ])('that another process has %s meanwhile are left alone [ALWAYS-07]', async (did, said) => {
    const setup = await setUpAgent({ onDisk: true })
    const { agent, threads, threadId, dev, frames, eventsOf } = setup
    const { threads: others } = await setup.elsewhere()
    const append = threads.append.bind(threads)
    vi.spyOn(threads, 'append').mockImplementation(async (id, drafts, options) => {
      const drawn = typeof drafts === 'function' ? await drafts(await threads.state(id)) : drafts
      // Found in the inbox, and not yet appended.
      const messageId = drawn[0]?.type === 'USER_MESSAGE' ? drawn[0].id : undefined
      if (messageId)
        await others.append(id, [
          did === 'delivered'
            ? { type: 'USER_MESSAGE', id: messageId, data: 'two' }
            : { type: 'MESSAGE_WITHDRAWN', data: { messageId } },
        ])
      return append(id, drafts, options)
    })
    const door = new Door()
    dev.script(() => door.pass().then(() => ({ text: 'Yes.' })))
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    door.open()
    expect(await first).toMatchObject({ status: 'done', returned: [] })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(said)
    expect(frames.filter(({ type }) => type === 'message-delivered')).toEqual([])
  })

  it('that cannot be stored fail whoever sent them, and not the turn', async () => {
    const { first, second, frames } = await answeredMeanwhile(() => {
      throw new PrecisError('store-busy', 'not now')
    })
    await expect(second).rejects.toMatchObject({ code: 'store-busy' })
    expect(await first).toMatchObject({ status: 'done', text: 'Yes.' })
    expect(frames.filter(({ type }) => type === 'turn-end')).toHaveLength(1)
  })

  it('come between two steps, behind the results that were awaited [ALWAYS-07]', async () => {
    const { agent, threadId, dev, events } = await setUpAgent()
    dev.script([
      { calls: [{ name: 'run', arguments: { command: 'sleep 0.1; echo done' } }] },
      { text: 'Yes.' },
    ])
    const queued: Promise<unknown>[] = []
    agent.on(({ type }) => {
      if (type === 'tool-start') queued.push(agent.sendMessage(threadId, 'two'))
    })
    await agent.sendMessage(threadId, 'one')
    await Promise.all(queued)
    const types = (await events()).map(({ type }) => type).slice(-5)
    expect(types).toEqual([
      'TOOL_CALL',
      'MESSAGE_QUEUED',
      'TOOL_RESULT',
      'USER_MESSAGE',
      'AGENT_MESSAGE',
    ])
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('are given back where the turn fails, and not delivered later [ALWAYS-07]', async () => {
    const { agent, threadId, dev, frames, eventsOf } = await setUpAgent({
      auto: { enabled: false },
    })
    const door = new Door()
    dev.script(async () => {
      await door.pass()
      return { fault: { kind: 'overflow' } }
    })
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    await agent.sendMessage(threadId, 'three')
    door.open()
    expect(await first).toMatchObject({ status: 'failed', returned: ['two', 'three'] })
    expect(frames).toContainEqual(
      expect.objectContaining({ type: 'messages-returned', messages: ['two', 'three'] }),
    )
    dev.script([{ text: 'Yes.' }])
    await agent.sendMessage(threadId, 'four')
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one', 'four'])
  })

  it('are given back where the user stops it [ALWAYS-07]', async () => {
    const { agent, threadId, dev, eventsOf } = await setUpAgent()
    const door = new Door()
    dev.script(() => door.pass().then(() => undefined))
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    await agent.abort(threadId)
    expect(await first).toMatchObject({ status: 'aborted', returned: ['two'] })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one'])
    door.open()
  })

  it('wait for the next process where this one is closed [ALWAYS-07]', async () => {
    const { agent, threadId, dev, eventsOf, another } = await setUpAgent()
    const door = new Door()
    dev.script(() => door.pass().then(() => undefined))
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    await agent.close()
    expect(await first).toMatchObject({ status: 'aborted', returned: [] })
    door.open()
    expect(await another().resume(threadId)).toMatchObject({ status: 'done' })
    expect(textsOf(await eventsOf('USER_MESSAGE'))).toEqual(['one', 'two'])
  })
})

describe('messages during a compaction', () => {
  /** A compaction by hand that waits for its summary. */
  async function compacting() {
    const setup = await setUpAgent()
    await setup.threads.import(setup.threadId, longPast(2_000))
    const door = new Door()
    setup.dev.script(summaryBehind(door))
    const result = setup.agent.compact(setup.threadId)
    await door.reached
    for (const text of ['two', 'three'])
      expect(await setup.agent.sendMessage(setup.threadId, text)).toMatchObject({
        status: 'queued',
      })
    return { ...setup, door, result }
  }

  it('are delivered once, in order, when it is done [ALWAYS-07]', async () => {
    const setup = await compacting()
    setup.door.open()
    expect(await setup.result).toMatchObject({ success: true })
    await quiet(setup, 1)
    const users = textsOf(await setup.eventsOf('USER_MESSAGE'))
    expect(users).toEqual(['Look at past.', 'two', 'three'])
    expect((await setup.events()).map(({ type }) => type).slice(-4)).toEqual([
      'COMPACTION',
      'USER_MESSAGE',
      'USER_MESSAGE',
      'AGENT_MESSAGE',
    ])
  })

  it('are given back where it fails or is stopped [ALWAYS-07]', async () => {
    const setup = await compacting()
    await setup.agent.abort(setup.threadId)
    expect(await setup.result).toMatchObject({ success: false, end: 'aborted' })
    expect(setup.frames).toContainEqual(
      expect.objectContaining({ type: 'messages-returned', messages: ['two', 'three'] }),
    )
    expect(textsOf(await setup.eventsOf('USER_MESSAGE'))).toEqual(['Look at past.'])
    setup.door.open()
  })

  it('come after what the user has said to be next [ALWAYS-07]', async () => {
    const { agent, threadId, threads, dev, eventsOf } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    const door = new Door()
    dev.script(summaryBehind(door))
    const first = agent.sendMessage(threadId, '@compact one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    door.open()
    expect(await first).toMatchObject({ status: 'done' })
    expect(textsOf(await eventsOf('USER_MESSAGE')).slice(1)).toEqual(['one', 'two'])
  })

  it('are delivered after one that the loop itself has started [ALWAYS-07]', async () => {
    const setup = await setUpAgent({ windowTokens: 12_000 })
    const { agent, threadId, threads, dev, frames, eventsOf } = setup
    await threads.import(threadId, longPast(9_500))
    const door = new Door()
    dev.script(summaryBehind(door))
    const first = agent.sendMessage(threadId, 'one')
    await door.reached
    await agent.sendMessage(threadId, 'two')
    door.open()
    expect(await first).toMatchObject({ status: 'done' })
    expect(runsIn(frames)).toMatchObject([{ trigger: 'auto', success: true }])
    expect(textsOf(await eventsOf('USER_MESSAGE')).slice(1)).toEqual(['one', 'two'])
  })
})
