// How entries become messages: order, pairing, and what is left out.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import {
  answer,
  checkpoint,
  local,
  reminder,
  result,
  system,
  thoughtAnswer,
  user,
} from '../../../test/say.ts'
import type { EntryId } from '../edit/change.ts'
import { readRow } from '../log/codec.ts'
import type { EventAt, EventDraft } from '../log/event.ts'
import { buildMessages } from './build.ts'
import type { Part } from './content.ts'
import { foldEvents } from './context.ts'
import type { MessagePart } from './message.ts'

/** Messages as one line each: `user[result a, "text", reminder, checkpoint]`. */
function built(...drafts: (EventDraft | EventDraft[])[]): { lines: string[]; problems: string[] } {
  const log = new TestLog()
  for (const draft of drafts) log.append([draft].flat(), 'leave')
  const { messages, problems } = log.build()
  return {
    lines: messages.map(({ role, parts }) => `${role}[${parts.map(word).join(', ')}]`),
    problems: problems.map(({ code, entry }) => `${code} ${entry}`),
  }
}

function word(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return `"${part.text}"`
    case 'tool_call':
      return `call ${part.id}`
    case 'tool_result':
      return `result ${part.id} ${part.status}`
    case 'checkpoint':
      return `<${part.id}>`
    default:
      return part.type
  }
}

describe('messages from entries', () => {
  it('puts an answer and its calls in one message and all results in the next [LOG-86]', () => {
    const { lines, problems } = built(
      user('go'),
      answer('I read both', 'a', 'b'),
      result('b', 'second'),
      result('a', 'first'),
      user('and now?'),
      answer('done'),
    )
    expect(lines).toEqual([
      'user["go"]',
      'assistant["I read both", call a, call b]',
      'user[result a completed, result b completed, "and now?"]',
      'assistant["done"]',
    ])
    expect(problems).toEqual([])
  })

  it('keeps the order of blocks inside one answer', () => {
    const log = new TestLog()
    const parts = [
      { type: 'thinking', thinking: '', signature: 's1', model: 'anthropic/test' },
      { type: 'text', text: 'first' },
      { type: 'tool_call', callId: 'a' },
      { type: 'thinking', thinking: 'more', signature: 's2', model: 'anthropic/test' },
      { type: 'tool_call', callId: 'b' },
      { type: 'native', provider: 'anthropic', value: { type: 'server_tool_use' } },
    ] as const
    log.append([
      { type: 'AGENT_MESSAGE', data: { content: 'first', parts, calls: ['a', 'b'] } },
      { type: 'TOOL_CALL', data: { id: 'a', name: 'read', arguments: { n: 1 }, answer: 0 } },
      { type: 'TOOL_CALL', data: { id: 'b', name: 'read', arguments: { n: 2 }, answer: 0 } },
    ])
    expect(log.build().messages[0]?.parts).toEqual([
      parts[0],
      parts[1],
      { type: 'tool_call', id: 'a', name: 'read', arguments: { n: 1 } },
      parts[3],
      { type: 'tool_call', id: 'b', name: 'read', arguments: { n: 2 } },
      parts[5],
    ])
  })

  it('closes a user message with its checkpoint, after the reminder', () => {
    const { lines } = built(
      user('go'),
      reminder('careful'),
      checkpoint('aaaaaa'),
      answer('reading', 'a'),
      result('a', 'x'),
      reminder('careful'),
      checkpoint('bbbbbb'),
      user('next'),
    )
    expect(lines).toEqual([
      'user["go", system_reminder, <aaaaaa>]',
      'assistant["reading", call a]',
      'user[result a completed, system_reminder, <bbbbbb>]',
      'user["next"]',
    ])
  })

  it('drops orphans, late results and results without id, and says so [LOG-86] [ALWAYS-04]', () => {
    const { lines, problems } = built(
      result('ghost', 'from nowhere'),
      user('go'),
      answer('reading', 'a', 'b'),
      result('a', 'x'),
      user('never mind'),
      result('b', 'too late'),
      result(undefined, 'whose?'),
    )
    expect(lines).toEqual([
      'user["go"]',
      'assistant["reading", call a, call b]',
      'user[result a completed, result b aborted, "never mind"]',
    ])
    expect(problems).toEqual([
      'orphan-result e1',
      'abandoned-call e3',
      'orphan-result e8',
      'orphan-result e9',
    ])
  })

  it('takes the most telling of several results for one call, and of equals the first [LOG-23]', () => {
    const { lines, problems } = built(
      answer('two', 'a', 'b'),
      result('a', 'fine'),
      result('a', 'no', 'denied'),
      result('a', 'broken', 'failed'),
      result('b', 'one'),
      result('b', 'two'),
    )
    expect(lines[1]).toBe('user[result a denied, result b completed]')
    expect(problems).toEqual(['duplicate-result e4', 'duplicate-result e6', 'duplicate-result e8'])
  })

  it('pairs by round, so that call ids may come back', () => {
    const { lines } = built(
      answer('one', 'a'),
      result('a', '1'),
      answer('two', 'a'),
      result('a', '2', 'failed'),
    )
    expect(lines).toEqual([
      'assistant["one", call a]',
      'user[result a completed]',
      'assistant["two", call a]',
      'user[result a failed]',
    ])
  })

  it('sends a call that is listed twice once, and says so', () => {
    const { lines, problems } = built(answer('twice', 'a', 'a'), result('a', 'x'))
    expect(lines).toEqual(['assistant["twice", call a]', 'user[result a completed]'])
    expect(problems).toEqual(['duplicate-call e1'])
  })

  it('leaves out a call whose arguments cannot be read, and its result with it [LOG-24] [LOG-86]', () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('reading', 'a', 'b')])
    log.append([result('a', 'x'), result('b', 'y')])
    const broken = log.events.map((event) =>
      event.type === 'TOOL_CALL' && event.data.id === 'a' ? readRow({ ...event, data: 7 }) : event,
    )
    const eventAt: EventAt = (seq) => broken[seq - 1]
    const context = foldEvents(broken, eventAt)
    const { messages, problems } = buildMessages(context, eventAt)
    expect(messages.map(({ parts }) => parts.map(word))).toEqual([
      ['"go"'],
      ['"reading"', 'call b'],
      ['result b completed'],
    ])
    expect(problems.map(({ code }) => code)).toEqual(['missing-row', 'orphan-result'])
    expect(context.ignored).toEqual([{ seq: 3, reason: expect.stringContaining('cannot be read') }])
  })

  it('leaves an open call open and says so', () => {
    const { lines, problems } = built(user('go'), answer('reading', 'a', 'b'), result('a', 'x'))
    expect(lines.at(-1)).toBe('user[result a completed]')
    expect(problems).toEqual(['open-call e2'])
  })

  it('never sends local messages, approvals or markers, and the system prompt once [LOG-25]', () => {
    const log = new TestLog()
    log.append([
      system('old prompt'),
      { type: 'USER_SYSTEM_PROMPT', data: 'house rules' },
      user('go'),
      local('a note for the screen'),
      system('new prompt'),
      { type: 'TOOL_APPROVAL_REQUEST', data: { toolCallId: 'a' } },
      { type: 'TOOL_APPROVAL_RESPONSE', data: { toolCallId: 'a', decision: 'allow' } },
      { type: 'MODEL_CHANGED', data: { model: 'anthropic/other' } },
    ])
    log.append(answer('fine'))
    expect(log.compact({ edits: [] })).toBeUndefined()
    const { system: prompts, messages } = log.build()
    expect(prompts).toEqual(['new prompt', 'house rules'])
    expect(messages.map(({ role, parts }) => [role, parts.map(word)])).toEqual([
      ['user', ['"go"']],
      ['assistant', ['"fine"']],
    ])
  })

  it('hides thinking only where a change said so, and drops an answer that was nothing else', () => {
    const log = new TestLog()
    log.append([user('one'), user('two')])
    log.append(thoughtAnswer('hm', 'visible'))
    log.append([
      {
        type: 'AGENT_MESSAGE',
        data: {
          content: '',
          parts: [{ type: 'thinking', thinking: 'only', model: 'anthropic/test' }],
          calls: [],
        },
      },
      user('three'),
    ])
    expect(log.build().messages.map(({ parts }) => parts.map(word))).toEqual([
      ['"one"'],
      ['"two"'],
      ['thinking', '"visible"'],
      ['thinking'],
      ['"three"'],
    ])
    log.compact({
      edits: [{ covers: ['e1'], put: [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] }],
    })
    expect(log.build().messages.map(({ parts }) => parts.map(word))).toEqual([
      ['"S"'],
      ['"two"'],
      ['"visible"'],
      ['"three"'],
    ])
  })

  describe('shows thinking', () => {
    const thinking = (log: TestLog) =>
      log
        .build()
        .messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])),
        )
    const summary = { type: 'USER_MESSAGE', data: 'S', label: 'summary' } as const
    const summarize = (log: TestLog, ...covers: EntryId[]) =>
      expect(log.compact({ edits: [{ covers, put: [summary] }] })).toBeUndefined()

    it('oldest first hidden: none stands before an answer that lost its own', () => {
      const log = new TestLog()
      log.append([user('go'), ...thoughtAnswer('a', 'one'), user('more')])
      summarize(log, 'e1')
      log.append(thoughtAnswer('b', 'two'))
      log.undo() // shows a again, and hides b, which saw the summary
      log.append([user('on'), ...thoughtAnswer('c', 'three')])
      expect(thinking(log)).toEqual(['c'])
    })

    it('of the round that is to be answered in any case, however it was changed', () => {
      const log = new TestLog()
      const parts: Part[] = [
        { type: 'text', text: 'one' },
        { type: 'thinking', thinking: 'a', signature: 's', model: 'anthropic/test' },
        { type: 'tool_call', callId: 'x' },
      ]
      const [said, call] = answer('one', 'x') as [EventDraft, EventDraft]
      log.append([
        user('go'),
        { ...said, data: { content: 'one', parts, calls: ['x'] } } as EventDraft,
        call,
      ])
      log.append([result('x', 'r')])
      log.append(thoughtAnswer('b', 'two'))
      summarize(log, 'e1')
      expect(thinking(log)).toEqual([])
      expect(log.compact({ edits: [{ covers: ['e5'], put: [] }] })).toBeUndefined()
      expect(log.build().messages[1]?.parts.map(word)).toEqual(['"one"', 'thinking', 'call x'])
      const rewrite = {
        type: 'AGENT_MESSAGE',
        data: { content: 'else', calls: ['x'] },
        label: 'repaired',
        of: 'e2',
      } as const
      expect(log.compact({ edits: [{ covers: ['e2'], put: [rewrite] }] })).toBeUndefined()
      expect(log.build().messages[1]?.parts.map(word)).toEqual(['thinking', '"else"', 'call x'])
      expect(log.build().staleThinking).toBe(true)
    })

    it('and says whether something before it was rewritten since', () => {
      const log = new TestLog()
      const stale = () => log.build().staleThinking
      log.append([system('s'), user('go'), ...thoughtAnswer('a', 'one', 'x')])
      expect(stale()).toBe(false)
      summarize(log, 'e2')
      expect(stale()).toBe(true)
      const { messages } = log.build()
      log.undo()
      expect(stale()).toBe(false)
      log.redo()
      expect(log.build()).toMatchObject({ messages, staleThinking: true })
      log.append([result('x', 'r'), ...thoughtAnswer('b', 'two')])
      summarize(log, 'c5.0')
      expect(stale()).toBe(false) // all of it is hidden
      log.append([user('more'), ...thoughtAnswer('c', 'three')])
      expect(stale()).toBe(false)
      log.append([system('other')])
      expect(stale()).toBe(true)
    })
  })

  it('names the entry of what a wire may have to shorten, and of nothing else', () => {
    const log = new TestLog()
    const image = { type: 'image', media: { mimeType: 'image/png', data: 'AAAA' } } as const
    const long = 'x'.repeat(512)
    log.append([
      { type: 'USER_MESSAGE', data: [{ type: 'text', text: 'see' }, image] },
      ...answer(long, 'a'),
      result('a', long),
      user('thanks'),
    ])
    const refs = log
      .build()
      .messages.map(({ parts }) => parts.map((part) => 'ref' in part && part.ref))
    expect(refs).toEqual([
      [false, 'e1'],
      ['e2', false],
      ['e4', false],
    ])
  })
})
