// Files that are not what they should be: a clear message or a note, never a crash, and nothing is lost.
import { describe, expect, it } from 'vitest'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { textSource } from '../../src/formats/reading/sample.ts'
import type { Source } from '../../src/formats/session-format.ts'
import { formatOf, lines, openSource, openText, outgoingOf, writing } from './session.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const user = (text: string) => ({
  uuid: 'u',
  sessionId: 's',
  type: 'user',
  message: { role: 'user', content: text },
})

describe('what cannot be read is told', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['nothing', '', /empty/],
    ['blanks', ' \n\n ', /empty/],
    ['prose', 'Dear diary,\nnothing happened.', /format of the file is unknown/],
    ['another kind of JSON', '{"name":"x","version":"1"}', /format of the file is unknown/],
    ['a number', '42', /format of the file is unknown/],
  ]
  for (const [name, text, message] of cases)
    it(name, async () => {
      await expect(openText(text)).rejects.toThrow(message)
      await expect(openText(text)).rejects.toMatchObject({ hint: expect.stringMatching(/\w/) })
    })

  it('bytes that are no text, with the line', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode(lines(user('hi'))), 0xff, 0xfe, 0x00])
    const source: Source = {
      async *open() {
        yield bytes
      },
    }
    await expect(openSource(source)).rejects.toMatchObject({
      code: 'invalid-input',
      where: 'line 1',
    })
  })

  it('a document with a fault in the middle, with the item', async () => {
    const text = '{"info":{},"messages":[{"info":{"role":"user"},"parts":[]},{"info":nope}]}'
    await expect(openText(text, formatOf('opencode'))).rejects.toMatchObject({
      code: 'invalid-input',
      where: expect.stringContaining('messages[1]'),
    })
  })
})

describe('records that the log cannot hold are kept as text', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['nested 5,000 deep', `{"type":"user","uuid":"x","message":{"content":${nested(5_000)}}}`],
    ['a number without end', '{"type":"user","uuid":"x","message":{"content":1e999}}'],
    ['not JSON', '{"type": oops}'],
    ['no object', '[1,2,3]'],
    ['a text', '"only words"'],
  ]
  for (const [name, record] of cases)
    it(name, async () => {
      const text = `${lines(user('hi'))}${record}\n${lines({ ...user('there'), uuid: 'v', parentUuid: 'u' })}`
      const opened = await openText(text)
      expect(opened.view.messages).toHaveLength(2)
      expect(opened.notes.account).toMatchObject({ records: 3, modelled: 2 })
      const written = opened.format.write?.(await outgoingOf(opened), writing())
      expect(written?.text).toContain(record)
    })

  it('an item of a document that is nested too deep', async () => {
    const text = `{"messages":[{"role":"system","content":"s"},{"role":"user","content":${nested(5_000)}},{"role":"user","content":"hi"}]}`
    const { view, notes } = await openText(text)
    expect(view.messages).toHaveLength(1)
    expect(notes.account).toMatchObject({ records: 3, modelled: 2 })
  })
})

describe('values of the wrong type do no harm', () => {
  const WRONG = [null, true, 7, 'x', [], {}, [null], { type: 'text' }, [{ type: 'text', text: 7 }]]
  /** A good record of each format, with places to put a wrong value in. */
  const RECORDS: readonly (readonly [string, (wrong: unknown) => string])[] = [
    [
      'claude-code',
      (w) =>
        lines(
          user('hi'),
          { uuid: 'a', parentUuid: w, type: 'assistant', message: { id: w, content: w, usage: w } },
          { type: 'attachment', uuid: w, attachment: w },
          { type: 'system', subtype: 'compact_boundary', compactMetadata: w },
          { type: w },
          { uuid: 'z', type: 'user', isCompactSummary: true, message: w },
        ),
    ],
    [
      'codex',
      (w) =>
        lines(
          { type: 'session_meta', payload: { base_instructions: w } },
          { type: 'response_item', payload: { type: 'message', role: 'user', content: w } },
          {
            type: 'response_item',
            payload: { type: 'function_call', name: w, arguments: w, call_id: w },
          },
          {
            type: 'response_item',
            payload: { type: 'function_call_output', call_id: w, output: w },
          },
          { type: 'compacted', payload: { replacement_history: w, message: w } },
          { type: 'event_msg', payload: w },
        ),
    ],
    [
      'pi',
      (w) =>
        lines(
          { type: 'session', id: 'x', cwd: '/' },
          { type: 'message', id: w, parentId: w, message: w },
          { type: 'message', message: { role: 'assistant', content: w, usage: w } },
          { type: 'message', message: { role: 'toolResult', content: w, toolCallId: w } },
          { type: 'compaction', summary: w, firstKeptEntryId: w },
          { type: 'model_change', model: w },
        ),
    ],
    [
      'opencode',
      (w) =>
        JSON.stringify({
          info: w,
          messages: [
            w,
            { info: w, parts: w },
            {
              info: { role: 'assistant', tokens: w, error: w },
              parts: [{ type: 'tool', state: w, callID: w }, w],
            },
            { info: { role: 'user' }, parts: [{ type: 'file', url: w, mime: w }] },
          ],
        }),
    ],
    [
      'gemini-cli',
      (w) =>
        JSON.stringify({
          sessionId: w,
          projectHash: w,
          messages: [
            w,
            { id: 'a', type: 'gemini', content: w, toolCalls: w, thoughts: w, tokens: w },
            { id: 'b', type: 'gemini', toolCalls: [w] },
            { id: 'u', type: 'user', content: w },
          ],
        }),
    ],
    [
      'copilot-cli',
      (w) =>
        lines(
          { type: 'session.start', data: {} },
          { type: 'assistant.message', data: { toolRequests: w, content: w } },
          { type: 'tool.execution_complete', data: { toolCallId: w, result: w } },
          { type: 'session.compaction_complete', data: { summaryContent: w } },
          { type: w, data: w },
        ),
    ],
    [
      'cline',
      (w) =>
        JSON.stringify([
          w,
          { role: 'user', content: w },
          { role: 'assistant', content: w, metrics: w, modelInfo: w },
          { role: w, content: [w] },
        ]),
    ],
    [
      'openhands',
      (w) =>
        JSON.stringify([
          { id: 1, source: 'agent', action: 'run', args: w, tool_call_metadata: w },
          { id: w, source: w, observation: w, content: w, cause: w },
          { id: 2, source: 'agent', action: 'condensation', args: w },
        ]),
    ],
    [
      'swe-agent',
      (w) =>
        JSON.stringify({
          history: [w, { role: w, content: w }, { role: 'tool', content: w, tool_call_ids: w }],
          trajectory: w,
        }),
    ],
    [
      'openai-chat',
      (w) =>
        JSON.stringify([
          { role: 'system', content: w },
          { role: 'assistant', content: w, tool_calls: w },
          { role: 'assistant', tool_calls: [w] },
          { role: 'tool', content: w, tool_call_id: w },
          w,
        ]),
    ],
    [
      'openai-responses',
      (w) =>
        JSON.stringify({
          instructions: w,
          input: [
            w,
            { type: 'message', role: 'user', content: w },
            { type: 'reasoning', summary: w },
            { type: 'function_call_output', output: w, call_id: w },
          ],
        }),
    ],
    [
      'ai-sdk',
      (w) =>
        JSON.stringify([
          w,
          { role: 'assistant', content: w },
          { role: 'user', parts: w },
          { role: 'tool', content: [{ type: 'tool-result', output: w }, w] },
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: w, toolName: w }] },
        ]),
    ],
  ]
  for (const [id, make] of RECORDS)
    it(`of ${id}`, async () => {
      for (const wrong of WRONG) {
        const { notes } = await openText(make(wrong), formatOf(id))
        const { records, modelled, kept, ignored } = notes.account
        const others = [...kept.values(), ...ignored.values()].reduce(
          (sum, count) => sum + count,
          0,
        )
        expect(modelled + others).toBe(records)
      }
    })
})

describe('a file named as another format', () => {
  for (const format of SESSION_FORMATS.filter(({ id }) => id !== 'anthropic'))
    it(`is read by ${format.id} without a crash`, async () => {
      for (const text of [
        lines(user('hi')),
        '{"messages":[{"role":"user","content":"hi"}]}',
        '[]',
        '{}',
      ]) {
        const run = openText(text, format)
        await run.then(
          ({ notes }) => expect(notes.account.records).toBeGreaterThanOrEqual(0),
          (error) => expect(error).toMatchObject({ code: 'invalid-input' }),
        )
      }
    })
})

describe('pieces of a file', () => {
  it('may end anywhere, inside of a character too', async () => {
    const text = lines(user('簡潔に ✂️ "quoted" \\ back'), {
      ...user('two'),
      uuid: 'v',
      parentUuid: 'u',
    })
    const bytes = new TextEncoder().encode(text)
    const whole = await openSource(textSource(text))
    for (const size of [1, 2, 3, 7, 64]) {
      const source: Source = {
        async *open() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
        },
      }
      expect((await openSource(source)).view).toEqual(whole.view)
    }
  })

  it('of a document may end anywhere', async () => {
    const text = JSON.stringify(
      {
        a: { b: ['x'] },
        messages: [
          { role: 'system', content: 's\\"]' },
          { role: 'user', content: '[{"簡' },
        ],
        z: [1, [2]],
      },
      null,
      1,
    )
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 2, 5, 1_000]) {
      const source: Source = {
        async *open() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
        },
      }
      const { view, threads, threadId } = await openSource(source)
      expect(view).toMatchObject({ system: ['s\\"]'], messages: [{ parts: [{ text: '[{"簡' }] }] })
      const events = await threads.getAllEvents(threadId)
      const envelope = events.find(({ type }) => type === 'FOREIGN')
      expect(envelope?.data).toMatchObject({
        envelope: { a: { b: ['x'] }, messages: [], z: [1, [2]] },
      })
    }
  })
})
