// The rules of Gemini: each broken alone, each kept, none of them throwing.
import { describe, it } from 'vitest'
import type { Json } from '../../core/text/json.ts'
import { createSuite } from '../openai-chat/contract.ts'
import { GEMINI_RULES } from './index.ts'

const suite = createSuite(GEMINI_RULES, {
  wire: 'gemini',
  preservedThinking: false,
  prefill: false,
  strict: false,
})

const user = (...parts: readonly Json[]) => ({ role: 'user', parts })
const model = (...parts: readonly Json[]) => ({ role: 'model', parts })
const text = (words: string) => ({ text: words })
const call = { functionCall: { name: 'read', args: {} } }
const signed = { ...call, thoughtSignature: 'c2ln' }
const response = { functionResponse: { name: 'read', response: { output: 'text' } } }
const ask = (...contents: readonly Json[]) => ({ contents })
const hello = user(text('look at a.txt'))
const done = model(text('done'))

describe('turns of Gemini', () => {
  it('opens with the user [VALID-G1]', () => {
    suite.prove('VALID-G1', {
      broken: [
        { request: ask(done, hello), where: 'contents[0]' },
        { request: ask({ parts: [text('a')] }), where: 'contents[0]' },
        { request: ask(hello, { role: 'assistant', parts: [text('a')] }), where: 'contents[1]' },
        { request: ask(hello, done, { parts: [text('a')] }), where: 'contents[2]' },
        ...[null, [], 'text', 7, {}, ask(), { contents: {} }].map((request) => ({
          request,
          where: 'contents',
        })),
      ],
      kept: [{ request: ask(hello, done, hello) }],
    })
  })

  it('lets roles alternate where the model is strict [VALID-A3]', () => {
    const twice = ask(hello, hello)
    suite.prove('VALID-A3', {
      broken: [
        { request: twice, profile: { strict: true }, where: 'contents[1]' },
        {
          request: ask(hello, done, done, hello),
          profile: { strict: true },
          where: 'contents[2]',
        },
        {
          request: ask(hello, model(signed), user(response), hello),
          profile: { strict: true },
          where: 'contents[3]',
        },
      ],
      kept: [
        {
          request: ask(hello, model(signed), user(response), done, hello),
          profile: { strict: true },
        },
        { request: twice },
      ],
    })
  })

  it('lets a function call follow only the user or a function response [VALID-G2]', () => {
    suite.prove('VALID-G2', {
      broken: [
        { request: ask(hello, done, model(signed), user(response)), where: 'contents[2]' },
        { request: ask(user(signed), user(response)), where: 'contents[0]' },
        { request: ask(hello, user(signed), user(response)), where: 'contents[1]' },
      ],
      kept: [
        { request: ask(hello, model(signed), user(response), model(signed), user(response)) },
        { request: ask(hello, model(signed), { role: 'function', parts: [response] }) },
      ],
    })
  })

  it('answers each function call in the one content that follows [VALID-G3]', () => {
    suite.prove('VALID-G3', {
      broken: [
        { request: ask(hello, model(signed, call), user(response)), where: 'contents[2]' },
        { request: ask(hello, model(signed), user(response, response)), where: 'contents[2]' },
        { request: ask(hello, model(signed), hello), where: 'contents[2]' },
        { request: ask(hello, done, user(response)), where: 'contents[2]' },
        // Two contents for the results of one turn.
        {
          request: ask(hello, model(signed, call), user(response), user(response)),
          where: ['contents[2]', 'contents[3]'],
        },
        { request: ask(hello, { role: 'function', parts: [signed] }), where: 'contents[1]' },
        { request: ask(hello, model(signed), model(response), hello), where: 'contents[2]' },
      ],
      kept: [
        { request: ask(hello, model(signed, call), user(response, response), done, hello) },
        { request: ask(hello, model(signed), user(response, text('and now b.txt'))) },
      ],
    })
  })

  it('does not end on a turn of the model [VALID-G6]', () => {
    suite.prove('VALID-G6', {
      broken: [{ request: ask(hello, done), where: 'contents[1]' }],
      kept: [{ request: ask(hello) }, { request: ask(hello, model(signed), user(response)) }],
    })
  })
})

describe('parts of Gemini', () => {
  it('keeps the signature on the first call of each step of the current turn [VALID-G4]', () => {
    const open = ask(
      hello,
      model(signed),
      user(response),
      model(call, signed),
      user(response, response),
    )
    suite.prove('VALID-G4', {
      broken: [
        { request: ask(hello, model(call), user(response)), where: 'contents[1].parts[0]' },
        { request: open, where: 'contents[3].parts[0]' },
        {
          request: ask(
            hello,
            model(text('I look'), { ...call, thoughtSignature: '' }),
            user(response),
          ),
          where: 'contents[1].parts[1]',
        },
        {
          request: ask(hello, model({ function_call: { name: 'f' } }), user(response)),
          where: 'contents[1].parts[0]',
        },
      ],
      kept: [
        { request: ask(hello, model(signed, call), user(response, response)) },
        // An earlier turn is closed by the next words of the user.
        { request: ask(hello, model(call), user(response), done, hello) },
        { request: ask(hello, model(call), user(response, text('and b.txt'))) },
        { request: open, profile: { thinkingEnabled: false } },
      ],
    })
  })

  it('has no empty parts [VALID-G5]', () => {
    const blank = ask(user(text(' \n')))
    suite.prove('VALID-G5', {
      broken: [
        { request: ask(user()), where: 'contents[0]' },
        { request: ask(hello, { role: 'user' }), where: 'contents[1]' },
        { request: ask(user(text('a'), {})), where: 'contents[0].parts[1]' },
        { request: ask(user(text(''))), where: 'contents[0].parts[0]' },
        { request: ask(user('a')), where: 'contents[0].parts[0]' },
        { request: ask(hello, model({ thought: true }), hello), where: 'contents[1].parts[0]' },
        {
          request: ask(hello, model({ thoughtSignature: 'c2ln' }), hello),
          where: 'contents[1].parts[0]',
        },
        { request: blank, profile: { strict: true }, where: 'contents[0].parts[0]' },
        {
          request: { ...ask(hello), systemInstruction: { parts: [text('')] } },
          where: 'systemInstruction.parts[0]',
        },
        { request: { ...ask(hello), systemInstruction: 'be brief' }, where: 'systemInstruction' },
      ],
      kept: [
        { request: { ...ask(hello), systemInstruction: { parts: [text('be brief')] } } },
        { request: blank },
        { request: ask(user({ inlineData: { mimeType: 'image/png', data: 'AA==' } })) },
        // How a streamed answer ends.
        { request: ask(hello, model({ text: '', thoughtSignature: 'c2ln' }), hello) },
      ],
    })
  })
})

describe('texts of Gemini', () => {
  it('has no half characters [VALID-A21]', () => {
    suite.prove('VALID-A21', {
      broken: [
        { request: ask(user(text('half \ud83d'))), where: 'contents[0].parts[0].text' },
        {
          request: { ...ask(hello), systemInstruction: { parts: [text('\ude00')] } },
          where: 'systemInstruction.parts[0].text',
        },
      ],
      kept: [{ request: ask(user(text('whole \ud83d\ude00'))) }],
    })
  })
})

describe('any request to Gemini', () => {
  it('is judged without throwing, at places that exist', () => {
    const turns = ask(
      hello,
      model({ text: 'so', thought: true }, signed, call),
      user(response, response, text('and b.txt')),
      model({ function_call: { name: 'f' }, thought_signature: 'c2ln' }),
      user({ function_response: { name: 'f' } }),
      done,
      user({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
    )
    suite.surviveAnything([turns, { ...turns, systemInstruction: { parts: [text('be brief')] } }])
  })

  it('is read in proportion to its length', () => {
    suite.readInProportion((size) =>
      ask(
        ...Array.from({ length: size }, () => [hello, model(signed), user(response), done]).flat(),
      ),
    )
    suite.readInProportion((size) => ask(user(...Array.from({ length: size }, () => response))))
  })
})
