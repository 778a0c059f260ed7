// What must not hang, be lost, or be written by somebody who no longer may.
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../src/core/agent/tool.ts'
import { randomIds } from '../../src/system.ts'
import { MODEL } from './host.ts'
import { longPast } from './past.ts'
import { setUpAgent } from './setup.ts'

const HANGS: Tool = {
  name: 'hang',
  description: 'Never ends, and does not listen.',
  inputSchema: { type: 'object' },
  effect: 'none',
  isParallel: true,
  subjectOf: () => 'for ever',
  run: () => new Promise(() => undefined),
}
const CALLS_IT = { calls: [{ name: 'hang', arguments: {} }] }

describe('an agent', () => {
  it('can be stopped while a tool hangs that does not listen', async () => {
    const { agent, threadId, eventsOf } = await setUpAgent({
      agent: { tools: [HANGS] },
      dev: { script: [CALLS_IT] },
    })
    agent.on((frame) => {
      if (frame.type === 'tool-start') void agent.abort(threadId)
    })
    expect((await agent.sendMessage(threadId, 'go')).status).toBe('aborted')
    expect((await eventsOf('TOOL_RESULT'))[0]?.data.status).toBe('aborted')
  })

  it('can be stopped while somebody is asked who does not answer', async () => {
    const { agent, threadId } = await setUpAgent({
      agent: {
        approval: { mode: 'ask', allow: [], deny: [], readOnly: false },
        approver: () => new Promise(() => undefined),
      },
      dev: { script: [{ calls: [{ name: 'run', arguments: { command: 'ls' } }] }] },
    })
    agent.on((frame) => {
      if (frame.type === 'approval-request') void agent.abort(threadId)
    })
    expect((await agent.sendMessage(threadId, 'go')).status).toBe('aborted')
  })

  it('survives a subject that throws', async () => {
    const broken: Tool = {
      ...HANGS,
      subjectOf: () => {
        throw new Error('no subject')
      },
    }
    const { agent, threadId, eventsOf } = await setUpAgent({
      agent: { tools: [broken] },
      dev: { script: [CALLS_IT, { text: 'I see.' }] },
    })
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    expect((await eventsOf('TOOL_RESULT'))[0]?.data).toMatchObject({
      status: 'failed',
      content: [{ type: 'text', text: 'hang failed: no subject' }],
    })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no terminal')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no terminal'))],
  ])('takes an approver that %s for a no', async (_, approver) => {
    const { agent, threadId, folder, eventsOf } = await setUpAgent({
      agent: { approval: { mode: 'ask', allow: [], deny: [], readOnly: false }, approver },
      dev: {
        script: [
          { calls: [{ name: 'write', arguments: { path: 'made.txt', content: 'x' } }] },
          { text: 'I see.' },
        ],
      },
    })
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    expect((await eventsOf('TOOL_APPROVAL_RESPONSE')).map(({ data }) => data.decision)).toEqual([
      'deny',
    ])
    expect((await eventsOf('TOOL_RESULT'))[0]?.data).toMatchObject({
      status: 'denied',
      content: [{ type: 'text', text: 'The user did not allow it.' }],
    })
    expect(readdirSync(folder)).toEqual([])
  })

  const WRITES = { name: 'write', arguments: { path: 'made.txt', content: 'x' } }

  it('asks nobody about what a rule denies', async () => {
    let asked = 0
    const { agent, threadId, folder, eventsOf } = await setUpAgent({
      agent: {
        approval: { mode: 'ask', allow: [], deny: ['write:*'], readOnly: false },
        approver: async () => {
          asked += 1
          return 'allow'
        },
      },
      dev: { script: [{ calls: [WRITES] }, { text: 'I see.' }] },
    })
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    expect((await eventsOf('TOOL_RESULT'))[0]?.data.status).toBe('denied')
    expect(asked).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([undefined, 'yes', true, 'Allow'])('takes the answer %j for a no', async (said) => {
    const { agent, threadId, folder, eventsOf } = await setUpAgent({
      agent: {
        approval: { mode: 'ask', allow: [], deny: [], readOnly: false },
        approver: async () => said as 'allow',
      },
      dev: { script: [{ calls: [WRITES] }, { text: 'I see.' }] },
    })
    await agent.sendMessage(threadId, 'go')
    expect((await eventsOf('TOOL_RESULT'))[0]?.data.status).not.toBe('completed')
    expect(readdirSync(folder)).toEqual([])
  })

  it('asks about no further call once it was stopped', async () => {
    let asked = 0
    const { agent, threadId, folder, eventsOf } = await setUpAgent({
      agent: {
        approval: { mode: 'ask', allow: [], deny: [], readOnly: false },
        approver: async () => {
          asked += 1
          void agent.abort(threadId)
          return 'allow'
        },
      },
      dev: { script: [{ calls: [WRITES, WRITES] }, { text: 'I see.' }] },
    })
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'aborted' })
    expect(asked).toBe(1)
    expect(await eventsOf('TOOL_APPROVAL_REQUEST')).toHaveLength(1)
    const outcomes = (await eventsOf('TOOL_RESULT')).map(({ data }) => data)
    expect(outcomes).toMatchObject([
      { status: 'aborted' }, // in the words of the tool, where that had begun
      { status: 'aborted', content: [{ text: 'aborted: the user stopped it.' }] },
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  it('writes nothing once another one has the thread', async () => {
    const { agent, threadId, store, events, eventsOf, dev } = await setUpAgent({
      ids: { next: (prefix) => (prefix === 'agent' ? 'one' : randomIds.next(prefix)) },
      agent: { tools: [HANGS], limits: { leaseMs: 300 } },
      dev: { script: [CALLS_IT] },
    })
    const turn = agent.sendMessage(threadId, 'go')
    await expect.poll(() => eventsOf('TOOL_CALL')).toHaveLength(1)
    // As if its process had slept: another one takes the lease when its time is over.
    await store.releaseLease(`thread:${threadId}`, 'one')
    expect(await store.takeLease(`thread:${threadId}`, 'another', 60_000)).toBe(true)
    const before = await events()
    expect((await turn).status).toBe('aborted')
    expect(await events()).toEqual(before)
    expect(dev.requests).toHaveLength(1)
  })

  it('delivers a message that was queued behind a process that died [ALWAYS-07]', async () => {
    const { agent, threadId, store, eventsOf } = await setUpAgent({
      agent: { limits: { leaseMs: 600 } },
    })
    await store.takeLease(`thread:${threadId}`, 'the dead', 600)
    expect((await agent.sendMessage(threadId, 'hello')).status).toBe('queued')
    await expect.poll(() => eventsOf('AGENT_MESSAGE')).toHaveLength(1)
    expect((await eventsOf('USER_MESSAGE')).map(({ data }) => data)).toEqual(['hello'])
  })

  it('asks nothing on a resume where nothing was interrupted', async () => {
    const { agent, threadId, dev, events } = await setUpAgent()
    expect(await agent.resume(threadId)).toMatchObject({ status: 'done' })
    await agent.sendMessage(threadId, 'hello')
    const before = await events()
    expect(await agent.resume(threadId)).toMatchObject({ status: 'done' })
    expect(await events()).toEqual(before)
    expect(dev.requests).toHaveLength(1)
  })

  it('warns once when the context is nearly full', async () => {
    const { agent, threadId, threads, frames } = await setUpAgent({ windowTokens: 12_000 })
    await threads.import(threadId, longPast(7_400))
    await agent.sendMessage(threadId, 'one')
    await agent.sendMessage(threadId, 'two')
    const warnings = frames.filter(
      (frame) => frame.type === 'notice' && frame.message.includes('nearly full'),
    )
    expect(warnings).toHaveLength(1)
  })

  it('takes settings for single models', async () => {
    const { agent, threadId, threads, frames } = await setUpAgent({
      windowTokens: 12_000,
      agent: { settings: { preset: 'log', autoByModel: { [MODEL]: { enabled: false } } } },
    })
    await threads.import(threadId, longPast(8_800))
    await agent.sendMessage(threadId, 'one')
    expect(frames.filter(({ type }) => type === 'COMPACTION_START')).toEqual([])
  })

  it('says no when it is closed', async () => {
    const { another, threadId } = await setUpAgent()
    const closed = another()
    await closed.close()
    await expect(closed.sendMessage(threadId, 'hello')).rejects.toMatchObject({ code: 'aborted' })
  })
})
