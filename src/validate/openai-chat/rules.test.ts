// The rules of Chat Completions: each broken alone, each kept, none of them throwing.
import { describe, it } from 'vitest'
import type { Json } from '../../core/text/json.ts'
import { createSuite } from './contract.ts'
import { OPENAI_CHAT_RULES } from './index.ts'

const suite = createSuite(OPENAI_CHAT_RULES, {
  wire: 'openai-chat',
  preservedThinking: false,
  prefill: false,
  strict: false,
})
const STRICT = { strict: true }

const user = { role: 'user', content: 'look at a.txt' }
const system = { role: 'system', content: 'be brief' }
const answer = { role: 'assistant', content: 'done' }
const call = (id: Json, name: Json = 'read', text: Json = '{"path":"a.txt"}') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})
const calling = (...calls: readonly Json[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
})
const result = (id: Json, content: Json = 'text') => ({ role: 'tool', tool_call_id: id, content })
const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }
const text = (words: string) => ({ type: 'text', text: words })
const legacyCall = (name: string) => ({
  role: 'assistant',
  content: null,
  function_call: { name, arguments: '{}' },
})
const legacyResult = (name: string) => ({ role: 'function', name, content: '' })
const chat = (...messages: readonly Json[]) => ({ model: 'm', messages })

describe('tool rounds of Chat Completions', () => {
  it('has one tool message for each call before any other role [VALID-C1]', () => {
    suite.prove('VALID-C1', {
      broken: [
        { request: chat(user, calling(call('a'))), where: 'messages[1].tool_calls[0].id' },
        {
          request: chat(user, calling(call('a'), call('b')), result('a'), user),
          where: 'messages[1].tool_calls[1].id',
        },
        {
          request: chat(user, calling(call('a')), result('a'), result('a')),
          where: 'messages[3].tool_call_id',
        },
        {
          request: chat(user, calling(call(null), call(null))),
          where: ['messages[1].tool_calls[0].id', 'messages[1].tool_calls[1].id'],
        },
      ],
      kept: [
        { request: chat(user, calling(call('a'), call('b')), result('b'), result('a'), answer) },
        // Only an answer calls; elsewhere the field means nothing.
        { request: chat({ ...user, tool_calls: [call('a')] }) },
        // Ids may repeat from turn to turn.
        { request: chat(user, calling(call('a')), result('a'), calling(call('a')), result('a')) },
      ],
    })
  })

  it('lets no tool message stand without its call right before [VALID-C2]', () => {
    suite.prove('VALID-C2', {
      broken: [
        { request: chat(user, result('a')), where: 'messages[1].tool_call_id' },
        {
          request: chat(user, calling(call('a')), result('a'), user, result('a')),
          where: 'messages[4].tool_call_id',
        },
        {
          request: chat(user, calling(call('a')), result('a'), result('x')),
          where: 'messages[3].tool_call_id',
        },
        { request: chat(user, { role: 'tool', content: '' }), where: 'messages[1].tool_call_id' },
      ],
      kept: [{ request: chat(user, calling(call('a')), result('a')) }],
    })
  })

  it('wants ids of at most 40 characters, unique in a turn, and no empty list [VALID-C3]', () => {
    const long = 'x'.repeat(41)
    suite.prove('VALID-C3', {
      broken: [
        {
          request: chat(user, calling(call(long)), result(long)),
          where: ['messages[1].tool_calls[0].id', 'messages[2].tool_call_id'],
        },
        {
          request: chat(user, calling(call('a'), call('a')), result('a'), result('a')),
          where: 'messages[1].tool_calls[1].id',
        },
        { request: chat(user, { ...answer, tool_calls: [] }), where: 'messages[1].tool_calls' },
        { request: chat(user, { ...answer, tool_calls: null }), where: 'messages[1].tool_calls' },
      ],
      kept: [
        { request: chat(user, calling(call('x'.repeat(40))), result('x'.repeat(40))) },
        { request: chat(user, answer) },
        { request: chat({ ...user, tool_calls: [] }) },
      ],
    })
  })

  it('pairs a legacy function_call with the function message right behind it [VALID-C9]', () => {
    suite.prove('VALID-C9', {
      broken: [
        { request: chat(user, legacyCall('read')), where: 'messages[1].function_call' },
        { request: chat(user, legacyCall('read'), user), where: 'messages[1].function_call' },
        { request: chat(user, legacyResult('read')), where: 'messages[1]' },
        {
          request: chat(user, legacyCall('read'), legacyResult('write')),
          where: 'messages[2].name',
        },
        {
          request: chat(user, legacyCall('read'), legacyResult('read'), legacyResult('read')),
          where: 'messages[3]',
        },
      ],
      kept: [
        { request: chat(user, legacyCall('read'), legacyResult('read'), answer) },
        { request: chat(user, { ...answer, function_call: null }) },
      ],
    })
  })
})

describe('turns on strict backends of Chat Completions', () => {
  it('opens with the user, behind the system message [VALID-A2]', () => {
    const answered = chat(system, answer, user)
    suite.prove('VALID-A2', {
      broken: [
        { request: answered, profile: STRICT, where: 'messages[1]' },
        {
          request: chat(calling(call('a')), result('a'), user),
          profile: STRICT,
          where: 'messages[0]',
        },
      ],
      kept: [{ request: chat(system, user, answer, user), profile: STRICT }, { request: answered }],
    })
  })

  it('lets roles alternate, with results in the place of the user [VALID-A3]', () => {
    const twice = chat(user, user)
    const answers = chat(user, answer, calling(call('a')), result('a'))
    const round = [calling(call('a'), call('b')), result('a'), result('b')]
    suite.prove('VALID-A3', {
      broken: [
        { request: twice, profile: STRICT, where: 'messages[1]' },
        { request: answers, profile: STRICT, where: 'messages[2]' },
        {
          request: chat(system, user, user, user),
          profile: STRICT,
          where: ['messages[2]', 'messages[3]'],
        },
        {
          request: chat(user, ...round, answer, answer, user),
          profile: STRICT,
          where: 'messages[5]',
        },
      ],
      kept: [
        { request: chat(user, ...round, ...round, answer, user), profile: STRICT },
        { request: chat(user, ...round, user), profile: STRICT },
        { request: chat(user, legacyCall('f'), legacyResult('f'), answer), profile: STRICT },
        { request: twice },
        { request: answers },
      ],
    })
  })
})

describe('content of Chat Completions', () => {
  it('lets an answer be empty only beside calls, a refusal or audio [VALID-C4]', () => {
    const silent = { role: 'assistant', content: null }
    const blank = { role: 'user', content: [text(' \n')] }
    suite.prove('VALID-C4', {
      broken: [
        { request: chat(user, silent), where: 'messages[1].content' },
        { request: chat(user, { role: 'assistant', content: '' }), where: 'messages[1].content' },
        { request: chat({ role: 'user' }), where: 'messages[0].content' },
        { request: chat({ role: 'user', refusal: 'no' }), where: 'messages[0].content' },
        { request: chat({ role: 'user', content: [] }), where: 'messages[0].content' },
        { request: chat({ role: 'system', content: null }, user), where: 'messages[0].content' },
        { request: chat({ role: 'developer', content: '' }, user), where: 'messages[0].content' },
        { request: chat(blank), profile: STRICT, where: 'messages[0].content' },
        { request: chat({ role: 'robot', content: 'a' }), where: 'messages[0].role' },
        { request: chat(user, 'hello'), where: 'messages[1]' },
        {
          request: chat(user, legacyCall('f'), { role: 'function', name: 'f', content: null }),
          where: 'messages[2].content',
        },
        ...[null, [], 'text', 7, {}, chat(), { messages: {} }].map((request) => ({
          request,
          where: 'messages',
        })),
      ],
      kept: [
        { request: chat(user, calling(call('a')), result('a')) },
        { request: chat(user, { ...silent, refusal: 'no' }) },
        { request: chat(user, { ...silent, audio: { id: 'audio_1' } }) },
        { request: chat(blank) },
        { request: chat({ role: 'user', content: [image] }), profile: STRICT },
      ],
    })
  })

  it('has no half characters, wherever they stand [VALID-A21]', () => {
    const half = 'half \ud83d'
    suite.prove('VALID-A21', {
      broken: [
        { request: chat({ role: 'user', content: half }), where: 'messages[0].content' },
        {
          request: chat(user, calling(call('a', 'f', '"\ude00"')), result('a')),
          where: 'messages[1].tool_calls[0].function.arguments',
        },
        {
          request: { ...chat(user), metadata: { [half]: 'a' } },
          where: 'metadata["half \\ud83d"]',
        },
      ],
      kept: [{ request: chat({ role: 'user', content: 'whole \ud83d\ude00' }) }],
    })
  })

  it('takes text alone from tools [VALID-C7]', () => {
    const round = (content: Json) => chat(user, calling(call('a')), result('a', content))
    suite.prove('VALID-C7', {
      broken: [
        { request: round([text('a'), image]), where: 'messages[2].content[1]' },
        { request: round([{ type: 'text' }]), where: 'messages[2].content[0]' },
        { request: round([{ type: 'refusal', text: 'a' }]), where: 'messages[2].content[0]' },
        { request: round(null), where: 'messages[2].content' },
        { request: round([]), where: 'messages[2].content' },
      ],
      kept: [{ request: round('') }, { request: round([text('a'), text('')]) }],
    })
  })

  it('keeps the system first and single where the backend wants that [VALID-C8]', () => {
    const late = chat(user, system)
    const twice = chat(system, { role: 'developer', content: 'be kind' }, user)
    suite.prove('VALID-C8', {
      broken: [
        { request: late, profile: STRICT, where: 'messages[1]' },
        { request: twice, profile: STRICT, where: 'messages[1]' },
      ],
      kept: [
        { request: late },
        { request: twice },
        { request: chat(system, user), profile: STRICT },
      ],
    })
  })

  it('asks for the word json where the format is json_object [VALID-C11]', () => {
    const asJson = (...messages: readonly Json[]) => ({
      ...chat(...messages),
      response_format: { type: 'json_object' },
    })
    suite.prove('VALID-C11', {
      broken: [
        { request: asJson(system, user), where: 'response_format' },
        // Neither a name nor arguments are a message's words.
        {
          request: asJson(user, calling(call('a', 'json', '{"json":1}')), result('a')),
          where: 'response_format',
        },
      ],
      kept: [
        { request: asJson({ role: 'system', content: 'Answer in JSON.' }, user) },
        { request: asJson({ role: 'user', content: [text('as json, please')] }) },
        { request: { ...chat(user), response_format: { type: 'json_schema' } } },
      ],
    })
  })
})

describe('calls and limits of Chat Completions', () => {
  it('wants arguments to be a string of JSON [VALID-C5]', () => {
    const round = (value: Json) => chat(user, calling(call('a', 'read', value)), result('a'))
    const legacy = { role: 'assistant', content: null, function_call: { name: 'f', arguments: {} } }
    suite.prove('VALID-C5', {
      broken: [
        { request: round({}), where: 'messages[1].tool_calls[0].function.arguments' },
        {
          request: round('{"path":'),
          profile: STRICT,
          where: 'messages[1].tool_calls[0].function.arguments',
        },
        {
          request: chat(user, legacy, legacyResult('f')),
          where: 'messages[1].function_call.arguments',
        },
      ],
      kept: [
        { request: round('{}'), profile: STRICT },
        { request: round('{"path":') },
        {
          request: chat(
            user,
            calling({ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls' } }),
            result('a'),
          ),
        },
      ],
    })
  })

  it('holds names to 64 letters, digits, underscores and dashes [VALID-C6]', () => {
    const round = (name: Json) => chat(user, calling(call('a', name)), result('a'))
    const tool = (name: Json) => ({ type: 'function', function: { name } })
    const custom = { id: 'a', type: 'custom', custom: { name: 'a b', input: '' } }
    suite.prove('VALID-C6', {
      broken: [
        { request: round('files.read'), where: 'messages[1].tool_calls[0].function.name' },
        { request: round('x'.repeat(65)), where: 'messages[1].tool_calls[0].function.name' },
        { request: round(''), where: 'messages[1].tool_calls[0].function.name' },
        { request: round(null), where: 'messages[1].tool_calls[0].function.name' },
        {
          request: chat(user, calling(custom), result('a')),
          where: 'messages[1].tool_calls[0].custom.name',
        },
        { request: chat({ ...user, name: 'J. Doe' }), where: 'messages[0].name' },
        {
          request: { ...chat(user), tools: [tool('a'), tool('b/c')] },
          where: 'tools[1].function.name',
        },
        { request: { ...chat(user), functions: [{ name: 'ü' }] }, where: 'functions[0].name' },
        {
          request: chat(user, legacyCall('f g'), legacyResult('f g')),
          where: ['messages[1].function_call.name', 'messages[2].name'],
        },
      ],
      kept: [
        { request: round('x'.repeat(64)) },
        { request: { ...chat({ ...user, name: 'J_Doe-2' }), tools: [tool('read_file-2')] } },
      ],
    })
  })

  it('caps tools, images and the length of a text [VALID-C10]', () => {
    const tools = (count: number) => ({
      ...chat(user),
      tools: Array.from({ length: count }, () => ({ type: 'function', function: { name: 'f' } })),
    })
    const functions = Array.from({ length: 129 }, () => ({ name: 'f' }))
    const images = (count: number) =>
      chat({ role: 'user', content: Array.from({ length: count }, () => image) })
    const million = 'x'.repeat(1_048_577)
    const heavy = { type: 'image_url', image_url: { url: `data:,${'A'.repeat(40_000_000)}` } }
    const linked = { type: 'image_url', image_url: { url: `http:,${'A'.repeat(70_000_000)}` } }
    suite.prove('VALID-C10', {
      broken: [
        { request: tools(129), where: 'tools' },
        { request: { ...chat(user), functions }, where: 'functions' },
        { request: images(502), where: 'messages[0].content[500]' },
        {
          request: chat({ role: 'user', content: [heavy, heavy, heavy] }),
          where: 'messages[0].content[1]',
        },
        {
          request: chat(user, answer, { role: 'user', content: million }),
          profile: STRICT,
          where: 'messages[2].content',
        },
        {
          request: chat({ role: 'user', content: [text('a'), text(million)] }),
          profile: STRICT,
          where: 'messages[0].content[1].text',
        },
        {
          request: chat(user, calling(call('a', 'f', `"${million}"`)), result('a')),
          profile: STRICT,
          where: 'messages[1].tool_calls[0].function.arguments',
        },
        {
          request: chat({ role: 'user', content: 'x'.repeat(10_485_761) }),
          where: 'messages[0].content',
        },
      ],
      kept: [
        { request: tools(128) },
        { request: images(500) },
        { request: chat({ role: 'user', content: Array.from({ length: 501 }, () => text('a')) }) },
        { request: chat({ role: 'user', content: [linked] }) },
        { request: chat({ role: 'user', content: [heavy] }), profile: STRICT },
        { request: chat({ role: 'user', content: million }) },
        { request: chat({ role: 'user', content: million.slice(1) }), profile: STRICT },
      ],
    })
  })
})

describe('any request to Chat Completions', () => {
  it('is judged without throwing, at places that exist', () => {
    const rounds = chat(
      system,
      { role: 'user', name: 'J_Doe', content: [text('as json'), image] },
      calling(call('a'), call('b')),
      result('a'),
      result('b', [text('b')]),
      calling({ id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls' } }),
      result('c'),
      { role: 'assistant', content: null, refusal: 'no' },
      user,
      legacyCall('read'),
      legacyResult('read'),
    )
    const tools = [{ type: 'function', function: { name: 'read' } }]
    const asked = { functions: [{ name: 'read' }], response_format: { type: 'json_object' } }
    suite.surviveAnything([rounds, { ...rounds, ...asked, tools }])
  })

  it('is read in proportion to its length', () => {
    suite.readInProportion((size) =>
      chat(...Array.from({ length: size }, () => [user, calling(call('a')), result('a')]).flat()),
    )
    suite.readInProportion((size) =>
      chat(
        user,
        calling(...Array.from({ length: size }, () => call('a'))),
        ...Array.from({ length: size }, () => result('a')),
      ),
    )
  })
})
