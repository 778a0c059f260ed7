// The rules that one request alone decides: each broken alone, and kept.
import { describe, it } from 'vitest'
import { assistant, everyKind, result, text, use, user } from '../../../test/anthropic-examples.ts'
import { PROFILES } from '../validate.ts'
import { check } from './contract.ts'

const system = (content: unknown) => ({ role: 'system', content })
const chat = (...messages: readonly unknown[]) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  tools: [{ name: 'read', input_schema: { type: 'object' } }],
  messages,
})
const round = (id: string) => [assistant([use(id)]), user([result(id)])]
const LEGACY = PROFILES['anthropic-legacy']
const summary = { type: 'compaction', content: 'They spoke of tea.', signature: 'c1' }
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'tea' } }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }

describe('who speaks', () => {
  it('there are messages, each with a known role and content [VALID-A1]', () => {
    check('VALID-A1', {
      breaks: [
        { request: chat(), place: 'messages' },
        { request: null, place: 'request' },
        { request: { max_tokens: 1 }, place: 'messages' },
        { request: chat(user('hi'), 'hello'), place: 'messages[1]' },
        { request: chat({ role: 'tool', content: 'hi' }), place: 'messages[0].role' },
        { request: chat(user('')), place: 'messages[0].content' },
        { request: chat(user([])), place: 'messages[0].content' },
        { request: chat({ role: 'user' }), place: 'messages[0].content' },
        // Only the last answer may be empty, and only where a prefill is taken.
        { request: chat(user('hi'), assistant(''), user('so?')), place: 'messages[1].content' },
        {
          request: chat(user('hi'), assistant(''), user('so?')),
          profile: LEGACY,
          place: 'messages[1].content',
        },
        { request: chat(user([text('hi'), 'there'])), place: 'messages[0].content[1]' },
        { request: chat(user('hi'), system('x')), profile: LEGACY, place: 'messages[1].role' },
      ].map((each) => ({ ...each, profile: { systemMessages: false, ...each.profile } })),
      keeps: [
        { request: everyKind },
        { request: chat(user('hi'), assistant('')), profile: LEGACY },
        { request: chat(user('hi'), assistant([])), profile: LEGACY },
        { request: chat(user('hi'), system('be brief')) },
        { request: chat(user('hi'), { ...system([]), output_config: { effort: 'low' } }) },
      ],
    })
  })

  it('the user speaks first, or the provider’s own compaction does [VALID-A2]', () => {
    check('VALID-A2', {
      breaks: [{ request: chat(assistant('hello'), user('hi')), place: 'messages[0]' }],
      keeps: [
        { request: chat(user('hi')) },
        { request: chat(assistant([summary]), user('hi')) },
        { request: chat(assistant([summary, text('So?')]), user('hi')) },
        { request: chat(user([summary, text('hi')])) },
      ],
    })
  })

  it('roles alternate where nothing merges them [VALID-A3]', () => {
    check('VALID-A3', {
      breaks: [
        { request: chat(user('hi'), user('there')), place: 'messages[1]' },
        {
          request: chat(user('hi'), assistant('a'), assistant('b'), user('so?')),
          place: 'messages[2]',
        },
        {
          // Both results are there, but not in one message.
          request: chat(
            user('hi'),
            assistant([use('a'), use('b')]),
            user([result('a')]),
            user([result('b')]),
          ),
          place: 'messages[3]',
        },
      ],
      keeps: [
        { request: chat(user('hi'), user('there')), profile: { strict: false } },
        { request: chat(user('hi'), assistant('a'), user('so?')) },
        { request: chat(assistant([summary]), assistant('a'), user('so?')) },
        { request: chat(user('hi'), assistant([search, found]), assistant('tea'), user('so?')) },
      ],
    })
  })

  it('system messages follow the user and precede an answer [VALID-A16]', () => {
    const last = chat(user('hi'), system('be brief'))
    const next = (...messages: unknown[]) => chat(user('hi'), ...messages)
    const earlier = [{ request: last, answer: { content: [text('hello')] } }] as never
    check('VALID-A16', {
      breaks: [
        { request: chat(system('be brief'), user('hi')), place: 'messages[0]' },
        { request: chat(user('hi'), system('be brief'), user('so?')), place: 'messages[1]' },
        { request: chat(user('hi'), assistant('a'), system('be brief')), place: 'messages[2]' },
        {
          request: chat(user('hi'), assistant([use('a')]), system('x'), user([result('a')])),
          place: 'messages[2]',
        },
        {
          request: chat(user('hi'), system('x'), system('y'), user('so?')),
          place: 'messages[2]',
        },
        // Once sent they stay: neither gone nor changed.
        { request: next(assistant('hello'), user('so?')), earlier, place: 'messages[1]' },
        { request: next(system('be long'), assistant('hello')), earlier, place: 'messages[1]' },
      ].map((each) => ({ profile: { prefill: true }, ...each })),
      keeps: [
        { request: last },
        { request: chat(user('hi'), system('x'), system('y'), assistant('a'), user('so?')) },
        { request: chat(user('hi'), ...round('a'), system('be brief')) },
        { request: chat(user('hi'), assistant([search, found]), system('be brief')) },
        { request: next(system('be brief'), assistant('hello'), user('so?')), earlier },
        // All from there on is new: a compaction took its place.
        { request: next(assistant('They spoke.'), user('so?')), earlier: [] },
      ],
    })
  })
})

describe('tools', () => {
  it('every call has its one result in the next message [VALID-A4]', () => {
    check('VALID-A4', {
      breaks: [
        {
          request: chat(user('hi'), assistant([use('a')]), user('never mind')),
          place: 'messages[1].content[0]',
        },
        {
          request: chat(
            user('hi'),
            assistant([text('so'), use('a'), use('b')]),
            user([result('a')]),
          ),
          place: 'messages[1].content[2]',
        },
        {
          request: chat(user('hi'), assistant([use('a')]), user([result('a'), result('a')])),
          place: 'messages[2].content[1]',
        },
        { request: chat(user([text('hi'), use('a')])), place: 'messages[0].content[1]' },
        {
          request: chat(user('hi'), assistant([use('a')])),
          profile: { prefill: true },
          place: 'messages[1].content[0]',
        },
      ],
      keeps: [
        {
          request: chat(
            user('hi'),
            assistant([use('a'), use('b')]),
            user([result('b'), result('a')]),
          ),
        },
        { request: chat(user('hi'), ...round('a'), ...round('b')) },
      ],
    })
  })

  it('every result has its call in the message before [VALID-A5]', () => {
    check('VALID-A5', {
      breaks: [
        {
          request: chat(user('hi'), assistant([use('a')]), user([result('a'), result('b')])),
          place: 'messages[2].content[1].tool_use_id',
        },
        { request: chat(user([result('a')])), place: 'messages[0].content[0].tool_use_id' },
        {
          request: chat(user('hi'), ...round('a'), assistant('so'), user([result('a')])),
          place: 'messages[4].content[0].tool_use_id',
        },
        {
          request: chat(user([{ type: 'tool_result', content: 'ok' }])),
          place: 'messages[0].content[0].tool_use_id',
        },
        {
          request: chat(user('hi'), assistant([result('a')]), user('so?')),
          place: 'messages[1].content[0]',
        },
      ],
      keeps: [{ request: chat(user('hi'), ...round('a')) }],
    })
  })

  it('results come before all else in their message [VALID-A6]', () => {
    const calls = assistant([use('a'), use('b')])
    check('VALID-A6', {
      breaks: [
        {
          request: chat(user('hi'), calls, user([result('a'), text('so'), result('b')])),
          place: 'messages[2].content[2]',
        },
        {
          // Merging puts the text in front.
          request: chat(user('hi'), calls, user('wait'), user([result('a'), result('b')])),
          profile: { strict: false },
          place: ['messages[3].content[0]', 'messages[3].content[1]'],
        },
      ],
      keeps: [{ request: chat(user('hi'), calls, user([result('a'), result('b'), text('so')])) }],
    })
  })

  it('ids are unique and legal, names short, inputs objects [VALID-A7]', () => {
    const called = (call: object, id = 'a') =>
      chat(user('hi'), assistant([{ ...use(id), ...call }]), user([result(id)]))
    check('VALID-A7', {
      breaks: [
        {
          request: chat(user('hi'), ...round('a'), ...round('a')),
          place: 'messages[3].content[0].id',
        },
        { request: called({}, 'functions.read:0'), place: 'messages[1].content[0].id' },
        { request: called({}, ''), place: 'messages[1].content[0].id' },
        { request: called({ name: 'read file' }), place: 'messages[1].content[0].name' },
        { request: called({ name: 'r'.repeat(65) }), place: 'messages[1].content[0].name' },
        { request: called({ input: '{}' }), place: 'messages[1].content[0].input' },
        { request: called({ input: [] }), place: 'messages[1].content[0].input' },
        { request: { ...chat(user('hi')), tools: [{ name: 'a b' }] }, place: 'tools[0].name' },
        { request: { ...chat(user('hi')), tools: [{ input_schema: {} }] }, place: 'tools[0].name' },
      ],
      keeps: [
        { request: called({ name: 'r'.repeat(64) }, 'toolu_01-B') },
        { request: called({ name: 'r'.repeat(128) }), profile: { toolNameChars: 128 } },
        {
          request: { ...chat(user('hi')), tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }] },
        },
      ],
    })
  })

  it('a conversation with tools defines them [VALID-A8]', () => {
    const { tools: _, ...rest } = chat(user('hi'), ...round('a'))
    check('VALID-A8', {
      breaks: [
        { request: rest, place: 'tools' },
        { request: { ...rest, tools: [] }, place: 'tools' },
      ],
      // A tool of the history need not be among them.
      keeps: [
        { request: { ...rest, tools: [{ name: 'write', input_schema: {} }] } },
        { request: { messages: [user('hi')] } },
      ],
    })
  })

  it('a result holds text, images, documents; a failed one text only [VALID-A11]', () => {
    const answered = (fields: object) =>
      chat(user('hi'), assistant([use('a')]), user([{ ...result('a'), ...fields }]))
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }
    const document = {
      type: 'document',
      source: { type: 'text', data: 'a', media_type: 'text/plain' },
    }
    const found = { type: 'search_result', source: 'a', title: 'A', content: [text('one')] }
    check('VALID-A11', {
      breaks: [
        {
          request: answered({ content: [text('one'), use('b')] }),
          place: 'messages[2].content[0].content[1]',
        },
        {
          request: answered({ content: [image], is_error: true }),
          place: 'messages[2].content[0].content[0]',
        },
        { request: answered({ content: { a: 1 } }), place: 'messages[2].content[0].content' },
      ],
      keeps: [
        { request: answered({ content: [text('one'), image, document, found] }) },
        { request: answered({ content: [text('one')], is_error: true }) },
        { request: answered({ content: [{ type: 'tool_reference', tool_name: 'read' }] }) },
        { request: answered({ content: '' }) },
        { request: answered({ content: [] }) },
        {
          request: chat(
            user('hi'),
            assistant([use('a')]),
            user([{ type: 'tool_result', tool_use_id: 'a' }]),
          ),
        },
      ],
    })
  })

  it('what an answer cites stays as it came, or goes as a whole [VALID-A20]', () => {
    const cited = (encrypted_index: string) => ({
      ...text('Tea it is.'),
      citations: [{ type: 'web_search_result_location', cited_text: 'tea', encrypted_index }],
    })
    const ending = (last: object) => chat(user('hi'), assistant([search, found, last]), user('so?'))
    const answer = assistant([search, found, cited('x')])
    const earlier = [{ request: chat(user('hi')), answer }] as never
    check('VALID-A20', {
      breaks: [{ request: ending(cited('y')), earlier, place: 'messages[1].content[2].citations' }],
      keeps: [
        { request: ending(cited('x')), earlier },
        { request: ending(cited('y')) },
        { request: ending(text('Tea it is.')), earlier },
      ],
    })
  })

  it('a server tool’s call and result stay in one answer, as they came [VALID-A20]', () => {
    const whole = assistant([search, found, text('Tea it is.')])
    const code = { ...search, id: 's2', name: 'code_execution' }
    const ran = { type: 'code_execution_tool_result', tool_use_id: 's2', content: {} }
    const fromCode = { ...use('a'), caller: { type: 'code_execution_20250825', tool_id: 's2' } }
    const paused = { content: [text('Looking'), search], stop_reason: 'pause_turn' }
    const earlier = [{ request: chat(user('hi')), answer: whole }] as never
    const pause = [{ request: chat(user('hi')), answer: paused }] as never
    check('VALID-A20', {
      breaks: [
        {
          request: chat(user('hi'), assistant([search, text('So.')]), user('so?')),
          place: 'messages[1].content[0]',
        },
        {
          request: chat(user('hi'), assistant([found, text('So.')]), user('so?')),
          place: 'messages[1].content[0].tool_use_id',
        },
        {
          request: chat(
            user('hi'),
            assistant([search]),
            user('wait'),
            assistant([found]),
            user('so?'),
          ),
          place: ['messages[1].content[0]', 'messages[3].content[0].tool_use_id'],
        },
        {
          request: chat(
            user('hi'),
            assistant([search, { ...found, content: [{ encrypted_content: 'x' }] }]),
            user('so?'),
          ),
          earlier,
          place: 'messages[1].content[1]',
        },
        { request: chat(user('hi'), assistant([search])), earlier: pause, place: 'messages[1]' },
      ],
      keeps: [
        { request: chat(user('hi'), whole, user('so?')), earlier },
        { request: chat(user('hi'), assistant([text('Looking'), search])), earlier: pause },
        { request: chat(user('hi'), assistant([text('Looking'), search])) },
        // Code that waits for a tool of the client gets its result later.
        {
          request: chat(
            user('hi'),
            assistant([code, fromCode]),
            user([result('a')]),
            assistant([ran, text('Done.')]),
            user('so?'),
          ),
        },
      ],
    })
  })
})

describe('content', () => {
  it('no text is blank, no mark for the cache stands on thinking [VALID-A9]', () => {
    const cached = { cache_control: { type: 'ephemeral' } }
    const thinking = { type: 'thinking', thinking: '', signature: 's' }
    const results = (content: unknown) =>
      chat(user('hi'), assistant([use('a')]), user([result('a', content)]))
    check('VALID-A9', {
      breaks: [
        { request: chat(user([text('')])), place: 'messages[0].content[0].text' },
        { request: chat(user([text('hi'), text(' \n')])), place: 'messages[0].content[1].text' },
        { request: chat(user(' ')), place: 'messages[0].content' },
        { request: chat(user([{ type: 'text' }])), place: 'messages[0].content[0].text' },
        { request: results([text('')]), place: 'messages[2].content[0].content[0].text' },
        { request: { ...chat(user('hi')), system: [text('')] }, place: 'system[0].text' },
        {
          request: chat(user([{ ...text(''), ...cached }])),
          place: 'messages[0].content[0].text',
        },
        {
          request: chat(
            user('hi'),
            assistant([{ ...thinking, ...cached }, text('a')]),
            user('so?'),
          ),
          place: 'messages[1].content[0].cache_control',
        },
      ],
      keeps: [
        {
          request: chat(
            user([{ ...text('hi'), ...cached }]),
            assistant([thinking, text('a')]),
            user('so?'),
          ),
        },
        { request: results('') },
      ],
    })
  })

  it('the last message is the user’s, or a prefill without blanks behind [VALID-A10]', () => {
    const begun = (content: unknown) => chat(user('hi'), assistant(content))
    const earlier = [
      { request: chat(user('hi')), answer: { content: [text('So')], stop_reason: 'pause_turn' } },
    ] as never
    check('VALID-A10', {
      breaks: [
        { request: begun('So'), place: 'messages[1]' },
        { request: begun('So '), profile: LEGACY, place: 'messages[1].content' },
        { request: begun([text('So\n')]), profile: LEGACY, place: 'messages[1].content[0].text' },
      ],
      keeps: [
        { request: begun('So'), profile: LEGACY },
        { request: chat(user('hi'), assistant('So '), user('so?')), profile: LEGACY },
        { request: chat(user('hi'), ...round('a')) },
        // Not begun for the model: a summary is asked for, or a paused answer goes on.
        { request: { ...begun('So'), compaction: { type: 'summarize' } } },
        { request: { ...begun('So '), compaction: { type: 'summarize' } }, profile: LEGACY },
        { request: begun([search]) },
        { request: begun([search, found]) },
        { request: begun('So'), earlier },
      ],
    })
  })

  it('at most four marks for the cache, long-lived ones first [VALID-A17]', () => {
    const marked = (value: string, ttl?: string) => ({
      ...text(value),
      cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }) },
    })
    const five = ['a', 'b', 'c', 'd', 'e'].map((value) => marked(value))
    const automatic = { cache_control: { type: 'ephemeral' } }
    check('VALID-A17', {
      breaks: [
        { request: chat(user(five)), place: 'messages[0].content[4].cache_control' },
        {
          request: { ...chat(user(five.slice(0, 3))), system: five.slice(3) },
          place: 'messages[0].content[2].cache_control',
        },
        {
          request: { ...chat(user([...five.slice(0, 4), text('z')])), ...automatic },
          place: 'cache_control',
        },
        {
          request: chat(user([marked('a'), marked('b', '1h')])),
          place: 'messages[0].content[1].cache_control',
        },
        {
          request: {
            ...chat(user([marked('a', '1h')])),
            tools: [{ name: 'read', input_schema: {}, ...automatic }],
          },
          place: 'messages[0].content[0].cache_control',
        },
        {
          request: chat(user('hi'), assistant([use('a')]), user([result('a', five)])),
          place: 'messages[2].content[0].content[4].cache_control',
        },
      ],
      keeps: [
        { request: chat(user(five.slice(0, 4))) },
        { request: { ...chat(user(five.slice(0, 4))), ...automatic } },
        { request: chat(user([marked('a', '1h'), marked('b', '5m'), marked('c')])) },
        { request: chat(user([{ ...text('a'), cache_control: null }, ...five.slice(0, 4)])) },
      ],
    })
  })

  it('the request and its answer fit the window [VALID-A19]', () => {
    const request = chat(user('hi'))
    const profile = { windowTokens: 200_000 }
    check('VALID-A19', {
      breaks: [
        { request, profile, requestTokens: 199_001, place: 'max_tokens' },
        {
          request,
          profile: { ...profile, stopsAtWindow: true },
          requestTokens: 200_001,
          place: 'max_tokens',
        },
      ],
      keeps: [
        { request, profile, requestTokens: 199_000 },
        { request, profile: { ...profile, stopsAtWindow: true }, requestTokens: 200_000 },
        { request, profile },
        { request, requestTokens: 1_000_000 },
      ],
    })
  })

  it('no string holds half a character [VALID-A21]', () => {
    check('VALID-A21', {
      breaks: [
        { request: chat(user('tea \ud83c')), place: 'messages[0].content' },
        { request: { ...chat(user('hi')), system: '\udf75' }, place: 'system' },
        {
          request: chat(
            user('hi'),
            assistant([use('a', { path: ['\ud83c'] })]),
            user([result('a')]),
          ),
          place: 'messages[1].content[0].input.path[0]',
        },
        {
          request: { ...chat(user('hi')), metadata: { '\ud83c': 1 } },
          place: 'metadata["\\ud83c"]',
        },
      ],
      keeps: [{ request: chat(user('tea 🍵')) }],
    })
  })
})
