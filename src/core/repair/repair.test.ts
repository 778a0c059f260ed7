// A broken history as a valid one: each kind of damage, what becomes of it, and what is said about it.
import { describe, expect, it } from 'vitest'
import type { Json } from '../text/json.ts'
import type { ToolStatus } from '../view/content.ts'
import type { Message, MessagePart } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'
import { type LooseMessage, repair } from './repair.ts'

const text = (value: string): MessagePart => ({ type: 'text', text: value })
const user = (...parts: (MessagePart | string)[]): Message => ({ role: 'user', parts: said(parts) })
const answer = (...parts: (MessagePart | string)[]): Message => ({
  role: 'assistant',
  parts: said(parts),
})
const system = (value: string): LooseMessage => ({ role: 'system', parts: [text(value)] })
const call = (id: string, input: Json = {}, name = 'read'): MessagePart => ({
  type: 'tool_call',
  id,
  name,
  arguments: input,
})
const result = (
  id: string,
  value = `the ${id}`,
  status: ToolStatus = 'completed',
): MessagePart => ({ type: 'tool_result', id, content: [{ type: 'text', text: value }], status })
const thought = (signature: string, model = 'anthropic/a'): MessagePart => ({
  type: 'thinking',
  thinking: 'secret thoughts',
  ...(signature !== '' && { signature }),
  model: model as `${string}/${string}`,
})
const image = (data?: string): MessagePart => ({
  type: 'image',
  media: { mimeType: 'image/png', ...(data !== undefined && { data }) },
})
const aborted = (id: string) => result(id, 'The call was interrupted and has no result.', 'aborted')

function said(parts: readonly (MessagePart | string)[]): MessagePart[] {
  return parts.map((part) => (typeof part === 'string' ? text(part) : part))
}

const OPENING = '[the beginning of this conversation is not there]'
const CLOSING = '[no message of the user follows]'

interface Case {
  readonly name: string
  readonly given: readonly LooseMessage[]
  readonly gives: readonly Message[]
  readonly says: readonly string[] // `what @ where`
  readonly profile?: RepairProfile
}

function check({ given, gives, says, profile }: Case): void {
  const repaired = repair(given, [], profile)
  expect(repaired.messages).toEqual(gives)
  expect(repaired.changes.map(({ what, where }) => `${what} @ ${where}`)).toEqual(says)
  expect(repair(repaired.messages, repaired.system, profile).changes).toEqual([])
}

describe('a valid history', () => {
  it('comes back as the same object, and nothing is said', () => {
    const messages = [
      user('go', image('iVBORw0KGgo=')),
      answer(thought('s1'), 'I look', call('a'), call('b')),
      user(result('b', ''), result('a', 'no', 'failed'), 'and?'),
      answer(thought('s2'), 'done'),
      user({ type: 'checkpoint', id: 'abcdef' }),
    ]
    const prompts = ['be brief']
    const repaired = repair(messages, prompts, { blankResults: true })
    expect(repaired.messages).toBe(messages)
    expect(repaired.system).toBe(prompts)
    expect(repaired.changes).toEqual([])
  })
})

const ROUNDS: readonly Case[] = [
  {
    name: 'an orphaned result becomes text',
    given: [user('go'), answer('hm'), user(result('x', 'found it'), 'and?')],
    gives: [
      user('go'),
      answer('hm'),
      user('[result of the call x, which is not there]\nfound it', 'and?'),
    ],
    says: ['orphan-result @ messages[2].parts[0]'],
  },
  {
    name: 'the images of an orphaned result stay images',
    given: [
      user({
        type: 'tool_result',
        id: 'x',
        content: [{ type: 'image', data: 'iVBORw0=', mimeType: 'image/png' }],
        status: 'completed',
      }),
    ],
    gives: [user('[result of the call x, which is not there]', image('iVBORw0='))],
    says: ['orphan-result @ messages[0].parts[0]'],
  },
  {
    name: 'a call without a result is answered as aborted',
    given: [user('go'), answer(call('a'), call('b')), user(result('b'), 'and?')],
    gives: [user('go'), answer(call('a'), call('b')), user(result('b'), aborted('a'), 'and?')],
    says: ['aborted-call @ messages[1].parts[0]'],
  },
  {
    name: 'a call that still waits is answered, too',
    given: [user('go'), answer(call('a'))],
    gives: [user('go'), answer(call('a')), user(aborted('a'))],
    says: ['aborted-call @ messages[1].parts[0]'],
  },
  {
    name: 'of two results the more telling stays, the other becomes text',
    given: [user('go'), answer(call('a')), user(result('a', 'ok'), result('a', 'no', 'denied'))],
    gives: [
      user('go'),
      answer(call('a')),
      user(result('a', 'no', 'denied'), '[result of the call a, which has another]\nok'),
    ],
    says: ['duplicate-result @ messages[2].parts[0]', 'result-order @ messages[2]'],
  },
  {
    name: 'a repetition says nothing new',
    given: [user('go'), answer(call('a')), user(result('a'), result('a'), 'and?')],
    gives: [user('go'), answer(call('a')), user(result('a'), 'and?')],
    says: ['duplicate-result @ messages[2].parts[1]'],
  },
  {
    name: 'results come first',
    given: [user('go'), answer(call('a'), call('b')), user('look', result('b'), result('a'))],
    gives: [user('go'), answer(call('a'), call('b')), user(result('b'), result('a'), 'look')],
    says: ['result-order @ messages[2]'],
  },
  {
    name: 'a result that came too late stays where it came, as text',
    given: [user('go'), answer(call('a')), user('wait'), answer('ok'), user(result('a'))],
    gives: [
      user('go'),
      answer(call('a')),
      user(aborted('a'), 'wait'),
      answer('ok'),
      user('[result of the call a, which is not there]\nthe a'),
    ],
    says: ['aborted-call @ messages[1].parts[0]', 'orphan-result @ messages[4].parts[0]'],
  },
  {
    name: 'results in two messages become one message',
    given: [user('go'), answer(call('a'), call('b')), user(result('a')), user(result('b'))],
    gives: [user('go'), answer(call('a'), call('b')), user(result('a'), result('b'))],
    says: ['consecutive-roles @ messages[3]'],
  },
  {
    name: 'a second answer behind calls does not take their place',
    given: [user('go'), answer(call('a')), answer('then'), user(result('a'), 'and?')],
    gives: [user('go'), answer(call('a')), user(result('a')), answer('then'), user('and?')],
    says: ['result-order @ messages[3].parts[0]'],
  },
  {
    name: 'a result inside an answer moves behind it',
    given: [user('go'), answer(call('a'), result('a')), user('and?')],
    gives: [user('go'), answer(call('a')), user(result('a'), 'and?')],
    says: ['misplaced-part @ messages[1].parts[1]', 'consecutive-roles @ messages[2]'],
  },
  {
    name: 'two calls of one id in an answer become two',
    given: [
      user('go'),
      answer(call('a', { n: 1 }), call('a', { n: 2 })),
      user(result('a', 'one'), result('a', 'two')),
    ],
    gives: [
      user('go'),
      answer(call('a', { n: 1 }), call('a_2', { n: 2 })),
      user(result('a', 'one'), result('a_2', 'two')),
    ],
    says: ['illegal-id @ messages[1].parts[1]', 'illegal-id @ messages[2].parts[1]'],
  },
]

const SHAPE: readonly Case[] = [
  {
    name: 'an answer that comes first gets a note before it',
    given: [answer('hello'), user('hi')],
    gives: [user(OPENING), answer('hello'), user('hi')],
    says: ['first-message @ messages[0]'],
  },
  {
    name: 'an answer that comes last gets a note behind it',
    given: [user('hi'), answer('hello')],
    gives: [user('hi'), answer('hello'), user(CLOSING)],
    says: ['last-message @ messages[1]'],
  },
  {
    name: 'an unfinished answer loses only its trailing blanks',
    given: [user('hi'), answer('hello \n')],
    gives: [user('hi'), answer('hello')],
    says: ['blank-text @ messages[1].parts[0]'],
    profile: { prefill: true },
  },
  {
    name: 'roles in a row become one message',
    given: [user('a'), user('b'), answer('c'), answer('d'), user('e')],
    gives: [user('a', 'b'), answer('c', 'd'), user('e')],
    says: ['consecutive-roles @ messages[1]', 'consecutive-roles @ messages[3]'],
  },
  {
    name: 'roles in a row stay where they may',
    given: [user('a'), user('b'), answer('c'), answer('d'), user('e')],
    gives: [user('a'), user('b'), answer('c'), answer('d'), user('e')],
    says: [],
    profile: { repeatedRoles: true },
  },
  {
    name: 'blank texts and empty messages go',
    given: [user('a', ' \n'), answer(), user('b', ''), answer('c'), user('d')],
    gives: [user('a', 'b'), answer('c'), user('d')],
    says: [
      'blank-text @ messages[0].parts[1]',
      'blank-text @ messages[2].parts[1]',
      'empty-message @ messages[1]',
      'consecutive-roles @ messages[2]',
    ],
  },
  {
    name: 'a conversation without messages says so',
    given: [],
    gives: [user('[nothing was said yet]')],
    says: ['empty-conversation @ messages'],
  },
  {
    name: 'instructions in the middle become a reminder',
    given: [user('a'), answer('b'), system('be brief'), user('c')],
    gives: [user('a'), answer('b'), user({ type: 'system_reminder', text: 'be brief' }, text('c'))],
    says: ['system-message @ messages[2]', 'consecutive-roles @ messages[3]'],
  },
  {
    name: 'parts in a message of the wrong role become text',
    given: [
      user('a', call('x', { path: 'p' }), thought('s')),
      answer({ type: 'checkpoint', id: 'abcdef' }, image('iVBORw0=')),
      user('b'),
    ],
    gives: [
      user('a', '[call of read: {"path":"p"}]'),
      answer('[checkpoint abcdef]', '[image image/png, 6 bytes]'),
      user('b'),
    ],
    says: [
      'thinking @ messages[0].parts[2]',
      'misplaced-part @ messages[0].parts[1]',
      'misplaced-part @ messages[1].parts[0]',
      'misplaced-part @ messages[1].parts[1]',
    ],
  },
  {
    name: 'half characters become the replacement character, in calls as well',
    given: [user('a\ud83d'), answer(call('x', { '\ude00': '\ud83d' })), user(result('x'))],
    gives: [user('a\ufffd'), answer(call('x', { '\ufffd': '\ufffd' })), user(result('x'))],
    says: ['lone-surrogate @ messages[0].parts[0]', 'lone-surrogate @ messages[1].parts[0]'],
  },
  {
    name: 'an input that is no object becomes one',
    given: [user('a'), answer(call('x', 'raw')), user(result('x'))],
    gives: [user('a'), answer(call('x', { input: 'raw' })), user(result('x'))],
    says: ['input-shape @ messages[1].parts[0]'],
  },
  {
    name: 'calls and results are text where no tools are defined',
    given: [user('a'), answer('see', call('x', { n: 1 })), user(result('x', 'one', 'failed'))],
    gives: [
      user('a'),
      answer('see', '[call of read: {"n":1}]'),
      user('[result of read, which failed]\none'),
    ],
    says: ['tools-undefined @ messages[1].parts[1]', 'tools-undefined @ messages[2].parts[0]'],
    profile: { hasTools: false },
  },
]

const NAMES: readonly Case[] = [
  {
    name: 'ids that are not legal, used before, or too long, in calls and results alike',
    given: [
      user('go'),
      answer(call('a b'), call('a_b')),
      user(result('a_b'), result('a b')),
      answer(call('a_b'), call('c'.repeat(50))),
      user(result('a_b'), result('c'.repeat(50))),
    ],
    gives: [
      user('go'),
      answer(call('a_b_2'), call('a_b')),
      user(result('a_b'), result('a_b_2', 'the a b')),
      answer(call('a_b_3'), call('c'.repeat(40))),
      user(result('a_b_3', 'the a_b'), result('c'.repeat(40), `the ${'c'.repeat(50)}`)),
    ],
    says: [
      'illegal-id @ messages[1].parts[0]',
      'illegal-id @ messages[2].parts[1]',
      'illegal-id @ messages[3].parts[0]',
      'illegal-id @ messages[3].parts[1]',
      'illegal-id @ messages[4].parts[0]',
      'illegal-id @ messages[4].parts[1]',
    ],
  },
  {
    name: 'ids of an exact length',
    given: [
      user('go'),
      answer(call('toolu_1'), call('abcdefgh9')),
      user(result('toolu_1'), result('abcdefgh9')),
    ],
    gives: [
      user('go'),
      answer(call('c00000001'), call('abcdefgh9')),
      user(result('c00000001', 'the toolu_1'), result('abcdefgh9')),
    ],
    says: ['illegal-id @ messages[1].parts[0]', 'illegal-id @ messages[2].parts[0]'],
    profile: { ids: { maxChars: 9, exactChars: 9 } },
  },
  {
    name: 'names, the same for the same, and never those of another tool',
    given: [
      user('go'),
      answer(call('a', {}, 'mcp.read'), call('b', {}, 'mcp_read'), call('c', {}, 'mcp.read')),
      user(result('a'), result('b'), result('c')),
    ],
    gives: [
      user('go'),
      answer(call('a', {}, 'mcp_read_2'), call('b', {}, 'mcp_read'), call('c', {}, 'mcp_read_2')),
      user(result('a'), result('b'), result('c')),
    ],
    says: ['illegal-name @ messages[1].parts[0]', 'illegal-name @ messages[1].parts[2]'],
  },
]

const anthropic: RepairProfile = { provider: 'anthropic' }
const unbound: RepairProfile = { ...anthropic, preservedThinking: false }

const THINKING: readonly Case[] = [
  {
    name: 'without a signature goes with all of its answer, and is never told',
    given: [user('a'), answer(thought('s1'), thought(''), 'b'), user('c')],
    gives: [user('a'), answer('b'), user('c')],
    says: ['thinking @ messages[1].parts[0]', 'thinking @ messages[1].parts[1]'],
    profile: anthropic,
  },
  {
    name: 'of another provider or model goes',
    given: [
      user('a'),
      answer(thought('s1', 'other/x'), 'b'),
      user('c'),
      answer(thought('s2', 'anthropic/b'), 'd'),
      user('e'),
    ],
    gives: [user('a'), answer('b'), user('c'), answer('d'), user('e')],
    says: ['thinking @ messages[1].parts[0]', 'thinking @ messages[3].parts[0]'],
    profile: { ...unbound, model: 'anthropic/a' },
  },
  {
    name: 'behind a change goes, before it stays',
    given: [
      user('a'),
      answer(thought('s1'), 'b'),
      user('c', call('x')),
      answer(thought('s2'), 'd'),
      user('e'),
    ],
    gives: [
      user('a'),
      answer(thought('s1'), 'b'),
      user('c', '[call of read: {}]'),
      answer('d'),
      user('e'),
    ],
    says: ['misplaced-part @ messages[2].parts[1]', 'thinking @ messages[3].parts[0]'],
    profile: anthropic,
  },
  {
    name: 'behind a change stays where it is not bound, or dropped by the provider',
    given: [user('a', call('x')), answer(thought('s2'), 'd'), user('e')],
    gives: [user('a', '[call of read: {}]'), answer(thought('s2'), 'd'), user('e')],
    says: ['misplaced-part @ messages[0].parts[1]'],
    profile: unbound,
  },
  {
    name: 'survives joined messages and dropped blanks, which change no words',
    given: [user('a'), user('b', ' '), answer(thought('s2'), 'd'), user('e')],
    gives: [user('a', 'b'), answer(thought('s2'), 'd'), user('e')],
    says: ['blank-text @ messages[1].parts[1]', 'consecutive-roles @ messages[1]'],
    profile: anthropic,
  },
  {
    name: 'of an open round: the round becomes text, since it cannot be sent without',
    given: [
      user('a', call('x')),
      answer(thought('s1'), 'looking', call('y', { p: 1 })),
      user(result('y', 'found')),
    ],
    gives: [
      user(
        'a',
        '[call of read: {}]',
        '[what was done since, as text:]',
        '[said] looking',
        '[call of read: {"p":1}]',
        '[result of read]\nfound',
      ),
    ],
    says: [
      'misplaced-part @ messages[0].parts[1]',
      'thinking @ messages[1].parts[0]',
      'open-round @ messages[1]',
    ],
    profile: anthropic,
  },
  {
    name: 'alone in an answer leaves a word behind',
    given: [user('a'), answer(thought('')), user('b')],
    gives: [user('a'), answer('[no words, only thinking]'), user('b')],
    says: ['thinking @ messages[1].parts[0]'],
    profile: anthropic,
  },
  {
    name: 'that was sealed and broken is not mended',
    given: [
      user('a'),
      answer({ ...thought('s'), thinking: '\ud83d' } as MessagePart, 'b'),
      user('c'),
    ],
    gives: [user('a'), answer('b'), user('c')],
    says: ['thinking @ messages[1].parts[0]'],
    profile: unbound,
  },
]

const CONTENT: readonly Case[] = [
  {
    name: 'parts of another provider become text, with what they say in plain words',
    given: [
      user('a'),
      answer(
        { type: 'native', provider: 'openai', value: { type: 'reasoning', id: 'rs_1' } },
        { type: 'native', provider: 'openai', value: { type: 'note', text: 'in short' } },
      ),
      user('b'),
    ],
    gives: [user('a'), answer('[openai note, not shown]\nin short'), user('b')],
    says: ['foreign-part @ messages[1].parts[0]', 'foreign-part @ messages[1].parts[1]'],
    profile: anthropic,
  },
  {
    name: 'the result of a failed call holds text only',
    given: [
      user('a'),
      answer(call('x')),
      user({
        type: 'tool_result',
        id: 'x',
        content: [{ type: 'image', data: 'iVBORw0=', mimeType: 'image/png' }],
        status: 'failed',
      }),
    ],
    gives: [
      user('a'),
      answer(call('x')),
      user(result('x', '[image image/png, 6 bytes]', 'failed')),
    ],
    says: ['refused-part @ messages[2].parts[0].content[0]'],
  },
  {
    name: 'a blank result says so',
    given: [user('a'), answer(call('x')), user(result('x', ' '))],
    gives: [user('a'), answer(call('x')), user(result('x', '(no output)'))],
    says: ['blank-text @ messages[2].parts[0].content'],
  },
  {
    name: 'images beyond the limits become captions that say where they stood',
    given: [user(image('AAAA'), 'b', image('BBBB'))],
    gives: [user('[image image/png, 3 bytes, ref messages[0].parts[0]]', 'b', image('BBBB'))],
    says: ['image @ messages[0].parts[0]'],
    profile: { images: { maxImages: 1 } },
  },
  {
    name: 'images make room for the rest of a request',
    given: [user(image('A'.repeat(600)), image('B'.repeat(600)), 'x'.repeat(100))],
    gives: [
      user(
        '[image image/png, 450 bytes, ref messages[0].parts[0]]',
        image('B'.repeat(600)),
        'x'.repeat(100),
      ),
    ],
    says: ['image @ messages[0].parts[0]'],
    profile: { requestBytes: 2_000 },
  },
]

describe('rounds', () => it.each(ROUNDS)('$name', check))
describe('the shape of a conversation', () => it.each(SHAPE)('$name', check))
describe('ids and names', () => it.each(NAMES)('$name', check))
describe('thinking', () => it.each(THINKING)('$name', check))
describe('content', () => it.each(CONTENT)('$name', check))

describe('the system prompt', () => {
  it('takes in the instructions that open the messages, and loses blanks and half characters', () => {
    const repaired = repair([system('first'), user('a')], ['be\ud83d', ' '])
    expect(repaired).toMatchObject({ messages: [user('a')], system: ['be\ufffd', 'first'] })
    expect(repaired.changes.map(({ what, where }) => `${what} @ ${where}`)).toEqual([
      'system-message @ messages[0]',
      'lone-surrogate @ system[0]',
      'blank-text @ system[1]',
    ])
  })

  it('leaves no thinking behind when it changes', () => {
    const messages = [user('a'), answer(thought('s'), 'b'), user('c')]
    expect(repair(messages, ['be\ud83d'], anthropic).messages).toEqual([
      user('a'),
      answer('b'),
      user('c'),
    ])
    expect(repair(messages, ['ok', ' '], anthropic).messages).toEqual(messages)
  })
})

describe('names of tools', () => {
  it('are told, so that the definitions can follow', () => {
    const { names } = repair([user('a'), answer(call('x', {}, 'a.b')), user(result('x'))], [])
    expect([...names]).toEqual([['a.b', 'a_b']])
  })
})
