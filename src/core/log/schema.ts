// The stored events as schemas; the compiler keeps them equal to the types.
import { z } from 'zod'
import type { EntryId, OriginalId } from '../edit/change.ts'
import { isJson, type Json } from '../text/json.ts'
import type { ModelRef } from '../view/content.ts'
import { isEntryId } from '../view/entry.ts'
import type { EventData, EventType, Origin } from './event.ts'

const json = z.custom<Json>((value) => isJson(value), 'expected JSON')
const count = z.number().int().nonnegative()
const seq = z.number().int().positive()
const modelRef = z.custom<ModelRef>(
  (value) => typeof value === 'string' && value.includes('/'),
  'expected a model as provider/model',
)
const entryId = z.custom<EntryId>(
  (value) => typeof value === 'string' && isEntryId(value),
  'expected an entry id such as e12 or c40.0',
)
const originalId = z.custom<OriginalId>(
  (value) => typeof value === 'string' && value.startsWith('e') && isEntryId(value),
  'expected the id of an original entry such as e12',
)

const tokenUsage = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  totalTokens: z.number(),
  cacheReadTokens: z.number().exactOptional(),
  cacheWriteTokens: z.number().exactOptional(),
  model: modelRef.exactOptional(),
})

const media = z.object({
  mimeType: z.string(),
  data: z.string().exactOptional(),
  uri: z.string().exactOptional(),
  text: z.string().exactOptional(),
  title: z.string().exactOptional(),
  widthPx: z.number().exactOptional(),
  heightPx: z.number().exactOptional(),
})
const extra = z.object({ provider: z.string(), fields: json }).exactOptional()

const part = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    from: z.enum(['client', 'tool', 'model']).exactOptional(),
    isPasted: z.literal(true).exactOptional(),
    extra,
  }),
  z.object({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.string().exactOptional(),
    model: modelRef,
  }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string(), model: modelRef }),
  z.object({ type: z.enum(['image', 'document']), media, extra }),
  z.object({ type: z.literal('tool_call'), callId: z.string() }),
  z.object({ type: z.literal('native'), provider: z.string(), value: json }),
])
const userContent = z.union([z.string(), z.array(part)])

const answer = z.object({
  content: z.string(),
  parts: z.array(part).exactOptional(),
  model: modelRef.exactOptional(),
  calls: z.array(z.string()),
  stopReason: z.enum(['end', 'tool_use', 'length', 'refusal', 'aborted', 'error']).exactOptional(),
  tokenUsage: tokenUsage.exactOptional(),
  unfinishedUsage: tokenUsage.exactOptional(),
})

const block = z.object({
  type: z.enum(['text', 'image', 'resource', 'native']),
  text: z.string().exactOptional(),
  data: z.string().exactOptional(),
  uri: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  widthPx: z.number().exactOptional(),
  heightPx: z.number().exactOptional(),
  provider: z.string().exactOptional(),
  value: json.exactOptional(),
})
const toolResult = z.object({
  id: z.string().exactOptional(),
  content: z.array(block),
  shown: z.array(block).exactOptional(),
  status: z.enum(['completed', 'failed', 'aborted', 'denied']),
  metadata: json.exactOptional(),
  tokenUsage: tokenUsage.exactOptional(),
})

const run = z.union([entryId, z.tuple([originalId, originalId, seq])])
const hidden = z.array(z.literal('thinking'))
const newEntry = {
  label: z.enum([
    'summary',
    'files',
    'continuation',
    'brief',
    'trimmed',
    'masked',
    'repaired',
    'closed',
    'recalled',
    'pins',
    'carried',
  ]),
  of: entryId.exactOptional(),
  native: z.object({ provider: z.string(), value: json }).exactOptional(),
}
const put = z.union([
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('USER_MESSAGE'), data: userContent, ...newEntry }),
    z.object({ type: z.literal('AGENT_MESSAGE'), data: answer, ...newEntry }),
    z.object({ type: z.literal('TOOL_RESULT'), data: toolResult, ...newEntry }),
    z.object({ type: z.literal('SYSTEM_REMINDER'), data: z.string(), ...newEntry }),
  ]),
  z.strictObject({ gap: z.literal(true) }),
  z.strictObject({ keep: run, hide: hidden.exactOptional() }), // a `label` would make it a new entry
])
const edit = z.object({ covers: z.array(run).min(1), put: z.array(put) })
const change = {
  basedOn: count,
  edits: z.array(edit),
  inverse: z.array(edit),
  hide: z.array(run).exactOptional(),
  closes: z.array(z.string()).exactOptional(),
}
const reversal = z.object({ ...change, of: seq, reverts: seq })
const reading = z.object({
  tokens: z.number().exactOptional(),
  by: z.enum(['measured', 'estimated']).exactOptional(),
})

const pin = z.object({
  pinId: z.string(),
  entries: z.array(entryId).exactOptional(),
  text: z.string().exactOptional(),
  by: z.enum(['user', 'pattern', 'detected']).exactOptional(),
  saidAt: z.string().exactOptional(),
  wasSet: z.boolean().exactOptional(),
})
const queue = z.object({ messageId: z.string(), content: userContent.exactOptional() })

/** The data of each event type. Unknown fields are kept. */
export const DATA_SCHEMAS = {
  USER_MESSAGE: userContent,
  AGENT_MESSAGE: answer,
  TOOL_CALL: z.object({ id: z.string(), name: z.string(), arguments: json, answer: count }),
  TOOL_APPROVAL_REQUEST: z.object({ toolCallId: z.string() }),
  TOOL_APPROVAL_RESPONSE: z.object({ toolCallId: z.string(), decision: z.string() }),
  TOOL_RESULT: toolResult,
  LOCAL_SYSTEM_MESSAGE: z.string(),
  SYSTEM_PROMPT: z.string(),
  USER_SYSTEM_PROMPT: z.string(),
  SYSTEM_REMINDER: z.string(),
  CHECKPOINT: z.object({ id: z.string() }),
  PIN: pin,
  UNPIN: pin,
  MODEL_CHANGED: z.object({ model: modelRef, thinking: z.string().exactOptional() }),
  THREAD_SETTINGS: z.object({
    preset: z.string().exactOptional(),
    strategy: z.string().exactOptional(),
    workspace: z.string().exactOptional(),
  }),
  MESSAGE_QUEUED: queue,
  MESSAGE_WITHDRAWN: queue,
  THREAD_STARTED: z.object({
    from: z.object({ threadId: z.string(), seq: count }).exactOptional(),
    reason: z.enum(['fork', 'fresh-session', 'import', 'task']).exactOptional(),
    title: z.string().exactOptional(),
    owner: z.string().exactOptional(),
    usage: tokenUsage.exactOptional(),
  }),
  COMPACTION: z.object({
    ...change,
    runId: z.string(),
    strategyId: z.string(),
    trigger: z.enum(['command', 'tool', 'auto', 'overflow', 'background', 'import']),
    originalEventCount: count,
    compactedEventCount: count,
    before: reading.exactOptional(),
    after: reading.exactOptional(),
    usage: tokenUsage.exactOptional(),
    metadata: json.exactOptional(),
  }),
  COMPACTION_UNDONE: reversal,
  COMPACTION_REDONE: reversal,
  CONTENT_EXPANDED: reversal,
  COMPACTION_FAILED: z.object({
    runId: z.string(),
    strategyId: z.string(),
    reason: z.string(),
    usage: tokenUsage.exactOptional(),
  }),
  FOREIGN: json,
} satisfies { readonly [T in EventType]: z.ZodType<EventData[T]> }

export const ORIGINS: ReadonlySet<unknown> = new Set<Origin>([
  'typed',
  'client',
  'tool',
  'model',
  'continuation',
  'summary',
  'files',
])

// The reverse of `satisfies`: fails to compile if a type has a field its schema lacks or requires. JSON is
// compared as one type, since it is recursive.
type Shape<T> = Json extends T
  ? 'json'
  : T extends object
    ? { -readonly [K in keyof T]: Shape<T[K]> }
    : T
type Full<T> = Json extends T
  ? 'json'
  : T extends object
    ? { -readonly [K in keyof T]-?: Full<T[K]> }
    : T
type Covers<T extends EventType> =
  Shape<EventData[T]> extends Shape<z.output<(typeof DATA_SCHEMAS)[T]>>
    ? Full<z.output<(typeof DATA_SCHEMAS)[T]>> extends Full<EventData[T]>
      ? never
      : T
    : T
type None<T extends never> = T
/** Types whose schema differs; compiles only if there are none. */
type UncoveredType = None<{ [T in EventType]: Covers<T> }[EventType]>
/** The types covered by schemas: all of them. */
export type CoveredType = Exclude<EventType, UncoveredType>
