// Input items without what the Responses API would refuse: stale groups go as a whole, never in halves.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Note } from '../rounds.ts'

/** An input item: ours, or one that the API gave out and undoes unchanged or not at all. */
export type Item = Fields

/** The type of an output → the type of its call. */
const CALL_OF_OUTPUT: ReadonlyMap<string, string> = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
  ['local_shell_call_output', 'local_shell_call'],
  ['shell_call_output', 'shell_call'],
  ['apply_patch_call_output', 'apply_patch_call'],
  ['computer_call_output', 'computer_call'],
])
const CALLS: ReadonlySet<string> = new Set(CALL_OF_OUTPUT.values())
/** Run by the server, within one answer. */
const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'tool_search_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
])
/** They ask for something in this request, or name what only a storing server has. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'compaction_trigger',
  'item_reference',
  'mcp_approval_response',
])
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['reasoning', 'rs_'],
  ['message', 'msg_'],
  ['function_call', 'fc_'],
  ['custom_tool_call', 'ctc_'],
  ['web_search_call', 'ws_'],
])
const ID = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Each pass may take away what an item of another pass needs, so they repeat until nothing changes;
 * each round takes at least one item away.
 */
export function acceptable(items: readonly Item[], note: Note): Item[] {
  let current = fromLatestCompaction(items)
  for (;;) {
    const next = withReasoning(followed(paired(wellFormed(current, note), note), note), note)
    if (next.length === current.length) return next
    current = next
  }
}

/** The compaction stands for everything before it. */
function fromLatestCompaction(items: readonly Item[]): Item[] {
  const latest = items.findLastIndex((item) => readType(item) === 'compaction')
  return items.slice(Math.max(0, latest))
}

function wellFormed(items: readonly Item[], note: Note): Item[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const { id, encrypted_content: content } = item
    const type = readType(item)
    const isSealed = typeof content === 'string' && content !== ''
    const isFit =
      !NEVER_SENT.has(type) &&
      type !== '' &&
      (isSealed || (type !== 'reasoning' && type !== 'compaction')) &&
      (type !== 'message' || saysSomething(item)) &&
      (id === undefined || id === null || isFreshId(id, type, seen))
    if (!isFit) note(`an item (${type || 'of no type'}) that cannot be sent again was left out`)
    return isFit
  })
}

/** A message without content is refused, and so is one of nothing but empty texts. */
function saysSomething({ content }: Item): boolean {
  if (!Array.isArray(content)) return typeof content === 'string' && content !== ''
  return content.some((part: Json) => isFields(part) && part.text !== '')
}

function isFreshId(id: unknown, type: string, seen: Set<string>): boolean {
  if (typeof id !== 'string' || !ID.test(id) || !id.startsWith(PREFIXES.get(type) ?? ''))
    return false
  return seen.size < seen.add(id).size
}

/** Our own calls have their outputs already; of the API's, only whole pairs stay. */
function paired(items: readonly Item[], note: Note): Item[] {
  const waiting = new Map<string, Item[]>()
  const whole = new Set<Item>()
  for (const item of items) {
    const type = readType(item)
    const call = CALL_OF_OUTPUT.get(type)
    if (CALLS.has(type)) {
      const key = `${type} ${String(item.call_id)}`
      waiting.set(key, [...(waiting.get(key) ?? []), item])
    } else if (call !== undefined) {
      const answered = waiting.get(`${call} ${String(item.call_id)}`)?.pop()
      if (answered) whole.add(answered).add(item)
    } else whole.add(item)
  }
  return items.filter((item) => {
    const isKept = whole.has(item) && (!isPaired(item) || typeof item.call_id === 'string')
    if (!isKept) note(`a ${readType(item)} without its other half was left out`)
    return isKept
  })
}

function isPaired(item: Item): boolean {
  return CALLS.has(readType(item)) || CALL_OF_OUTPUT.has(readType(item))
}

/** Reasoning leads to an item of the model, over more reasoning at most. */
function followed(items: readonly Item[], note: Note): Item[] {
  let isFollowed = false
  return items
    .toReversed()
    .filter((item) => {
      if (readType(item) !== 'reasoning') {
        isFollowed = isOutput(item)
        return true
      }
      if (!isFollowed) note('reasoning without the item that followed it was left out')
      return isFollowed
    })
    .toReversed()
}

/** What the server ran is bound to the reasoning that asked for it, in the same answer. */
function withReasoning(items: readonly Item[], note: Note): Item[] {
  let isReasoned = false
  return items.filter((item) => {
    const type = readType(item)
    if (type === 'reasoning') isReasoned = true
    if (type === 'message' && item.role !== 'assistant') isReasoned = false
    if (!HOSTED.has(type) || isReasoned) return true
    note(`a ${type} without its reasoning was left out`)
    return false
  })
}

function isOutput(item: Item): boolean {
  const type = readType(item)
  return CALLS.has(type) || HOSTED.has(type) || (type === 'message' && item.role === 'assistant')
}

function readType({ type }: Item): string {
  return typeof type === 'string' ? type : ''
}
