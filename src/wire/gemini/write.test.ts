// How a request looks as a generateContent body, case by case.
import { describe, expect, it } from 'vitest'
import { agent, call, requestOf, result, text, user } from '../../../test/say-messages.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { GEMINI, writeGemini } from './write.ts'

const thought = (signature?: string, model: `${string}/${string}` = 'gemini/3'): MessagePart => ({
  type: 'thinking',
  thinking: 'hm',
  ...(signature !== undefined && { signature }),
  model,
})
const native = (value: Json): MessagePart => ({ type: 'native', provider: 'gemini', value })
const png = { mimeType: 'image/png', data: 'AAAA' }

const says = (role: 'user' | 'model', ...parts: Json[]) => ({ role, parts })
const wireCall = (name: string, args: Json = {}) => ({ functionCall: { name, args } })
const responded = (name: string, response: Json) => ({ functionResponse: { name, response } })
const UNSIGNED = 'skip_thought_signature_validator'

describe('contents', () => {
  it.each<[string, Message[], Json[]]>([
    [
      'the results of all calls first in one content, with what the user says next [VALID-G3]',
      [
        user(text('q')),
        agent(thought('s1'), call('c1'), call('c2', 'bash', { cmd: 'ls' })),
        user(result('c2', ['no'], 'failed'), result('c1', ['one'])),
        user(text('next')),
      ],
      [
        says('user', { text: 'q' }),
        says(
          'model',
          { ...wireCall('read'), thoughtSignature: 's1' },
          wireCall('bash', { cmd: 'ls' }),
        ),
        says(
          'user',
          responded('read', { output: 'one' }),
          responded('bash', { error: '[the call failed]\nno' }),
          { text: 'next' },
        ),
      ],
    ],
    [
      'each signature on the part behind its thinking, unchanged [VALID-G4]',
      [
        user(text('q')),
        agent(thought('s1'), text('I look.'), thought('s2'), call('c1')),
        user(result('c1', ['one'])),
        agent(thought('s3'), thought('s4')),
        user(text('r')),
      ],
      [
        says('user', { text: 'q' }),
        says(
          'model',
          { text: 'I look.', thoughtSignature: 's1' },
          { ...wireCall('read'), thoughtSignature: 's2' },
        ),
        says('user', responded('read', { output: 'one' })),
        says('model', { text: '', thoughtSignature: 's3' }, { text: '', thoughtSignature: 's4' }),
        says('user', { text: 'r' }),
      ],
    ],
    [
      'a word in the place of a signature that no model of its own gave [VALID-G4]',
      [
        user(text('q')),
        agent(thought('x', 'anthropic/x'), thought(undefined), call('c1'), call('c2')),
        user(result('c1', ['one']), result('c2', ['two'])),
      ],
      [
        says('user', { text: 'q' }),
        says('model', { ...wireCall('read'), thoughtSignature: UNSIGNED }, wireCall('read')),
        says('user', responded('read', { output: 'one' }), responded('read', { output: 'two' })),
      ],
    ],
    [
      'the user first, and roles that alternate [VALID-G1] [VALID-A3]',
      [agent(text('a')), agent(text('b')), user(text('c')), user(text(' ')), user(text('d'))],
      [
        says('user', { text: '[earlier conversation compacted]' }),
        says('model', { text: 'a\n\n' }, { text: 'b' }),
        says('user', { text: 'c' }, { text: 'd' }),
      ],
    ],
    [
      'images as bytes, behind the responses where a function showed them',
      [
        user(text('q'), { type: 'image', media: png }),
        agent(thought('s'), call('c1')),
        user({
          type: 'tool_result',
          id: 'c1',
          content: [
            { type: 'image', ...png },
            { type: 'image', mimeType: 'image/gif', data: 'AAAA' },
          ],
          status: 'completed',
        }),
      ],
      [
        says('user', { text: 'q' }, { inlineData: png }),
        says('model', { ...wireCall('read'), thoughtSignature: 's' }),
        says(
          'user',
          responded('read', { output: '[image image/gif not shown]\n[an image follows]' }),
          { text: '[shown by the result of read]' },
          { inlineData: png },
        ),
      ],
    ],
    [
      'parts that only it understands as they came, and no call among them',
      [
        user(text('q'), native({ fileData: { fileUri: 'files/1' } })),
        agent(native({ executableCode: { code: '1' } }), native(wireCall('read')), native({})),
        user(text('r')),
      ],
      [
        says('user', { text: 'q' }, { fileData: { fileUri: 'files/1' } }),
        says('model', { executableCode: { code: '1' } }),
        says('user', { text: 'r' }),
      ],
    ],
  ])('has %s', (_name, messages, contents) => {
    const { body } = writeGemini(requestOf({ messages }), GEMINI, () => undefined)
    expect(body.contents).toEqual(contents)
    expect(validate({ ...PROFILES.gemini, strict: true }, body)).toEqual([])
  })

  it('says what was left out or changed', () => {
    const notes: string[] = []
    const messages = [
      user(text('half \ud83d')),
      agent(thought('x', 'other/x'), call('c1', '1st.tool')),
      user(result('c1', ['one'])),
    ]
    const { body, toolName } = writeGemini(requestOf({ messages }), GEMINI, (note) =>
      notes.push(note),
    )
    expect(notes).toEqual([
      'thinking of other/x was left out',
      'the call c1 has no signature; the API is asked not to look for one',
      'the tool name "1st.tool" was written as _1st_tool',
      'half characters were replaced',
    ])
    expect(body.contents).toMatchObject([says('user', { text: 'half \ufffd' }), {}, {}])
    expect(toolName('_1st_tool')).toBe('1st.tool')
  })
})

describe('the rest of the body', () => {
  const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }]

  it('has the system prompt, tools as JSON Schema, and limits', () => {
    const request = requestOf({ system: ['Be brief.', ' ', 'Be kind.'], tools, toolChoice: 'none' })
    expect(writeGemini(request, GEMINI, () => undefined).body).toEqual({
      contents: [says('user', { text: 'hi' })],
      systemInstruction: { parts: [{ text: 'Be brief.\n\nBe kind.' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'read', description: 'Reads.', parametersJsonSchema: { type: 'object' } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
      generationConfig: { maxOutputTokens: 100 },
    })
  })

  it.each<[Partial<ModelRequest>, Json]>([
    [
      { thinking: { effort: 'low', budgetTokens: 2_000 } },
      { thinkingConfig: { thinkingLevel: 'low' } },
    ],
    [{ thinking: { budgetTokens: 2_000 } }, { thinkingConfig: { thinkingBudget: 2_000 } }],
    [{ thinking: {} }, {}],
    [
      { native: { provider: 'gemini', fields: { generationConfig: { temperature: 0 } } } },
      { temperature: 0 },
    ],
    [{ native: { provider: 'openai', fields: { generationConfig: { temperature: 0 } } } }, {}],
  ])('turns %j into its own settings', (given, config) => {
    const { body } = writeGemini(requestOf(given), GEMINI, () => undefined)
    expect(body.generationConfig).toEqual({ maxOutputTokens: 100, ...(config as object) })
  })
})
