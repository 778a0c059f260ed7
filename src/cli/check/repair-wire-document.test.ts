// Documents of OpenAI's and Google's formats, damaged in any place: the copy keeps every rule.
import { describe, expect, it } from 'vitest'
import { damageOne, ODD_VALUES } from '../../../test/generate/damaged-json.ts'
import { Random } from '../../../test/generate/random.ts'
import { seeds } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { documentAs } from './check-format.ts'
import { checkDocument } from './check-report.ts'
import { findTarget, type Target } from './check-wires.ts'
import { repairDocument } from './repair-document.ts'
import type { RewrittenFormat } from './repair-wire-document.ts'

const SEEDS = seeds(1_500)

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const parameters = { type: 'object', properties: { path: { type: 'string' } } }

const chatCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: '{"path":"a.ts"}' },
})
const CHAT = {
  model: 'm',
  temperature: 0.5,
  tools: [{ type: 'function', function: { name: 'read', parameters } }],
  messages: [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: 'read two files' },
    { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }] },
    { role: 'assistant', content: 'done', refusal: null },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'and this?' },
        { type: 'image_url', image_url: { url: PNG } },
      ],
    },
    { role: 'assistant', content: 'again', tool_calls: [chatCall('a')] },
    { role: 'tool', tool_call_id: 'a', content: 'three' },
    { role: 'user', content: 'go on' },
  ],
}

const RESPONSES = {
  model: 'm',
  instructions: 'be brief',
  store: false,
  tools: [{ type: 'function', name: 'read', parameters }],
  input: [
    { role: 'user', content: 'read a file' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
    { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call', call_id: 'b', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'one' },
    {
      type: 'function_call_output',
      call_id: 'b',
      output: [
        { type: 'input_text', text: 'two' },
        { type: 'input_image', image_url: PNG },
      ],
    },
    { type: 'custom_tool_call', call_id: 'c', name: 'shell', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'a.ts' },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      phase: 'final_answer',
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'and this?' },
        { type: 'input_file', file_id: 'file_1' },
      ],
    },
  ],
}

const GEMINI = {
  generationConfig: { temperature: 0.5 },
  systemInstruction: { parts: [{ text: 'be brief' }] },
  tools: [{ functionDeclarations: [{ name: 'read', parameters }] }],
  contents: [
    { role: 'user', parts: [{ text: 'read two files' }] },
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'sig' },
        { functionCall: { name: 'read', args: { path: 'b' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'read', response: { output: 'one' } } },
        { functionResponse: { name: 'read', response: { error: 'gone' } } },
      ],
    },
    { role: 'model', parts: [{ text: 'done' }, { text: '', thoughtSignature: 'end' }] },
    {
      role: 'user',
      parts: [
        { text: 'and this?' },
        { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/v' } },
      ],
    },
  ],
}

/** What stands in files that somebody edited: other types, other roles, nothing, too much. */
const ODD: readonly Json[] = [
  ...ODD_VALUES,
  'x'.repeat(70),
  { type: 'text' },
  { type: 'text', text: ' ' },
  { role: 'system', content: 'be kind' },
  { role: 'tool', tool_call_id: 'x', content: 'y' },
  { role: 'function', name: 'read', content: 'y' },
  { role: 'assistant', content: null, function_call: { name: 'read', arguments: 7 } },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
  { id: 'q', type: 'custom', custom: { name: 'shell', input: 'ls' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  { type: 'function_call', call_id: 'z', name: 'no such name', arguments: '{' },
  { type: 'function_call_output', call_id: 'nowhere', output: { odd: true } },
  { type: 'custom_tool_call_output', call_id: 'nowhere', output: 'y' },
  { type: 'reasoning', id: 'rs_9', summary: [] },
  { type: 'item_reference', id: 'rs_9' },
  { type: 'compaction', encrypted_content: 'sealed' },
  { type: 'compaction' },
  { type: 'compaction_trigger' },
  { type: 'web_search_call', id: 'ws_9' },
  { type: 'output_text', text: 'said' },
  { role: 'model', parts: [{ text: 'said' }] },
  { functionCall: { name: 'read', args: 7 } },
  { functionResponse: { name: 'other', response: 7 } },
  { text: 'thought', thought: true, thoughtSignature: 's' },
]

interface Subject {
  readonly format: RewrittenFormat
  readonly document: { readonly [key: string]: Json }
  readonly list: string
}
const SUBJECTS: readonly Subject[] = [
  { format: 'openai-chat', document: CHAT, list: 'messages' },
  { format: 'openai-responses', document: RESPONSES, list: 'input' },
  { format: 'gemini', document: GEMINI, list: 'contents' },
]

describe.each(SUBJECTS)('a damaged document in the format $format', (subject) => {
  const { format, document } = subject
  const names = Object.keys(PROFILES)
  const targets = names.map((name) => findTarget(name, format))
  const own = targets.filter(({ write }) => write === undefined)
  const others = targets.filter(({ write }) => write !== undefined)

  it('is sound before it is damaged, and stays as it is', () => {
    expect(validate(PROFILES[format], document)).toEqual([])
    expect(repairDocument(document, format, findTarget(format, format))).toEqual({ changes: [] })
    for (const other of others) {
      const { violations, sent } = checkDocument(documentAs(format, document), format, other)
      expect([violations, sent?.violations], other.name).toEqual([[], []])
    }
  })

  it(`is repaired, whatever was done to it (${SEEDS.length} times)`, () => {
    for (const seed of SEEDS) {
      const target = own[seed % own.length] as Target
      const { damaged, did } = damagedFrom(subject, seed)
      const story = `PRECIS_SEED=${seed}, for ${target.name}: ${did.join('; ')}`
      const { text, changes } = repairDocument(damaged, format, target)
      const repaired: Json = text === undefined ? damaged : JSON.parse(text)
      expect(validate(target.profile, repaired), story).toEqual([])
      expect(text === undefined, story).toBe(changes.length === 0)
      expect(repairDocument(repaired, format, target).changes, story).toEqual([])
      expect(around(repaired, subject), story).toEqual(around(damaged, subject))
      // What stands before a compaction is in it, and is left out with it.
      if (!JSON.stringify(damaged).includes('compaction'))
        expect(lostWords(damaged, repaired), story).toEqual([])
    }
  })

  it('is repaired for each provider of another format, and stays sound in its own', () => {
    for (const seed of SEEDS) {
      const other = others[seed % others.length] as Target
      const { damaged, did } = damagedFrom(subject, seed)
      const { text } = repairDocument(damaged, format, other)
      const repaired: Json = text === undefined ? damaged : JSON.parse(text)
      const checked = checkDocument(documentAs(format, repaired), format, other)
      const story = `PRECIS_SEED=${seed}, for ${other.name}: ${did.join('; ')}`
      expect([checked.violations, checked.sent?.violations], story).toEqual([[], []])
    }
  })
})

it('names an invalid id that the copy leaves out', () => {
  const call = { type: 'function_call', id: [], call_id: 'a', name: 'read', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'one' }
  const input = [{ role: 'user', content: 'read a file' }, call, output]
  const target = findTarget('openai-responses', 'openai-responses')
  const { text, changes } = repairDocument({ ...RESPONSES, input }, 'openai-responses', target)
  expect(JSON.parse(text ?? '').input[1]).not.toHaveProperty('id')
  expect(changes.map(({ where }) => where)).toEqual(['input[1].id'])
})

function damagedFrom({ document, list }: Subject, seed: number) {
  const random = new Random(seed)
  const items = structuredClone(document[list]) as Json[]
  const did = Array.from({ length: random.int(1, 4) }, () => damageOne(items, ODD, random))
  return { damaged: { ...document, [list]: items }, did }
}

/** All but the conversation, and the prompts, which instructions among the messages may join. */
function around(value: Json, { list }: Subject): Json {
  const { [list]: _, instructions: __, ...rest } = value as { [key: string]: Json }
  return rest
}

const WORDS = /"(?:be brief|read two files|read a file|one|two|three|done|and this\?|again|go on)"/g

/** What people, tools and the model said, and the copy does not. */
function lostWords(before: Json, after: Json): string[] {
  const said = JSON.stringify(after)
  const words = JSON.stringify(before).match(WORDS) ?? []
  return words.filter((word) => !said.includes(word.slice(1, -1)))
}
