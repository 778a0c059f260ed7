// A Responses answer as numbered stream events.
import type { Fields, Json } from '../../core/text/json.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import type { Asked } from '../asked.ts'
import { pieces, sseFrame } from '../http.ts'
import { type ReplyPart, textOfKind } from '../reply.ts'
import { readId, sealed } from '../seal.ts'
import type { Refusal, Turn } from '../wire-format.ts'
import { tellOpenai } from './errors.ts'

/** An event without its number. */
interface Event extends Fields {
  readonly type: string
}

export function* responsesFrames(turn: Turn): Iterable<string> {
  let number = 0
  for (const { type, ...rest } of readEvents(turn)) {
    yield sseFrame({ type, sequence_number: number, ...rest }, type)
    number += 1
  }
}

/** The number is unknown here; clients only read the message. */
export function responsesErrorFrame(refusal: Refusal): string {
  const { message, code, param } = tellOpenai('openai-responses', refusal)
  const data = {
    type: 'error',
    code: code ?? null,
    message,
    param: param ?? null,
    sequence_number: 0,
  }
  return sseFrame(data, 'error')
}

function* readEvents(turn: Turn): Iterable<Event> {
  const begun = responseObject(turn, 'in_progress', [])
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const items = outputItems(turn)
  for (const [index, item] of items.entries()) yield* itemEvents(item, index)
  const status = readStatus(turn)
  yield { type: `response.${status}`, response: responseObject(turn, status, items) }
}

function* itemEvents(item: Fields, index: number): Iterable<Event> {
  const at = { output_index: index }
  const place = { item_id: item.id ?? '', ...at }
  yield { type: 'response.output_item.added', ...at, item: begunItem(item) }
  switch (item.type) {
    case 'message':
      yield* messageEvents(readFields(readList(item.content)[0]), place)
      break
    case 'function_call': {
      const text = readText(item.arguments) ?? ''
      for (const delta of pieces(text)) {
        yield { type: 'response.function_call_arguments.delta', ...place, delta }
      }
      yield { type: 'response.function_call_arguments.done', ...place, arguments: text }
      break
    }
    case 'reasoning':
      for (const [at, part] of readList(item.summary).entries()) {
        yield* summaryEvents(readFields(part), { ...place, summary_index: at })
      }
      break
  }
  yield { type: 'response.output_item.done', ...at, item }
}

function begunItem(item: Fields): Fields {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'reasoning':
      return { ...item, summary: [] }
    default:
      return item
  }
}

function* messageEvents(part: Fields, item: Fields): Iterable<Event> {
  const place = { ...item, content_index: 0 }
  const isRefusal = part.type === 'refusal'
  const text = readText(isRefusal ? part.refusal : part.text) ?? ''
  const empty = isRefusal ? { ...part, refusal: '' } : { ...part, text: '' }
  const name = isRefusal ? 'response.refusal' : 'response.output_text'
  const logprobs = isRefusal ? {} : { logprobs: [] }
  yield { type: 'response.content_part.added', ...place, part: empty }
  for (const delta of pieces(text)) yield { type: `${name}.delta`, ...place, delta, ...logprobs }
  yield {
    type: `${name}.done`,
    ...place,
    ...(isRefusal ? { refusal: text } : { text }),
    ...logprobs,
  }
  yield { type: 'response.content_part.done', ...place, part }
}

function* summaryEvents(part: Fields, place: Fields): Iterable<Event> {
  const text = readText(part.text) ?? ''
  yield { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } }
  for (const delta of pieces(text)) {
    yield { type: 'response.reasoning_summary_text.delta', ...place, delta }
  }
  yield { type: 'response.reasoning_summary_text.done', ...place, text }
  yield { type: 'response.reasoning_summary_part.done', ...place, part }
}

/** An answer in the shape of Responses: its output items, and the object around them. */
type ResponseStatus = 'in_progress' | 'completed' | 'incomplete'

export function wholeResponse(turn: Turn): Fields {
  if (isCompactPath(turn.path)) return compactedResponse(turn)
  return responseObject(turn, readStatus(turn), outputItems(turn))
}

/** The answer of the compact call: the window to continue with. */
function compactedResponse(turn: Turn): Fields {
  return {
    id: readId('resp_', turn.seed),
    object: 'response.compaction',
    created_at: Math.floor(turn.at.getTime() / 1_000),
    output: [...keptMessages(turn.body), ...outputItems(turn)],
    usage: readUsage(turn),
  }
}

/** The response object while it is created, and at its end. */
function responseObject(turn: Turn, status: ResponseStatus, output: readonly Fields[]): Fields {
  const { seed, at, body, asked } = turn
  const isOver = status !== 'in_progress'
  const created = Math.floor(at.getTime() / 1_000)
  return {
    id: readId('resp_', seed),
    object: 'response',
    created_at: created,
    status,
    completed_at: status === 'completed' ? created : null,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: asked.model,
    output,
    parallel_tool_calls: asked.parallelCalls,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...readFields(body.reasoning) },
    service_tier: 'default',
    store: body.store !== false,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: readList(body.tools),
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: isOver ? readUsage(turn) : null,
    user: null,
    metadata: body.metadata ?? {},
  }
}

function readStatus({ reply }: Turn): ResponseStatus {
  return reply.ending === 'length' || reply.ending === 'window' ? 'incomplete' : 'completed'
}

/** Adjacent texts form one message. */
function outputItems(turn: Turn): readonly Fields[] {
  const { asked, reply } = turn
  if (asked.compaction !== undefined) {
    if (reply.ending !== 'end') return []
    const content = encrypted('compaction', textOfKind(reply, 'text'), asked.model)
    return [{ id: readId('cmp_', turn.seed), type: 'compaction', encrypted_content: content }]
  }
  return reply.parts.map((part, index) => readItem(part, turn, index))
}

function readItem(part: ReplyPart, turn: Turn, index: number): Fields {
  const id = (prefix: string) => readId(prefix, turn.seed, String(index))
  const isLast = index === turn.reply.parts.length - 1
  const status = isLast ? readStatus(turn) : 'completed'
  switch (part.type) {
    case 'text': {
      const content =
        turn.reply.ending === 'refusal'
          ? { type: 'refusal', refusal: part.text }
          : { type: 'output_text', text: part.text, annotations: [], logprobs: [] }
      return { id: id('msg_'), type: 'message', status, role: 'assistant', content: [content] }
    }
    case 'call':
      return {
        id: id('fc_'),
        type: 'function_call',
        status,
        call_id: part.id.startsWith('call_') ? part.id : `call_${part.id}`,
        name: part.name,
        arguments: part.arguments,
        ...findNamespace(part.name, turn.asked),
      }
    default: {
      const text = part.type === 'thinking' ? part.thinking : part.data
      return reasoningItem(id('rs_'), text, turn.body)
    }
  }
}

function findNamespace(tool: string, { tools }: Asked): Fields {
  const namespace = tools.find(({ name }) => name === tool)?.namespace
  return namespace === undefined ? {} : { namespace }
}

/** Reasoning is shown only if a summary was requested, and encrypted if that was. */
function reasoningItem(id: string, text: string, body: Fields): Fields {
  const { summary } = readFields(body.reasoning)
  const isSealed = readList(body.include).includes('reasoning.encrypted_content')
  const shown: readonly Json[] =
    readText(summary) === undefined ? [] : [{ type: 'summary_text', text }]
  return {
    id,
    type: 'reasoning',
    summary: shown,
    ...(isSealed && {
      encrypted_content: encrypted('reasoning', text, readText(body.model) ?? ''),
    }),
  }
}

function encrypted(kind: string, text: string, model: string): string {
  return sealed(kind, '', { prefix: '', model }, Buffer.from(text).toString('base64url'))
}

function readUsage({ usage }: Turn): Json {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.readTokens, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}

/** A Responses request as read: its input as a list, and the compact call as an item. */
function isCompactPath(path: string): boolean {
  return path === '/v1/responses/compact'
}

/** A text input is one user message. */
export function responsesBody(body: Fields, path: string): Fields {
  const { input } = body
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const withItems = given === undefined ? body : { ...body, input: given }
  if (!isCompactPath(path)) return withItems
  const asked = [...readList(given), { type: 'compaction_trigger' }]
  return { ...body, input: asked, stream: false, store: false }
}

/** User messages stay in front of the compaction. */
function keptMessages({ input }: Fields): readonly Json[] {
  return readList(input).filter((item) => readFields(item).role === 'user')
}
