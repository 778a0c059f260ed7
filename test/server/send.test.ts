// Messages and commands through the app: when they are accepted, and what else can be said meanwhile.
import { describe, expect, it } from 'vitest'
import { Door, longPast } from '../agent/past.ts'
import { until } from '../wait.ts'
import { converse, followUntil, isFrame, setUpApp } from './setup.ts'

describe('a message', () => {
  it('is stored when it is accepted', async () => {
    const { client } = await setUpApp({ dev: { pieceDelayMs: 20 } })
    const { threadId } = await client.createThread()
    await client.send(threadId, 'Hello')
    const said = (await client.events(threadId)).filter(({ type }) => type === 'USER_MESSAGE')
    expect(said.map(({ data }) => data)).toEqual(['Hello'])
    await client.abort(threadId)
  })

  it('begins a turn where it is the first of several, and the others wait, in order', async () => {
    const { client, dev } = await setUpApp({ dev: { pieceDelayMs: 10 } })
    const { threadId } = await client.createThread()
    dev.script([{ text: 'word '.repeat(60) }])
    const words = ['one', 'two', 'three']
    const replies = await Promise.all(words.map((text) => client.send(threadId, text)))
    expect(replies.map(({ status }) => status)).toEqual(['started', 'queued', 'queued'])
    await until('the three turns', async () => {
      const { isWorking, queued } = await client.thread(threadId)
      return !isWorking && queued === 0
    })
    const said = (await client.events(threadId)).filter(({ type }) => type === 'USER_MESSAGE')
    expect(said.map(({ data }) => data)).toEqual(words)
  })

  it('waits during /compact, and goes to the fresh session with it', async () => {
    const { client, home, dev } = await setUpApp()
    const { threadId } = await client.createThread({ preset: 'chat' })
    await converse(client, threadId, 'Hello')
    const door = new Door()
    const { ask } = home.model
    Object.assign(home.model, {
      ask: async (request: Parameters<typeof ask>[0]) => {
        await door.pass()
        return ask(request)
      },
    })
    const compacting = client.send(threadId, '/compact')
    await door.reached
    expect((await client.thread(threadId)).isCompacting).toBe(true)
    expect(await client.send(threadId, 'Said meanwhile')).toMatchObject({ status: 'queued' })
    door.open()
    const reply = await compacting
    expect(reply).toMatchObject({ status: 'command', ok: true })
    const fresh = reply.status === 'command' ? (reply.threadId ?? '') : ''
    expect(fresh).not.toBe('')
    // Its turn may be over by now, or not yet begun.
    const last = () => JSON.stringify(dev.requests.at(-1)?.body)
    await expect.poll(last).toContain('Said meanwhile')
    expect(last()).toContain('<summary>')
    await expect.poll(async () => (await client.thread(fresh)).isWorking).toBe(false)
  })

  it('behind @compact begins in the fresh session, and the answer says where', async () => {
    const { client } = await setUpApp()
    const { threadId } = await client.createThread({ preset: 'chat' })
    await converse(client, threadId, 'Hello')
    const reply = await client.send(threadId, '@compact And now the tests')
    expect(reply.status).toBe('started')
    const fresh = reply.status === 'started' ? (reply.threadId ?? '') : ''
    expect(fresh).not.toBe('')
    const said = (await client.events(fresh)).filter(
      (event) => event.type === 'USER_MESSAGE' && event.origin === 'typed',
    )
    expect(said.map(({ data }) => data)).toEqual(['And now the tests'])
  })

  it('of parts is taken: words and an image', async () => {
    const { client, dev } = await setUpApp()
    const { threadId } = await client.createThread()
    const ended = followUntil(client, await client.thread(threadId), isFrame('turn-end'))
    await client.send(threadId, [
      { type: 'text', text: 'What is this?' },
      { type: 'image', media: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ])
    await ended
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('iVBORw0KGgo=')
  })

  it('whose turn fails was accepted all the same, and the stream says what went wrong', async () => {
    const { client } = await setUpApp()
    const thread = await client.createThread()
    await client.change(thread.threadId, { model: 'openai/gpt-5' }) // no key is there
    const ended = followUntil(client, await client.thread(thread.threadId), isFrame('turn-end'))
    expect(await client.send(thread.threadId, 'Hello')).toEqual({ status: 'started' })
    const items = await ended
    expect(items.find(isFrame('turn-end'))).toMatchObject({ frame: { end: 'failed' } })
    expect((await client.thread(thread.threadId)).isWorking).toBe(false)
  })
})

describe('/compact through the app', () => {
  it('is refused while the agent responds, in the words of the design', async () => {
    const { client, dev, home } = await setUpApp({ dev: { pieceDelayMs: 30 } })
    const { threadId } = await client.createThread({ preset: 'chat' })
    await home.threads.append(threadId, longPast(3_000))
    dev.script([{ text: 'word '.repeat(300) }])
    await client.send(threadId, 'Talk')
    const reply = await client.send(threadId, '/compact')
    expect(reply).toMatchObject({
      ok: false,
      text: 'Cannot compact while responding. Use /abort first.',
    })
    await client.abort(threadId)
  })

  it('is taken as soon as the end of the turn was told', async () => {
    const { client } = await setUpApp()
    const { threadId } = await client.createThread({ preset: 'chat' })
    await converse(client, threadId, 'Hello')
    expect(await client.send(threadId, '/compact')).toMatchObject({ status: 'command', ok: true })
  })
})
