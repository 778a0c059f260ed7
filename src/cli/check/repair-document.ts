// A repaired copy of a document, and the list of changes.

import type { RepairProfile } from '../../core/repair/profile.ts'
import { repair } from '../../core/repair/repair.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { anthropic } from '../../formats/anthropic.ts'
import { PROFILES } from '../../validate/validate.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import { type RequestFacts, repairProfile } from '../../wire/repair/profile.ts'
import { readLoosely } from '../../wire/repair/read-anthropic.ts'
import type { WireFormat } from './check-format.ts'
import type { Target } from './check-wires.ts'
import { type RepairedDocument, repairWireDocument } from './repair-wire-document.ts'

export function repairDocument(
  document: Json,
  format: WireFormat,
  target: Target,
): RepairedDocument {
  if (format !== 'anthropic') return repairWireDocument(document, format, target)
  return repairAnthropic(document, target)
}

function repairAnthropic(document: Json, target: Target): RepairedDocument {
  const history = readLoosely(document)
  const envelope = isFields(history.envelope) ? history.envelope : {}
  const isWhole = typeof envelope.model === 'string'
  const rules = rulesFor(target, readFacts(envelope, isWhole), isWhole)
  const { messages, system, names, changes } = repair(history.messages, history.system, rules)
  const all = [
    ...history.changes,
    ...changes.map((change) => ({ ...change, where: placeIn(document, change.where) })),
  ]
  if (all.length === 0) return { changes: all }
  const { text } = anthropic.write({ messages, system }, renamed(history.envelope, names))
  return { text, changes: all }
}

/** The copy keeps its format, so for a provider of another format it must satisfy both. */
function rulesFor(
  { profile, write }: Target,
  facts: RequestFacts,
  isWhole: boolean,
): RepairProfile {
  // A history may end with an answer.
  const rules = repairProfile(isWhole ? profile : { ...profile, prefill: true }, facts)
  if (write === undefined) return rules
  const own = repairProfile({ ...PROFILES.anthropic, prefill: true }, facts)
  return {
    ...own,
    ...rules,
    repeatedRoles: false,
    anyOpening: false,
    ids: { maxChars: Number.POSITIVE_INFINITY, ...rules.ids, mayRepeat: false },
    images: { ...rules.images, ...own.images },
  }
}

function readFacts(envelope: Fields, isWhole: boolean): RequestFacts {
  const { tools, thinking, context_management: management } = envelope
  const { type, block_binding: binding } = readFields(thinking)
  const edits = readList(readFields(management).edits)
  return {
    ...(isWhole && { hasTools: readList(tools).length > 0 }),
    toolNames: readList(tools).map((tool) => readText(readFields(tool).name) ?? ''),
    ...(type === 'enabled' && { thinkingEnabled: true }),
    dropsStaleThinking: readFields(binding).prefix_mismatch_behavior === 'drop_block',
    compactsByThreshold: edits.some((edit) => readFields(edit).type === 'compact_20260112'),
  }
}

/** Tool names outside of calls follow the renaming. */
function renamed(envelope: Json, names: ReadonlyMap<string, string>): Json {
  if (names.size === 0 || !isFields(envelope)) return envelope
  const named = (value: Json | undefined) => names.get(readText(value) ?? '') ?? value ?? null
  const withName = (value: Json): Json =>
    isFields(value) && value.name !== undefined ? { ...value, name: named(value.name) } : value
  const { tools, tool_choice: choice, context_management: management } = envelope
  return {
    ...envelope,
    ...(Array.isArray(tools) && { tools: tools.map(withName) }),
    ...(isFields(choice) && { tool_choice: withName(choice) }),
    ...(isFields(management) && {
      context_management: {
        ...management,
        edits: readList(management.edits).map((edit) =>
          isFields(edit) && Array.isArray(edit.exclude_tools)
            ? { ...edit, exclude_tools: edit.exclude_tools.map(named) }
            : edit,
        ),
      },
    }),
  }
}

/** Translates `messages[3].parts[1]` to the document's `messages[3].content[1]`, or to the whole text. */
function placeIn(document: Json, where: string): string {
  const found = /^messages\[(\d+)\]\.parts\[\d+\]/.exec(where)
  if (found === null) return where
  const messages = Array.isArray(document) ? document : readList(readFields(document).messages)
  const { content } = readFields(messages[Number(found[1])])
  if (!Array.isArray(content)) return `messages[${found[1]}].content`
  return where.replace('.parts[', '.content[')
}
