// Blocks that only the Anthropic API understands, in histories under repair.
import { describe, expect, it } from 'vitest'
import { repair } from '../../core/repair/repair.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { wireMessages } from '../anthropic/write.ts'
import { repairProfile } from './profile.ts'

const native = (value: Json): MessagePart => ({ type: 'native', provider: 'anthropic', value })
const text = (value: string): MessagePart => ({ type: 'text', text: value })
const user = (...parts: MessagePart[]): Message => ({ role: 'user', parts })
const answer = (...parts: MessagePart[]): Message => ({ role: 'assistant', parts })

const serverCall = native({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} })
const serverResult = native({ type: 'web_search_tool_result', tool_use_id: 's1', content: [] })
const compaction = native({ type: 'compaction', content: 'All of it.', signature: 'sealed' })
const call: MessagePart = { type: 'tool_call', id: 'a', name: 'read', arguments: {} }

const rules = repairProfile(PROFILES.anthropic)

const KEPT: readonly (readonly [string, readonly Message[]])[] = [
  [
    'a server tool with its result',
    [user(text('a')), answer(serverCall, serverResult, text('b')), user(text('c'))],
  ],
  ['a paused answer at the end', [user(text('a')), answer(text('b'), serverCall)]],
  [
    'an answer that ends with what the server found',
    [user(text('a')), answer(serverCall, serverResult)],
  ],
  [
    'a signed compaction that opens the conversation',
    [answer(compaction, text('a')), user(text('b'))],
  ],
  ['an uploaded image', [user(native({ type: 'image', source: { type: 'file', file_id: 'f' } }))]],
  ['a search result of the user’s own', [user(native({ type: 'search_result', content: [] }))]],
]

const TOLD: readonly (readonly [string, readonly Message[], readonly Message[]])[] = [
  [
    'a server call whose result got lost',
    [user(text('a')), answer(serverCall, text('b')), user(text('c'))],
    [
      user(text('a')),
      answer(text('[anthropic server_tool_use, not shown]'), text('b')),
      user(text('c')),
    ],
  ],
  [
    'a server result without its call',
    [user(text('a')), answer(serverResult, text('b')), user(text('c'))],
    [
      user(text('a')),
      answer(text('[anthropic web_search_tool_result, not shown]'), text('b')),
      user(text('c')),
    ],
  ],
  [
    'a paused answer that also waits for a tool of ours',
    [user(text('a')), answer(serverCall, call)],
    [
      user(text('a')),
      answer(text('[anthropic server_tool_use, not shown]'), call),
      user({
        type: 'tool_result',
        id: 'a',
        content: [{ type: 'text', text: 'The call was interrupted and has no result.' }],
        status: 'aborted',
      }),
    ],
  ],
  [
    'a compaction in the middle, with what it says',
    [user(text('a')), answer(compaction, text('b')), user(text('c'))],
    [
      user(text('a')),
      answer(text('[anthropic compaction, not shown]\nAll of it.'), text('b')),
      user(text('c')),
    ],
  ],
  [
    'an unsigned compaction at the beginning',
    [user(native({ type: 'compaction', content: 'Some of it.' }), text('c'))],
    [user(text('[anthropic compaction, not shown]\nSome of it.'), text('c'))],
  ],
  [
    'a call in disguise',
    [
      user(text('a')),
      answer(native({ type: 'tool_use', id: 'x', name: 'y', input: {} })),
      user(text('b')),
    ],
    [user(text('a')), answer(text('[anthropic tool_use, not shown]')), user(text('b'))],
  ],
]

function findViolations(messages: readonly Message[]) {
  const request = {
    model: 'm',
    tools: [{ name: 'read', input_schema: {} }],
    messages: wireMessages(messages, () => undefined),
  }
  return validate(PROFILES.anthropic, request)
}

describe('native parts', () => {
  it.each(KEPT)('keep %s', (_, messages) => {
    expect(repair(messages, [], rules).changes).toEqual([])
    expect(findViolations(messages)).toEqual([])
  })

  it.each(TOLD)('tell %s in words', (_, messages, expected) => {
    const repaired = repair(messages, [], rules)
    expect(repaired.messages).toEqual(expected)
    expect(repaired.changes.map(({ what }) => what)).toContain('refused-part')
    expect(findViolations(repaired.messages)).toEqual([])
  })

  it('leave the compactions of an API that compacts by itself', () => {
    const messages = [
      user(text('a')),
      answer(native({ type: 'compaction', content: 'Some.' }), text('b')),
      user(text('c')),
    ]
    const byThreshold = repairProfile(PROFILES.anthropic, { compactsByThreshold: true })
    expect(repair(messages, [], byThreshold).changes).toEqual([])
  })
})

describe('a history that the provider remembers', () => {
  const tools = [{ name: 'read', input_schema: {} }]
  const asked = { model: 'm', tools, messages: [{ role: 'user', content: 'go\u0020' }] }
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' }
  const use = { type: 'tool_use', id: 'a', name: 'read', input: {} }
  const earlier = [
    { request: asked, answer: { content: [thinking, use], stop_reason: 'tool_use' } },
  ]
  const round: readonly Message[] = [
    answer({ type: 'thinking', thinking: 'hm', signature: 'sig', model: 'anthropic/m' }, call),
    user({
      type: 'tool_result',
      id: 'a',
      content: [{ type: 'text', text: 'ok' }],
      status: 'completed',
    }),
  ]
  const broken = [user(text('go '), call), ...round]
  const checked = (messages: readonly Message[]) =>
    validate(
      PROFILES.anthropic,
      { model: 'm', tools, messages: wireMessages(messages, () => undefined) },
      { earlier },
    ).map(({ id }) => id)

  it('is sent without thinking that no longer fits, and its open round as text', () => {
    const { messages } = repair(broken, [], rules)
    expect(checked([user(text('go!')), ...round])).toEqual(['VALID-A22'])
    expect(checked(messages)).toEqual([])
    expect(JSON.stringify(messages)).not.toContain('hm')
    expect(messages).toHaveLength(1)
  })

  it('keeps its thinking where nothing before it was changed', () => {
    const fine = [user(text('go ')), ...round]
    expect(repair(fine, [], rules).messages).toBe(fine)
    expect(checked(fine)).toEqual([])
  })
})
