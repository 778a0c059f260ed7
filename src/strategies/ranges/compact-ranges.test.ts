// Ranges between checkpoints, on the transcript of the vectors and on small threads around it.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import {
  answer,
  checkpoint,
  local,
  reminder,
  result,
  thoughtAnswer,
  user,
} from '../../../test/say.ts'
import type { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { UNDONE_COMPACT } from '../../core/log/event.ts'
import type { Part } from '../../core/view/content.ts'
import type { MessagePart } from '../../core/view/message.ts'
import { compactRanges, type RangeReplacement } from './compact-ranges.ts'

/** The transcript T of the vectors. */
function transcript(): TestLog {
  const log = new TestLog()
  log.append([user('content'), reminder('careful'), checkpoint('aaaaaa')])
  log.append(thoughtAnswer('hm', 'first', '1'))
  log.append([result('1', 'res1'), reminder('careful'), checkpoint('bbbbbb')])
  log.append(thoughtAnswer('hm', 'second', '2'))
  log.append([result('2', 'res2'), reminder('careful'), checkpoint('cccccc')])
  log.append(thoughtAnswer('hm', 'content3'))
  return log
}

/** Compacts and commits; the error where there is one. */
function compact(
  log: TestLog,
  replacements: readonly RangeReplacement[],
  closes?: string,
): PrecisError | undefined {
  const { context, eventAt } = log
  const made = compactRanges({
    context,
    eventAt,
    replacements,
    ...(closes !== undefined && { closes }),
  })
  if (!made.ok) return made.error
  expect(log.compact(made, 'tool')).toBeUndefined()
  return undefined
}

it('strips redacted thinking too, before, inside and after the range [RANGE-38]', () => {
  const log = new TestLog()
  const redacted = (at: number): EventDraft => ({
    type: 'AGENT_MESSAGE',
    data: {
      content: `answer ${at}`,
      calls: [],
      parts: [
        { type: 'redacted_thinking', data: `sealed ${at}`, model: 'a/b' },
        { type: 'text', text: `answer ${at}` },
      ],
    },
  })
  log.append([user('1'), checkpoint('aaaaaa'), redacted(1), user('2'), checkpoint('bbbbbb')])
  log.append([redacted(2), user('3'), checkpoint('cccccc'), redacted(3), user('4')])
  expect(JSON.stringify(log.build().messages)).toMatch(/sealed 1.*sealed 2.*sealed 3/)
  expect(compact(log, [{ from: 'bbbbbb', to: 'cccccc', summary: 'S' }])).toBeUndefined()
  const sent = JSON.stringify(log.build().messages)
  expect(sent).toMatch(/answer 1.*answer 3/)
  expect(sent).not.toContain('sealed')
})

/** Messages as one line each: `user[result 1, "text", <aaaaaa>]`. */
function lines(log: TestLog): string[] {
  const { messages, problems } = log.build()
  expect(problems).toEqual([])
  return messages.map(({ role, parts }) => `${role}[${parts.map(word).join(', ')}]`)
}

function word(part: MessagePart): string {
  if (part.type === 'text') return `"${part.text}"`
  if (part.type === 'tool_call') return `call ${part.id}`
  if (part.type === 'tool_result') return `result ${part.id} ${JSON.stringify(part.content)}`
  return part.type === 'checkpoint' ? `<${part.id}>` : part.type
}

/** Everything about a thread that an error must leave as it was. */
function bytes(log: TestLog): string {
  return JSON.stringify([log.events, log.items, log.build()])
}

/** An error with these words in it, and nothing changed. */
function refuses(log: TestLog, replacements: RangeReplacement[], ...words: string[]): void {
  const before = bytes(log)
  const error = compact(log, replacements)
  for (const text of words) expect(`${error?.message} ${error?.hint}`).toContain(text)
  expect(error?.where).toContain('replacements')
  expect(bytes(log)).toBe(before)
}

const S = 'assistant["S"]'
const U1 = 'user["content", <aaaaaa>]'
const A1 = 'assistant["first", call 1]'
const U2 = 'user[result 1 [{"type":"text","text":"res1"}], <bbbbbb>]'
const A2 = 'assistant["second", call 2]'
const U3 = 'user[result 2 [{"type":"text","text":"res2"}], <cccccc>]'
const A3 = 'assistant["content3"]'

describe('ranges on the transcript of the vectors', () => {
  const given = (...replacements: RangeReplacement[]) => {
    const log = transcript()
    expect(compact(log, replacements)).toBeUndefined()
    return lines(log)
  }

  it('from a to c [RANGE-28] [RANGE-51]', () => {
    expect(given({ from: 'aaaaaa', to: 'cccccc', summary: 'S' })).toEqual([U1, S, A3])
  })

  it('from a to the end [RANGE-29]', () => {
    expect(given({ from: 'aaaaaa', summary: 'S' })).toEqual([U1, S])
  })

  it('from the start to c [RANGE-30]', () => {
    expect(given({ to: 'cccccc', summary: 'S' })).toEqual([S, A3])
  })

  it('from the start to a', () => {
    expect(given({ to: 'aaaaaa', summary: 'S' })).toEqual([S, A1, U2, A2, U3, A3])
  })

  it('from b to c [RANGE-32]', () => {
    expect(given({ from: 'bbbbbb', to: 'cccccc', summary: 'S' })).toEqual([U1, A1, U2, S, A3])
  })

  it('from a to b, deleted: the call goes with its result [RANGE-35] [RANGE-51]', () => {
    expect(given({ from: 'aaaaaa', to: 'bbbbbb', summary: '' })).toEqual([U1, A2, U3, A3])
  })

  it('everything [RANGE-31]', () => {
    expect(given({ summary: 'S' })).toEqual([S])
  })

  it('two ranges, in either order [RANGE-44]', () => {
    const one = { to: 'aaaaaa', summary: 'S1' }
    const two = { from: 'bbbbbb', summary: 'S2' }
    expect(given(one, two)).toEqual(['assistant["S1"]', A1, U2, 'assistant["S2"]'])
    expect(given(two, one)).toEqual(given(one, two))
  })

  it('two ranges that share a checkpoint, with both summaries in order [RANGE-46]', () => {
    const one = { from: 'aaaaaa', to: 'bbbbbb', summary: 'S1' }
    const two = { from: 'bbbbbb', to: 'cccccc', summary: 'S2' }
    expect(given(two, one)).toEqual([U1, 'assistant["S1"]', 'assistant["S2"]', A3])
  })

  it('from c to a is an error [RANGE-47] [RANGE-49]', () => {
    refuses(transcript(), [{ from: 'cccccc', to: 'aaaaaa', summary: 'S' }], 'cccccc', 'aaaaaa')
  })

  it('to an unknown checkpoint is an error that lists the valid ones [RANGE-48] [RANGE-49]', () => {
    const valid = 'aaaaaa, bbbbbb, cccccc'
    refuses(transcript(), [{ to: 'zzzzzz', summary: 'S' }], 'zzzzzz', valid)
    refuses(transcript(), [{ from: 'zzzzzz', summary: 'S' }], 'zzzzzz', valid)
    refuses(transcript(), [{ from: '<checkpoint:zzzzzz>', summary: 'S' }], ':zzzzzz>', valid)
    refuses(transcript(), [{ from: '<checkpoint:zzzzzz/>', summary: 'S' }], 'zzzzzz/>', valid)
    refuses(transcript(), [{ from: 'aaaaaa to bbbbbb', summary: 'S' }], 'aaaaaa to', valid)
    refuses(transcript(), [{ from: '', summary: 'S' }], valid)
  })

  it.each([
    '<checkpoint:aaaaaa>',
    '<checkpoint:aaaaaa/>',
    ' <checkpoint: aaaaaa /> ',
    '</checkpoint:aaaaaa>',
    '`<checkpoint:aaaaaa/>`',
    '"<checkpoint:aaaaaa>"',
    "'aaaaaa'",
    '<CHECKPOINT:AAAAAA>',
    'AAAAAA',
    '<checkpoint id="aaaaaa"/>',
    '&lt;checkpoint:aaaaaa&gt;',
    '\\u003ccheckpoint:aaaaaa\\u003e',
    '[checkpoint:aaaaaa]',
    '**checkpoint aaaaaa**',
    '<checkpoint:aaaaaa></checkpoint>',
    'checkpoint:aaaaaa.',
  ])('takes a mark as a model copies it: %s [RANGE-48]', (from) => {
    expect(given({ from, to: 'cccccc', summary: 'S' })).toEqual([U1, S, A3])
  })

  it('overlapping ranges are an error that names the pair [RANGE-45] [RANGE-49]', () => {
    const all = { from: 'aaaaaa', to: 'cccccc', summary: 'S' }
    const last = { from: 'bbbbbb', to: 'cccccc', summary: 'T' }
    const first = { to: 'aaaaaa', summary: 'fine' }
    refuses(transcript(), [all, last], '[0] (aaaaaa to cccccc)', '[1] (bbbbbb to cccccc)')
    refuses(transcript(), [last, all], '[0] (bbbbbb to cccccc)', '[1] (aaaaaa to cccccc)')
    refuses(transcript(), [first, last, all], '[1]', '[2]')
    refuses(transcript(), [all, all], '[0]', '[1]')
    refuses(transcript(), [{ summary: 'S' }, first], '(the start to the end)')
  })

  it('empty ranges are errors [RANGE-47] [RANGE-49]', () => {
    refuses(transcript(), [{ from: 'bbbbbb', to: 'bbbbbb', summary: 'S' }], 'bbbbbb', 'empty')
    const log = transcript()
    log.append([user('last'), checkpoint('dddddd')])
    refuses(log, [{ from: 'dddddd', summary: 'S' }], 'dddddd')
    refuses(new TestLog(), [{ summary: 'S' }], 'nothing')
    refuses(new TestLog(), [{ to: 'aaaaaa', summary: 'S' }], 'no checkpoints')
    refuses(transcript(), [], 'no replacements')
  })

  it('one wrong range keeps the good ones from being applied [RANGE-49]', () => {
    refuses(transcript(), [
      { from: 'aaaaaa', to: 'bbbbbb', summary: 'S' },
      { from: 'bbbbbb', to: 'nowhere', summary: 'S' },
    ])
  })
})

describe('what a range leaves', () => {
  it('has nothing of the message of `to`, and its checkpoint is gone [RANGE-33]', () => {
    const log = transcript()
    compact(log, [{ from: 'aaaaaa', to: 'bbbbbb', summary: 'S' }])
    expect(lines(log)).toEqual([U1, S, A2, U3, A3])
    refuses(log, [{ to: 'bbbbbb', summary: 'S' }], 'bbbbbb', 'aaaaaa, cccccc')
  })

  it('has the summary as it was written, as the only text of an answer [RANGE-34]', () => {
    for (const summary of ['  S\n\n', 'S', '<checkpoint:aaaaaa>', '</summary> S']) {
      const log = transcript()
      compact(log, [{ from: 'aaaaaa', summary }])
      const text = { role: 'assistant', parts: [{ type: 'text', text: summary }] }
      expect(log.build().messages.slice(1)).toEqual([text])
    }
  })

  it('has no answer where the summary is empty or blank [RANGE-35] [RANGE-36]', () => {
    for (const summary of ['', ' ', '\n\t \r\n', '\u00a0']) {
      const log = transcript()
      compact(log, [{ from: 'aaaaaa', to: 'cccccc', summary }])
      expect(lines(log)).toEqual([U1, A3])
    }
    const log = transcript()
    compact(log, [{ summary: '' }])
    expect(lines(log)).toEqual([])
  })

  it('has every other kind of block to the byte [RANGE-39]', () => {
    const log = new TestLog()
    const media = { mimeType: 'image/png', data: 'iVBORw0KGgo=', widthPx: 3, heightPx: 5 }
    const file = { mimeType: 'text/plain', text: 'notes', title: 'n' }
    const said: Part[] = [
      { type: 'text', text: ' see <system-reminder>not one</system-reminder>\n' },
      { type: 'image', media },
      { type: 'document', media: file, extra: { provider: 'anthropic', fields: { a: [1] } } },
    ]
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 'x' } }
    const parts: Part[] = [
      { type: 'text', text: 'reading', extra: { provider: 'anthropic', fields: { c: 1 } } },
      { type: 'native', provider: 'anthropic', value: search },
      { type: 'tool_call', callId: 'x' },
    ]
    log.append([{ type: 'USER_MESSAGE', data: said }, checkpoint('aaaaaa')])
    log.append([user('drop'), ...answer('this'), user('and this'), checkpoint('bbbbbb')])
    log.append([
      { type: 'AGENT_MESSAGE', data: { content: 'reading', parts, calls: ['x'] } },
      { type: 'TOOL_CALL', data: { id: 'x', name: 'read', arguments: { deep: [{}] }, answer: 0 } },
    ])
    const size = { widthPx: 3, heightPx: 5 }
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', ...size } as const
    const blocks = [{ type: 'text' as const, text: '' }, image]
    log.append([
      { type: 'TOOL_RESULT', data: { id: 'x', content: blocks, status: 'failed' } },
      local('a note for the screen'),
      checkpoint('cccccc'),
    ])
    const before = log.build().messages
    compact(log, [{ from: 'aaaaaa', to: 'bbbbbb', summary: 'S' }])
    const { messages } = log.build()
    const withoutSummary = [...messages.slice(0, 1), ...messages.slice(2)]
    const kept = [...before.slice(0, 1), ...before.slice(-2)]
    expect(JSON.stringify(withoutSummary)).toBe(JSON.stringify(kept))
  })

  it('has no reminder, before or after it, and user text about one stays', () => {
    const log = transcript()
    log.append([user('what is <system-reminder>?'), reminder('careful'), checkpoint('dddddd')])
    compact(log, [{ from: 'aaaaaa', to: 'bbbbbb', summary: 'S' }])
    const last = 'user["what is <system-reminder>?", <dddddd>]'
    expect(lines(log)).toEqual([U1, S, A2, U3, A3, last])
    log.append([reminder('later ones stay')])
    expect(lines(log).at(-1)).toBe('user[system_reminder]')
    log.undo()
    expect(lines(log).filter((line) => line.includes('system_reminder'))).toHaveLength(5)
  })

  it('has checkpoints that a later call can use [RANGE-42] [RANGE-43]', () => {
    const log = transcript()
    compact(log, [{ from: 'aaaaaa', to: 'bbbbbb', summary: 'S1' }])
    log.append([user('more'), reminder('careful'), checkpoint('dddddd'), ...answer('done')])
    expect(compact(log, [{ from: 'aaaaaa', to: 'cccccc', summary: 'S2' }])).toBeUndefined()
    const more = ['user["more", <dddddd>]', 'assistant["done"]']
    expect(lines(log)).toEqual([U1, 'assistant["S2"]', A3, ...more])
    refuses(log, [{ from: 'bbbbbb', summary: 'S' }], 'bbbbbb', 'aaaaaa, dddddd')
  })

  it('is nothing to replace again where only deleted stretches follow', () => {
    const log = transcript()
    compact(log, [{ from: 'aaaaaa', summary: '' }])
    refuses(log, [{ from: 'aaaaaa', summary: 'S' }], 'aaaaaa')
  })

  it('has pinned texts right after the last summary', () => {
    const log = transcript()
    log.pin({ text: 'Use pnpm.' })
    compact(log, [{ to: 'aaaaaa', summary: 'S' }])
    const pins = expect.stringMatching(
      /^user\["\[Context note, not a request: [^\]]*\]\n- Use pnpm\."\]$/,
    )
    expect(lines(log)).toEqual([S, pins, A1, U2, A2, U3, A3])
  })
})

describe('the call that asked for it', () => {
  /** T, and then an answer that calls `compact` under the name x. */
  function asking(...others: string[]): TestLog {
    const log = transcript()
    log.append([user('go on'), checkpoint('dddddd')])
    log.append(thoughtAnswer('too long', 'Let me tidy up.', 'x', ...others))
    return log
  }
  const U4 = 'user["go on", <dddddd>]'

  it('becomes a sentence where it stays, and no result is left to wait for', () => {
    const log = asking()
    compact(log, [{ from: 'aaaaaa', to: 'cccccc', summary: 'S' }], 'x')
    const closed = 'assistant["Let me tidy up.", "I compacted the thread"]'
    expect(lines(log)).toEqual([U1, S, A3, U4, closed])
    expect(log.context.open.size).toBe(0)
    expect(log.events.at(-1)).toMatchObject({ data: { closes: ['x'] } })
  })

  it('becomes the whole answer where that said nothing else', () => {
    for (const parts of [undefined, [{ type: 'tool_call', callId: 'x' } as const]]) {
      const log = transcript()
      const data = { content: '', calls: ['x'], stopReason: 'tool_use' as const }
      const call = { id: 'x', name: 'compact', arguments: {}, answer: 0 }
      log.append([
        { type: 'AGENT_MESSAGE', data: { ...data, ...(parts && { parts }) } },
        { type: 'TOOL_CALL', data: call },
      ])
      compact(log, [{ to: 'cccccc', summary: 'S' }], 'x')
      expect(lines(log)).toEqual([S, A3, 'assistant["I compacted the thread"]'])
      const shown = log.working().findLast(({ type }) => type === 'AGENT_MESSAGE')
      expect(shown?.data).toEqual({
        content: 'I compacted the thread',
        calls: [],
        stopReason: 'end',
      })
    }
  })

  it('keeps what else the answer said and how it ended, but no thinking, open or sealed', () => {
    const log = transcript()
    const parts: Part[] = [
      { type: 'redacted_thinking', data: 'sealed', model: 'a/b' },
      { type: 'text', text: 'Let me tidy up.' },
      { type: 'tool_call', callId: 'x' },
    ]
    const data = { content: 'Let me tidy up.', calls: ['x'], parts, stopReason: 'length' as const }
    const call = { id: 'x', name: 'compact', arguments: {}, answer: 0 }
    log.append([
      { type: 'AGENT_MESSAGE', data },
      { type: 'TOOL_CALL', data: call },
    ])
    compact(log, [{ to: 'cccccc', summary: 'S' }], 'x')
    const shown = log.working().findLast(({ type }) => type === 'AGENT_MESSAGE')
    const said = ['Let me tidy up.', 'I compacted the thread']
    expect(shown?.data).toMatchObject({
      calls: [],
      parts: said.map((text) => ({ type: 'text', text })),
      stopReason: 'length',
    })
  })

  it('leaves nothing where it lies in a removed range [RANGE-54]', () => {
    for (const from of ['aaaaaa', 'dddddd', undefined]) {
      const log = asking()
      compact(log, [{ ...(from !== undefined && { from }), summary: 'S' }], 'x')
      expect(lines(log).at(-1)).toBe(S)
      expect(lines(log).join()).not.toMatch(/call x|result x|tidy|I compacted/)
      expect(log.context.open.size).toBe(0)
    }
  })

  it('is left to its caller where the answer has other calls, which are not lost', () => {
    const log = asking('y')
    log.append([result('y', 'other')])
    const { context, eventAt } = log
    const replacements = [{ from: 'aaaaaa', summary: 'S' }]
    const made = compactRanges({ context, eventAt, replacements, closes: 'x' })
    expect(made).toMatchObject({ ok: true })
    expect(made).not.toHaveProperty('closes')
    compact(log, replacements, 'x')
    expect([...log.context.open]).toEqual(['x'])
    log.append([result('x', 'compacted')])
    expect(log.build().messages.map(({ parts }) => parts.map((part) => part.type))).toEqual([
      ['text', 'checkpoint'],
      ['text'],
      ['thinking', 'text', 'tool_call', 'tool_call'],
      ['tool_result', 'tool_result'],
    ])
    refuses(asking('y'), [{ from: 'dddddd', summary: 'S' }], 'dddddd')
  })

  it('must be one that waits', () => {
    const log = asking()
    log.append([result('x', 'aborted', 'aborted')])
    const before = bytes(log)
    for (const call of ['x', '2', 'ghost'])
      expect(compact(log, [{ summary: 'S' }], call)).toMatchObject({ where: `call ${call}` })
    expect(bytes(log)).toBe(before)
  })

  it('is back, and its result says that it was undone, once the compaction is undone', () => {
    for (const replacement of [{ to: 'cccccc', summary: 'S' }, { summary: 'S' }]) {
      const log = asking()
      compact(log, [replacement], 'x')
      log.undo()
      expect(log.events.at(-1)).toMatchObject({
        data: { id: 'x', status: 'completed', content: [{ text: UNDONE_COMPACT }] },
      })
      expect(lines(log).at(-2)).toBe('assistant[thinking, "Let me tidy up.", call x]')
    }
  })
})
