// Documents damaged in any place: the repaired copy keeps every rule that is about messages.
import { describe, expect, it } from 'vitest'
import { everyKind } from '../../../test/anthropic-examples.ts'
import { damageOne, ODD_VALUES } from '../../../test/generate/damaged-json.ts'
import { Random } from '../../../test/generate/random.ts'
import { seeds } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { documentAs } from './check-format.ts'
import { checkDocument } from './check-report.ts'
import { findTarget, type Target } from './check-wires.ts'
import { repairDocument } from './repair-document.ts'

const SEEDS = seeds(1_500)
const target = findTarget('anthropic', 'anthropic')
/** Every provider that a document in this format can be written for. */
const OTHERS = Object.entries(PROFILES).flatMap(([name, { wire }]) =>
  wire === 'anthropic' ? [] : [findTarget(name, 'anthropic')],
)

/** What stands in files that somebody edited: other types, other roles, nothing, too much. */
const ODD: readonly Json[] = [
  ...ODD_VALUES,
  { type: 'text' },
  { type: 'text', text: ' ' },
  { type: 'tool_use', id: 'x', name: 'y', input: 'z' },
  { type: 'tool_use' },
  { type: 'tool_result', tool_use_id: 'nowhere', content: { odd: true }, is_error: 'yes' },
  { type: 'thinking', thinking: 7, signature: 's' },
  { type: 'redacted_thinking' },
  { type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } },
  { type: 'image' },
  { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  { type: 'compaction', content: 'c', signature: 's' },
  { type: 'mystery', deep: [{}] },
  { role: 'system', content: 'be kind' },
  { role: 'tool', tool_call_id: 'x', content: 'y' },
  { role: 'assistant', content: [{ type: 'text', text: 'ok ' }] },
]

describe('a damaged document', () => {
  it(`is repaired, whatever was done to its messages (${SEEDS.length} times)`, () => {
    for (const seed of SEEDS) {
      const { document, did } = damaged(seed)
      const story = `seed ${seed}: ${did.join('; ')}`
      const { text, changes } = repairDocument(document, 'anthropic', target)
      const repaired: Json = text === undefined ? document : JSON.parse(text)
      expect(validate(PROFILES.anthropic, repaired), story).toEqual([])
      expect(text === undefined, story).toBe(changes.length === 0)
      const again = repairDocument(repaired, 'anthropic', target)
      expect(again.changes, story).toEqual([])
    }
  })

  it('is repaired for each provider of another format, and stays sound in its own', () => {
    for (const seed of SEEDS) {
      const other = OTHERS[seed % OTHERS.length] as Target
      const { document, did } = damaged(seed)
      const { text } = repairDocument(document, 'anthropic', other)
      const repaired: Json = text === undefined ? document : JSON.parse(text)
      const checked = checkDocument(documentAs('anthropic', repaired), 'anthropic', other)
      const story = `seed ${seed}, for ${other.name}: ${did.join('; ')}`
      expect([checked.violations, checked.sent?.violations], story).toEqual([[], []])
    }
  })
})

describe('names of tools', () => {
  it('follow wherever the request names them', () => {
    const document = {
      model: 'm',
      max_tokens: 9,
      tools: [{ name: 'read file', input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name: 'read file', disable_parallel_tool_use: true },
      context_management: {
        edits: [
          { type: 'clear_tool_uses_20250919', exclude_tools: ['read file', 'other'] },
          { type: 'clear_thinking_20251015' },
        ],
      },
      messages: [{ role: 'user', content: 'go' }],
    }
    const { text = '' } = repairDocument(document, 'anthropic', target)
    expect(JSON.parse(text)).toEqual({
      ...document,
      tools: [{ ...document.tools[0], name: 'read_file' }],
      tool_choice: { ...document.tool_choice, name: 'read_file' },
      context_management: {
        edits: [
          { type: 'clear_tool_uses_20250919', exclude_tools: ['read_file', 'other'] },
          { type: 'clear_thinking_20251015' },
        ],
      },
    })
  })
})

function damaged(seed: number): { document: Json; did: readonly string[] } {
  const random = new Random(seed)
  const messages = structuredClone(everyKind.messages) as unknown as Json[]
  const did = Array.from({ length: random.int(1, 4) }, () => damageOne(messages, ODD, random))
  return { document: { ...everyKind, messages } as unknown as Json, did }
}
