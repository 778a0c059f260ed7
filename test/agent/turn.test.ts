// Turns of a real agent: messages, tools, aborts, on SQLite against the stand-in over HTTP.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Tool } from '../../src/core/agent/tool.ts'
import type { ScriptedAnswer } from '../../src/dev-model/index.ts'
import { eventStream, startFixtureServer } from '../../src/providers/contract/fixture-server.ts'
import { within } from '../wait.ts'
import { openHost, settingsFor } from './host.ts'
import { lastMessages, setUpAgent } from './setup.ts'

describe('a turn', () => {
  it('records what the provider billed with the answer [LOG-04]', async () => {
    const { agent, threadId, dev, eventsOf } = await setUpAgent({
      dev: { script: [{ text: 'Hello yourself.' }] },
    })
    const outcome = await agent.sendMessage(threadId, 'Hello')
    expect(outcome).toMatchObject({ status: 'done', text: 'Hello yourself.' })
    const [answer] = await eventsOf('AGENT_MESSAGE')
    const { usage } = dev.requests.at(-1) ?? {}
    expect(usage?.inputTokens).toBeGreaterThan(0)
    expect(answer?.data.tokenUsage).toMatchObject({
      promptTokens: usage?.inputTokens,
      completionTokens: usage?.outputTokens,
      totalTokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    })
  })

  it('runs calls side by side where they may, up to the limit, and others alone', async () => {
    const running = new Set<string>()
    const starts: string[][] = []
    /** Ends when as many run as its call says. */
    const waiting: { readonly beside: number; resolve(): void }[] = []
    const tool = (name: string, isParallel: boolean): Tool => ({
      name,
      description: 'Says who else runs.',
      inputSchema: { type: 'object' },
      effect: 'none',
      isParallel,
      subjectOf: () => name,
      async run(input, { callId }) {
        const { call, beside } = input as { call: string; beside: number }
        running.add(call)
        starts.push([...running])
        const others = Promise.withResolvers<void>()
        waiting.push({ beside, resolve: others.resolve })
        for (const each of waiting) if (running.size >= each.beside) each.resolve()
        await within('the others to run', others.promise)
        for (let turns = 0; turns < 50; turns += 1) await setImmediate() // time for others to come in
        running.delete(call)
        return { status: 'completed', content: [{ type: 'text', text: callId }] }
      },
    })
    const call = (name: string, id: string, beside = 1) => ({
      name,
      arguments: { call: id, beside },
    })
    const { agent, threadId, eventsOf } = await setUpAgent({
      agent: { tools: [tool('many', true), tool('one', false)], limits: { parallelTools: 3 } },
      dev: {
        script: [
          {
            calls: [
              ...[call('many', 'a', 3), call('many', 'b', 3), call('many', 'c', 3)],
              ...[call('many', 'd'), call('one', 'e')],
              // A tool that there is not keeps nobody apart.
              ...[call('many', 'f', 2), call('fly', 'x'), call('many', 'g', 2)],
              ...[call('one', 'h'), call('one', 'i')],
            ],
          },
          { text: 'Done.' },
        ],
      },
    })
    await agent.sendMessage(threadId, 'go')
    expect(starts.map((each) => each.join(''))).toEqual([
      'a',
      'ab',
      'abc',
      'd',
      'e',
      'f',
      'fg',
      'h',
      'i',
    ])
    expect(await eventsOf('TOOL_RESULT')).toHaveLength(10)
  })

  it('asks again twice in a row for calls that were cut off, and then no more', async () => {
    const cut = {
      calls: [{ name: 'write', arguments: { path: 'a', content: 'w '.repeat(9_000) } }],
    }
    const whole = { calls: [{ name: 'list', arguments: {} }] }
    const play = async (...script: ScriptedAnswer[]) => {
      const { agent, threadId, dev, eventsOf } = await setUpAgent({ dev: { script } })
      const { status } = await agent.sendMessage(threadId, 'write it')
      const reminders = (await eventsOf('SYSTEM_REMINDER')).map(({ data }) => data)
      const asked = reminders.filter(
        (text) =>
          text ===
          'The arguments of your call to write were cut off or are no JSON, so it was not run. Call again, with shorter arguments if they were long.',
      )
      return { status, requests: dev.requests.length, asked: asked.length }
    }
    expect(await play(cut, cut, cut, cut)).toEqual({ status: 'done', requests: 3, asked: 2 })
    // One that could be read begins the count again.
    expect(await play(cut, cut, whole, cut, cut, { text: 'So be it.' })).toEqual({
      status: 'done',
      requests: 6,
      asked: 4,
    })
  })

  it('stores exactly 100, 50 and 150 where a provider reports 100 and 50 [LOG-05]', async () => {
    const server = await startFixtureServer()
    server.replyWith(
      eventStream([
        { type: 'message_start', message: { role: 'assistant', usage: { input_tokens: 100 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi.' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } },
        { type: 'message_stop' },
      ]),
    )
    const settings = settingsFor(server.url)
    const { agent, threads, close } = await openHost({
      storeUrl: 'memory:',
      folder: tmpdir(),
      settings,
    })
    onTestFinished(async () => {
      await close()
      await server.close()
    })
    const threadId = await threads.create()
    expect(await agent().sendMessage(threadId, 'Hello')).toMatchObject({ status: 'done' })
    const stored = (await threads.getAllEvents(threadId)).filter(
      ({ type }) => type === 'AGENT_MESSAGE',
    )
    expect(stored).toMatchObject([{ type: 'AGENT_MESSAGE' }])
    expect(Object(stored[0]?.data).tokenUsage).toEqual({
      promptTokens: 100,
      completionTokens: 50,
      totalTokens: 150,
    })
  })

  it('runs the tools it calls until there is nothing left to do', async () => {
    const { agent, threadId, folder, eventsOf, dev } = await setUpAgent({
      dev: {
        script: [
          {
            calls: [
              { name: 'read', arguments: { path: 'a.txt' } },
              { name: 'list', arguments: {} },
            ],
          },
          { calls: [{ name: 'write', arguments: { path: 'b.txt', content: 'new' } }] },
          { text: 'Done.' },
        ],
      },
    })
    writeFileSync(join(folder, 'a.txt'), 'alpha\n')
    const outcome = await agent.sendMessage(threadId, 'copy it')
    expect(outcome).toMatchObject({ status: 'done', text: 'Done.' })
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new')
    const results = await eventsOf('TOOL_RESULT')
    expect(results.map(({ data }) => data.status)).toEqual(['completed', 'completed', 'completed'])
    expect(dev.requests.every(({ violations }) => violations.length === 0)).toBe(true)
    expect(dev.requests).toHaveLength(3)
  })

  it('answers an unknown tool and a denied one with what is wrong', async () => {
    const { agent, threadId, eventsOf } = await setUpAgent({
      agent: { approval: { mode: 'ask', allow: ['read'], deny: [], readOnly: false } },
      dev: {
        script: [
          {
            calls: [
              { name: 'fly', arguments: {} },
              { name: 'run', arguments: { command: 'touch x' } },
            ],
          },
          { text: 'I see.' },
        ],
      },
    })
    await agent.sendMessage(threadId, 'go')
    const [unknown, denied] = (await eventsOf('TOOL_RESULT')).map(({ data }) => data)
    expect(unknown).toMatchObject({ status: 'failed' })
    expect(unknown?.content[0]?.text).toBe(
      'There is no tool fly. Tools: read, list, search, write, edit, run, recall, task.',
    )
    expect(denied).toMatchObject({
      status: 'denied',
      content: [
        {
          text: 'No pattern allows the command touch x. Permission could not be asked for; the call was not run.',
        },
      ],
    })
  })

  it('ends after as many requests as it may make, and goes on where the user says so', async () => {
    const list = { calls: [{ name: 'list', arguments: {} }] }
    const { agent, threadId, dev, frames } = await setUpAgent({ agent: { limits: { steps: 3 } } })
    dev.script([list, list, list, { text: 'Listed.' }])
    const outcome = await agent.sendMessage(threadId, 'list for ever')
    const message = 'The turn was stopped after 3 requests. Send «continue» to continue.'
    expect(outcome).toMatchObject({ status: 'step-limit', error: { code: 'step-limit', message } })
    expect(dev.requests).toHaveLength(3)
    expect(frames).toContainEqual(expect.objectContaining({ type: 'turn-end', end: 'step-limit' }))
    expect(await agent.sendMessage(threadId, 'continue')).toMatchObject({ text: 'Listed.' })
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it.each([
    { breaks: 2, of: 'half of it ', status: 'done', answers: [['Whole.', 'end']] },
    {
      ...{ breaks: 3, of: 'half of it ', status: 'failed' },
      answers: [[expect.stringMatching(/^half of it/), 'error']],
    },
    { breaks: 3, of: ' \n', status: 'failed', answers: [] },
  ])('asks again for an answer that broke $breaks times: $status', async (row) => {
    const { agent, threadId, dev, frames, eventsOf } = await setUpAgent({
      dev: { pieceDelayMs: 1 },
    })
    const broken = {
      text: row.of.repeat(40),
      fault: { kind: 'drop', at: 'middle' },
    } as const
    dev.script([...Array.from({ length: row.breaks }, () => broken), { text: 'Whole.' }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: row.status })
    expect(frames.filter(({ type }) => type === 'answer-restart')).toHaveLength(2)
    expect(dev.requests).toHaveLength(3)
    const answers = await eventsOf('AGENT_MESSAGE')
    expect(answers.map(({ data }) => [data.content, data.stopReason])).toEqual(row.answers)
  })

  it('asks no second time where the server asks for a long pause before an answer', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent()
    dev.fail({ kind: 'rate-limit', retryAfterS: 600, times: 9 })
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'rate-limited' } })
    expect(frames.filter(({ type }) => type === 'answer-restart')).toEqual([])
    expect(dev.requests).toHaveLength(1)
  })

  it('leaves a valid thread when it is aborted while a tool runs', async () => {
    const { agent, threadId, frames, eventsOf, dev } = await setUpAgent({
      dev: {
        script: [
          { calls: [{ name: 'run', arguments: { command: 'sleep 30' } }] },
          { text: 'Yes.' },
        ],
      },
    })
    agent.on((frame) => {
      if (frame.type === 'tool-start') void agent.abort(threadId)
    })
    const outcome = await agent.sendMessage(threadId, 'wait')
    expect(outcome.status).toBe('aborted')
    const [result] = await eventsOf('TOOL_RESULT')
    expect(result?.data.status).toBe('aborted')
    expect(frames.filter(({ type }) => type === 'turn-end')).toHaveLength(1)
    expect((await agent.sendMessage(threadId, 'and now?')).status).toBe('done')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('keeps the text of an answer that is aborted half way', async () => {
    const { agent, threadId, eventsOf, dev } = await setUpAgent({
      dev: { script: [{ text: 'word '.repeat(400) }, { text: 'ok' }], pieceDelayMs: 20 },
    })
    const ignore = agent.on((frame) => {
      if (frame.type === 'text-delta') void agent.abort(threadId)
    })
    expect((await agent.sendMessage(threadId, 'talk')).status).toBe('aborted')
    ignore()
    const [answer] = await eventsOf('AGENT_MESSAGE')
    expect(answer?.data).toMatchObject({ stopReason: 'aborted' })
    expect(answer?.data.content).toMatch(/^word /)
    expect((await agent.sendMessage(threadId, 'and?')).status).toBe('done')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('shows a long result in part, keeps it in full, and lets it be recalled', async () => {
    const { agent, threadId, folder, eventsOf, dev } = await setUpAgent({
      dev: {
        script: [
          { calls: [{ name: 'run', arguments: { command: 'cat long.txt' } }] },
          { text: 'Long.' },
        ],
      },
    })
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} of many`)
    writeFileSync(join(folder, 'long.txt'), lines.join('\n'))
    await agent.sendMessage(threadId, 'look')
    const [result] = await eventsOf('TOOL_RESULT')
    expect(result?.data.content[0]?.text).toContain('line 10000 of many')
    const sent = JSON.stringify(dev.requests.at(-1)?.body)
    expect(sent).not.toContain('line 10000 of many')
    expect(sent).toContain(`ref e${result?.seq}`)
    const reply = await agent.sendMessage(threadId, `/recall e${result?.seq}`)
    expect(reply).toMatchObject({ status: 'command', reply: { ok: true } })
    expect(JSON.stringify(reply)).toContain('line 3 of many')
  })

  it('sends what begins with a slash and is no command as it was typed [LOG-31]', async () => {
    const { agent, threadId, dev } = await setUpAgent()
    for (const text of ['/etc/hosts is broken', '/compactfoo']) {
      expect((await agent.sendMessage(threadId, text)).status).toBe('done')
      expect(lastMessages(dev).at(-1)).toEqual({ role: 'user', text })
    }
  })
})
