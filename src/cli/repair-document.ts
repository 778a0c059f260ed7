// A repaired copy of a document in the Anthropic format, and the list of all that is different in it.
import type { Json } from '../core/json.ts'
import type { RepairChange } from '../core/repair/turn.ts'
import { repair } from '../core/repair.ts'
import { anthropic } from '../formats/anthropic.ts'
import { imageSize } from '../validate/anthropic/image-size.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../validate/walk.ts'
import { type RequestFacts, repairProfile } from '../wire/repair/profile.ts'
import { readLoosely } from '../wire/repair/read-anthropic.ts'
import type { Target } from './check-wires.ts'

export interface RepairedDocument {
  /** Absent where there was nothing to change: the original will do, byte for byte. */
  readonly text?: string
  readonly changes: readonly RepairChange[]
}

export function repairDocument(document: Json, { profile }: Target): RepairedDocument {
  const history = readLoosely(document)
  const envelope = isFields(history.envelope) ? history.envelope : {}
  const isWhole = typeof envelope.model === 'string'
  const rules = repairProfile(
    // A history may end with an answer, whatever comes next.
    isWhole ? profile : { ...profile, prefill: true },
    factsOf(envelope, isWhole),
  )
  const { messages, system, names, changes } = repair(history.messages, history.system, rules)
  const all = [
    ...history.changes,
    ...changes.map((change) => ({ ...change, where: placeIn(document, change.where) })),
  ]
  if (all.length === 0) return { changes: all }
  const { text } = anthropic.write({ messages, system }, renamed(history.envelope, names))
  return { text, changes: all }
}

function factsOf(envelope: Fields, isWhole: boolean): RequestFacts {
  const { tools, thinking, context_management: management } = envelope
  const { type, block_binding: binding } = fieldsOf(thinking)
  const edits = listOf(fieldsOf(management).edits)
  return {
    sizeOf: imageSize,
    ...(isWhole && { hasTools: listOf(tools).length > 0 }),
    toolNames: listOf(tools).map((tool) => textOf(fieldsOf(tool).name) ?? ''),
    ...(type === 'enabled' && { thinkingEnabled: true }),
    dropsStaleThinking: fieldsOf(binding).prefix_mismatch_behavior === 'drop_block',
    compactsByThreshold: edits.some((edit) => fieldsOf(edit).type === 'compact_20260112'),
  }
}

function renamed(envelope: Json, names: ReadonlyMap<string, string>): Json {
  if (names.size === 0 || !isFields(envelope) || !Array.isArray(envelope.tools)) return envelope
  const tools = envelope.tools.map((tool: Json) => {
    const name = isFields(tool) ? names.get(textOf(tool.name) ?? '') : undefined
    return isFields(tool) && name !== undefined ? { ...tool, name } : tool
  })
  return { ...envelope, tools }
}

/** `messages[3].parts[1]` as the document writes it: `messages[3].content[1]`, or the text as a whole. */
function placeIn(document: Json, where: string): string {
  const found = /^messages\[(\d+)\]\.parts\[\d+\]/.exec(where)
  if (found === null) return where
  const messages = Array.isArray(document) ? document : listOf(fieldsOf(document).messages)
  const { content } = fieldsOf(messages[Number(found[1])])
  if (!Array.isArray(content)) return `messages[${found[1]}].content`
  return where.replace('.parts[', '.content[')
}
