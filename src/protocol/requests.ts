// Request schemas of the HTTP API; strict, so a misspelt field is an error
import { z } from 'zod'

const seq = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER)

const name = z.string().min(1).max(200)

const words = z.string().max(100_000)

export const threadParams = z.object({ threadId: name })

export const callParams = z.object({ threadId: name, callId: z.string().min(1).max(500) })

export const previewParams = z.object({ threadId: name, previewId: name })

export const pinParams = z.object({ threadId: name, pinId: name })

export const compactionParams = z.object({ threadId: name, compaction: seq })

export const threadsQuery = z.strictObject({
  after: z.string().max(2_000).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
  search: z.string().max(1_000).exactOptional(),
})

export const eventsQuery = z.strictObject({
  from: seq.exactOptional(),
  to: seq.exactOptional(),
  limit: z.coerce.number().int().min(1).max(10_000).exactOptional(),
})

export const contextEntriesQuery = z.strictObject({
  from: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
})

export const placesQuery = z.strictObject({
  from: seq.exactOptional(),
  limit: z.coerce.number().int().min(1).max(2_000).exactOptional(),
})

export const streamQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).exactOptional(),
})

export const machineSessionsQuery = z.strictObject({
  search: z.string().max(1_000).exactOptional(),
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
})

export const openSessionBody = z.strictObject({ id: name }).meta({ id: 'OpenSession' })

export const recallQuery = z.strictObject({
  query: z.string().min(1).max(10_000).exactOptional(),
  ref: z.string().min(1).max(500).exactOptional(),
  offset: z.coerce.number().int().nonnegative().exactOptional(),
})

export const formatQuery = z.strictObject({ format: name })

export const importQuery = z.strictObject({ format: name.exactOptional() })

export const filesQuery = z.strictObject({ typed: z.string().max(4_096).default('') })

export const newThreadBody = z
  .strictObject({
    title: z.string().max(1_000).exactOptional(),
    model: name.exactOptional(),
    preset: name.exactOptional(),
    workspace: z.string().min(1).max(4_096).exactOptional(),
  })
  .meta({ id: 'NewThread' })

const media = z.strictObject({
  mimeType: name,
  data: z.string().exactOptional().describe('base64'),
  uri: z.string().exactOptional(),
  text: z.string().exactOptional(),
  title: z.string().exactOptional(),
  widthPx: z.number().positive().exactOptional(),
  heightPx: z.number().positive().exactOptional(),
})

const MOST_PARTS = 1_000

/** Content a person can send: no thinking, tool calls or custom parts, which only models have. */
const said = z
  .union([
    z.string().min(1),
    z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({
            type: z.literal('text'),
            text: z.string(),
            isPasted: z.literal(true).exactOptional().describe('pasted: it does not bind'),
          }),
          z.strictObject({ type: z.enum(['image', 'document']), media }),
        ]),
      )
      .min(1)
      .max(MOST_PARTS),
  ])
  .meta({ id: 'UserContent' })

export const messageBody = z.strictObject({ content: said }).meta({ id: 'Message' })

export const decisionBody = z.strictObject({ decision: z.enum(['allow', 'deny']) })

export const compactBody = z
  .strictObject({
    strategy: name.exactOptional(),
    instructions: words.exactOptional(),
    nextPrompt: words.exactOptional(),
  })
  .meta({ id: 'CompactRequest' })

export const applyBody = z.strictObject({
  texts: z.record(z.string(), z.string()).exactOptional().describe('edited texts, by their keys'),
})

export const undoBody = z.strictObject({ compaction: seq.exactOptional() })

export const forkBody = z.strictObject({ seq: seq.exactOptional() })

export const pinBody = z.strictObject({ text: words.min(1) })

export const changeBody = z
  .strictObject({
    model: name.exactOptional(),
    thinking: name.exactOptional(),
    preset: name.exactOptional(),
    strategy: name.exactOptional(),
  })
  .meta({ id: 'ThreadChange' })
