// RANGE through the real loop: checkpoints in every user turn, and the tool that names them.
import { describe, expect, it } from 'vitest'
import type {
  MessagePart,
  ProviderCheckpointContent,
  ProviderSystemReminderContent,
} from '../../src/core/view/message.ts'
import { setUpAgent } from './setup.ts'
import {
  compactCall,
  lastResult,
  REMINDER,
  rangeCall,
  transcript,
  violations,
  wireLines,
} from './transcript.ts'

describe('checkpoints', () => {
  it('end every typed message and every message of results, after the reminder [RANGE-01, RANGE-02, RANGE-03, RANGE-04, RANGE-05, RANGE-07]', async () => {
    const { agent, threadId, dev } = await transcript()
    await agent.sendMessage(threadId, 'more')
    const last = dev.requests.at(-1)
    expect(wireLines(last)).toEqual([
      'user["content", reminder, <cp>]',
      'assistant["first", call 1]',
      'user[result 1, reminder, <cp>]',
      'assistant["second", call 2]',
      'user[result 2, reminder, <cp>]',
      'assistant["content3"]',
      'user["more", reminder, <cp>]',
    ])
    const texts = (last?.asked?.turns ?? [])
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const marks = texts.filter((text) => text.includes('<checkpoint'))
    expect(marks).toHaveLength(4)
    for (const mark of marks) expect(mark).toMatch(/^<checkpoint:[A-Za-z0-9]{6}>$/)
    expect(new Set(marks).size).toBe(4)
  })

  it('end every message where there is no reminder either [RANGE-01, RANGE-02]', async () => {
    const { agent, threadId, dev } = await setUpAgent({
      preset: 'range',
      dev: { script: [{ calls: [{ id: '1', name: 'list', arguments: {} }] }, { text: 'ok' }] },
    })
    await agent.sendMessage(threadId, 'look')
    expect(wireLines(dev.requests.at(-1))).toEqual([
      'user["look", <cp>]',
      'assistant[call 1]',
      'user[result 1, <cp>]',
    ])
  })

  it('end what the system says of a call that could not be read [RANGE-02]', async () => {
    const { agent, threadId, dev } = await setUpAgent({
      preset: 'range',
      dev: {
        script: [
          {
            text: 'I write it down.',
            calls: [{ name: 'write', arguments: { path: 'a', content: 'long '.repeat(200) } }],
            fault: { kind: 'cut-off' },
          },
          { text: 'ok' },
        ],
      },
    })
    await agent.sendMessage(threadId, 'write')
    expect(wireLines(dev.requests.at(-1)).at(-1)).toBe('user[reminder, <cp>]')
    expect(violations(dev)).toEqual([])
  })

  it('and reminders are content of messages of their own kinds [RANGE-08]', async () => {
    const { threads, threadId, a } = await transcript()
    const [first] = (await threads.messages(threadId)).messages
    const expected: readonly MessagePart[] = [
      { type: 'system_reminder', text: REMINDER } satisfies ProviderSystemReminderContent,
      { type: 'checkpoint', id: a } satisfies ProviderCheckpointContent,
    ]
    expect(first?.parts.slice(1)).toEqual(expected)
  })

  it('survive a restart and stay addressable [RANGE-14]', async () => {
    const { elsewhere, threadId, dev, c, lines } = await transcript({ onDisk: true })
    const { agent: reopened } = await elsewhere()
    dev.script([rangeCall({ to: c, summary: 'S' }), { text: 'done' }])
    expect((await reopened.sendMessage(threadId, 'third')).status).toBe('done')
    expect((await lines())[0]).toBe('assistant["S"]')
    await reopened.close()
  })

  it('cannot be made by typing one, and a text about one stays a text [RANGE-11, RANGE-12]', async () => {
    const setup = await transcript()
    const { agent, threadId, dev, threads, eventsOf } = setup
    await agent.sendMessage(threadId, '<checkpoint:aaaaaa>')
    dev.script([rangeCall({ from: 'aaaaaa', summary: 'S' }), { text: 'done' }])
    await agent.sendMessage(threadId, 'see <checkpoint:aaaaaa> above')
    expect(await lastResult(setup, threadId)).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('There is no checkpoint aaaaaa'),
    })
    expect(await eventsOf('COMPACTION')).toEqual([])
    const parts = (await threads.messages(threadId)).messages.flatMap((message) => message.parts)
    for (const text of ['<checkpoint:aaaaaa>', 'see <checkpoint:aaaaaa> above'])
      expect(parts).toContainEqual({ type: 'text', text })
  })
})

describe('the compact tool', () => {
  it('is offered with ranges where there are checkpoints, and nowhere else [RANGE-15, RANGE-16, RANGE-26, RANGE-27]', async () => {
    const { agent, threadId, dev } = await setUpAgent({ preset: 'range' })
    const offered = async (preset: string) => {
      await agent.sendMessage(threadId, `/preset ${preset}`)
      await agent.sendMessage(threadId, 'Hello')
      const body = dev.requests.at(-1)?.body as unknown as { tools: OfferedTool[] } | undefined
      return body?.tools.find(({ name }) => name === 'compact')
    }
    const tool = await offered('range')
    expect(tool?.input_schema).toMatchObject({
      required: ['replacements'],
      properties: {
        replacements: {
          items: {
            required: ['summary'],
            properties: {
              from: { type: 'string' },
              to: { type: 'string' },
              summary: { type: 'string' },
            },
          },
        },
      },
    })
    for (const word of [
      'When to use it',
      'long',
      'repetitive',
      'How checkpoints work',
      'summaries',
    ])
      expect(tool?.description).toContain(word)
    for (const preset of ['whole', 'precis', 'chat'])
      expect(JSON.stringify(await offered(preset))).not.toContain('replacements')
    for (const preset of ['log', 'fold', 'fresh']) expect(await offered(preset)).toBeUndefined()
  })

  it('is shown as pending, and then as done or failed [RANGE-23]', async () => {
    const { agent, threadId, dev, frames, a } = await transcript()
    dev.script([
      compactCall({ replacements: 'all' }),
      rangeCall({ to: 'zzzzzz', summary: 'S' }),
      rangeCall({ to: a, summary: 'S' }),
      { text: 'done' },
    ])
    frames.length = 0
    await agent.sendMessage(threadId, 'go')
    const shown = frames
      .filter((frame) => frame.type === 'tool-start' || frame.type === 'tool-end')
      .map((frame) => `${frame.name} ${'status' in frame ? frame.status : 'pending'}`)
    expect(shown).toEqual([
      'compact pending',
      'compact failed',
      'compact pending',
      'compact failed',
      'compact pending',
      'compact completed',
    ])
  })

  it('says what is wrong with its input, where, and how it should look; the thread stays [RANGE-17, RANGE-18, RANGE-19, RANGE-20, RANGE-21, RANGE-22, RANGE-49]', async () => {
    const { agent, threadId, dev, threads, eventsOf } = await transcript()
    const rows = [
      [{ replace: [{ from: 'a', to: 'b', value: 'S' }] }, 'replace', '"replacements": [{'],
      [{ replacements: 'all' }, '`replacements` must be an array'],
      [{ replacements: [{ summary: 'S' }, null] }, 'replacements[1]'],
      [{ replacements: ['S'] }, 'replacements[0]'],
      [{ replacements: [{ from: 1, summary: 'S' }] }, 'replacements[0].from'],
      [{ replacements: [{ summary: 'S' }, { to: null, summary: 'S' }] }, 'replacements[1].to'],
      [{ replacements: [{}] }, 'replacements[0].summary'],
      [{ replacements: [{ summary: ['S'] }] }, 'replacements[0].summary'],
      [{ replacements: [] }, 'empty'],
    ] as const
    let before = ''
    dev.script([
      async () => {
        before = messagesText(await threads.messages(threadId))
        return compactCall(rows[0][0])
      },
      ...rows.slice(1).map(([input]) => compactCall(input)),
      { text: 'done' },
    ])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done', text: 'done' })
    const results = (await eventsOf('TOOL_RESULT')).slice(-rows.length)
    for (const [at, [, ...words]] of rows.entries()) {
      expect(results[at]?.data.status).toBe('failed')
      for (const word of words) expect(results[at]?.data.content[0]?.text).toContain(word)
    }
    expect(messagesText(await threads.messages(threadId)).startsWith(before)).toBe(true)
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(violations(dev)).toEqual([])
  })
})

interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly input_schema: unknown
}

/** To compare by how it begins: one message to a line. */
function messagesText({ messages }: { readonly messages: readonly unknown[] }): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}
