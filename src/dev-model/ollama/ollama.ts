// Ollama's own API: reads requests, and answers line by line.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import type { Asked, AskedPart, AskedTurn } from '../asked.ts'
import { buildSegment, sumOfTokens } from '../count.ts'
import { pieces } from '../http.ts'
import { withoutOldest } from '../models.ts'
import { NO_LINKS, parsedJson } from '../openai/strict.ts'
import { textOfKind } from '../reply.ts'
import { isBase64 } from '../schema.ts'
import type { HttpAnswer, Refusal, Turn, WireFormat } from '../wire-format.ts'

/** Ollama's default window, whatever the model supports. */
const CONTEXT_TOKENS = 4_096

export function ollamaFormat(contextTokens = CONTEXT_TOKENS): WireFormat {
  return {
    id: 'ollama',
    streamType: 'application/x-ndjson',
    links: NO_LINKS,
    shape: shapeOfOllama,
    lost: () => undefined,
    check: () => [],
    read: readOllama,
    segments: (body) => [
      ...readList(body.tools).map((tool) => buildSegment('tools', tool)),
      ...readList(body.messages).map((message) => buildSegment('messages', message)),
    ],
    silentWindow: ({ options }, windowTokens) => {
      const { num_ctx } = readFields(options)
      return Math.min(typeof num_ctx === 'number' ? num_ctx : contextTokens, windowTokens)
    },
    fitted: (body, windowTokens) => withoutOldest(body, 'messages', windowTokens),
    account: (_, segments) => ({
      readTokens: 0,
      writtenTokens: 0,
      writtenForHourTokens: 0,
      uncachedTokens: sumOfTokens(segments),
    }),
    whole: ollamaMessage,
    frames: ollamaLines,
    refuse: refuseOllama,
    errorFrame: (refusal) => `${JSON.stringify(refuseOllama(refusal).body)}\n`,
  }
}

function readOllama(body: Fields): Asked {
  const messages = readList(body.messages).map(readFields)
  const { num_predict: limit, stop } = readFields(body.options)
  const { think } = body
  return {
    wire: 'ollama',
    model: readText(body.model) ?? '',
    system: messages
      .flatMap(({ role, content }) => (role === 'system' ? [readText(content) ?? ''] : []))
      .join('\n'),
    turns: findTurns(messages),
    tools: readList(body.tools).flatMap((tool) => {
      const { name, parameters } = readFields(readFields(tool).function)
      return typeof name === 'string' ? [{ name, schema: parameters ?? {} }] : []
    }),
    toolChoice: 'auto',
    parallelCalls: true,
    thinking: isGiven(think) && think !== false,
    stream: body.stream !== false,
    stopSequences: (typeof stop === 'string' ? [stop] : readList(stop)).flatMap(
      (each) => readText(each) ?? [],
    ),
    ...(typeof limit === 'number' && limit > 0 && { maxOutputTokens: limit }),
  }
}

/** Calls may have no ids: then results belong to them by position. */
function findTurns(messages: readonly Fields[]): readonly AskedTurn[] {
  const waiting: string[] = []
  return messages.flatMap((message, index): readonly AskedTurn[] => {
    const { role, content, tool_calls, tool_call_id } = message
    const text = readText(content) ?? ''
    if (role === 'system') return []
    if (role === 'tool') {
      const id = readText(tool_call_id) ?? waiting.shift() ?? ''
      return [{ role: 'user', parts: [{ type: 'result', id, text, failed: false }] }]
    }
    const said: readonly AskedPart[] = text === '' ? [] : [{ type: 'text', text }]
    if (role === 'user') return [{ role, parts: said }]
    const calls = readList(tool_calls).map((call, at) =>
      readCall(readFields(call), `${index}-${at}`),
    )
    waiting.splice(0, waiting.length, ...calls.map(({ id }) => id))
    return [{ role: 'assistant', parts: [...said, ...calls] }]
  })
}

function readCall(call: Fields, place: string): Extract<AskedPart, { type: 'call' }> {
  const { name, arguments: value }: { readonly [key: string]: Json } = readFields(call.function)
  return {
    type: 'call',
    id: readText(call.id) ?? place,
    name: readText(name) ?? '',
    arguments: value ?? {},
  }
}

const ROLES = ['system', 'user', 'assistant', 'tool']
const EFFORTS = ['low', 'medium', 'high', 'max']

/**
 * Values of a wrong type, in the words of Ollama's server. It ignores unknown fields, so those are accepted.
 */
function shapeOfOllama(body: Fields): Refusal | undefined {
  const message = [...mistyped(body), ...missing(body), ...readList(body.messages).flatMap(odd)][0]
  return message === undefined ? undefined : { kind: 'invalid', message }
}

function mistyped({ model, messages, tools, options, think }: Fields): readonly string[] {
  return [
    ...unless(!isGiven(model) || typeof model === 'string', model, 'model', 'string'),
    ...unless(!isGiven(messages) || Array.isArray(messages), messages, 'messages', '[]api.Message'),
    ...unless(!isGiven(tools) || Array.isArray(tools), tools, 'tools', 'api.Tools'),
    ...unless(
      !isGiven(options) || isFields(options),
      options,
      'options',
      'map[string]interface {}',
    ),
    ...(isThink(think)
      ? []
      : [
          `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", "max", true, or false)`,
        ]),
  ]
}

function isThink(think: Json | undefined): boolean {
  return !isGiven(think) || typeof think === 'boolean' || EFFORTS.includes(readText(think) ?? '')
}

function missing({ model }: Fields): readonly string[] {
  return model === undefined || model === '' ? ['model is required'] : []
}

function odd(message: Json): readonly string[] {
  const { role, content, images, tool_calls: calls } = readFields(message)
  const known = ROLES.join(', ')
  return [
    ...(ROLES.includes(readText(role) ?? '')
      ? []
      : [`invalid role: ${String(role)}, must be one of ${known}`]),
    ...unless(
      !isGiven(content) || typeof content === 'string',
      content,
      'messages.content',
      'string',
    ),
    ...readList(images).flatMap(oddBytes),
    ...readList(calls).flatMap((call) => {
      const { arguments: given } = readFields(readFields(call).function)
      const field = 'messages.tool_calls.function.arguments'
      const isFine = !isGiven(given) || isFields(given)
      return unless(isFine, given, field, 'api.ToolCallFunctionArguments')
    }),
  ]
}

/** The position of the first invalid base64 character, or of a truncated end. */
function oddBytes(image: Json): readonly string[] {
  if (typeof image !== 'string') return unless(false, image, 'messages.images', 'api.ImageData')
  if (isBase64(image)) return []
  const at = image.search(/[^A-Za-z0-9+/=]/)
  return [`illegal base64 data at input byte ${at === -1 ? image.length : at}`]
}

function unless(
  isFine: boolean,
  value: Json | undefined,
  field: string,
  type: string,
): readonly string[] {
  if (isFine) return []
  return [
    `json: cannot unmarshal ${readName(value)} into Go struct field ChatRequest.${field} of type ${type}`,
  ]
}

function readName(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function ollamaMessage(turn: Turn): Fields {
  const [thinking, content] = [textOfKind(turn.reply, 'thinking'), textOfKind(turn.reply, 'text')]
  const calls = findCalls(turn)
  const message = {
    role: 'assistant',
    content,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return { ...readHead(turn), message, ...findEnd(turn) }
}

function* ollamaLines(turn: Turn): Iterable<string> {
  const line = (message: Fields, rest: Fields = { done: false }) =>
    `${JSON.stringify({ ...readHead(turn), message: { role: 'assistant', ...message }, ...rest })}\n`
  for (const piece of pieces(textOfKind(turn.reply, 'thinking'))) {
    yield line({ content: '', thinking: piece })
  }
  for (const piece of pieces(textOfKind(turn.reply, 'text'))) yield line({ content: piece })
  const calls = findCalls(turn)
  if (calls.length > 0) yield line({ content: '', tool_calls: calls })
  yield line({ content: '' }, findEnd(turn))
}

function readHead({ asked, at }: Turn): Fields {
  return { model: asked.model, created_at: at.toISOString() }
}

const NANOSECONDS_PER_TOKEN = 1_000_000

/** Durations derive from sizes: the same request reports the same time. */
function findEnd({ reply, usage }: Turn): Fields {
  const [read, wrote] = [usage.inputTokens, usage.outputTokens].map(
    (tokens) => tokens * NANOSECONDS_PER_TOKEN,
  ) as [number, number]
  return {
    done: true,
    done_reason: reply.ending === 'length' || reply.ending === 'window' ? 'length' : 'stop',
    total_duration: read + wrote,
    load_duration: 0,
    prompt_eval_count: usage.inputTokens,
    prompt_eval_duration: read,
    eval_count: usage.outputTokens,
    eval_duration: wrote,
  }
}

/** Arguments are an object here; a truncated call has none and is lost. */
function findCalls({ reply }: Turn): readonly Json[] {
  return reply.parts.flatMap((part) => {
    if (part.type !== 'call') return []
    const value = parsedJson(part.arguments)
    if (!isFields(value)) return []
    return [{ id: `call_${part.id}`, function: { name: part.name, arguments: value } }]
  })
}

function refuseOllama(refusal: Refusal): HttpAnswer {
  const [status, error] = tell(refusal)
  const headers = refusal.kind === 'rate-limit' && { 'retry-after': String(refusal.retryAfterS) }
  return { status, body: { error }, ...(headers && { headers }) }
}

function tell(refusal: Refusal): readonly [number, string] {
  switch (refusal.kind) {
    case 'invalid':
      return [400, refusal.message]
    case 'rules':
      return [400, `${refusal.violations[0].message} (${refusal.violations[0].id})`]
    case 'overflow':
      return [400, 'the input length exceeds the context length']
    case 'unauthorised':
      return [401, 'unauthorized']
    case 'not-found':
      return [404, refusal.message.replace(/^model: (.*)$/, "model '$1' not found")]
    case 'too-large':
      return [413, 'http: request body too large']
    case 'rate-limit':
      return [429, 'too many requests']
    case 'overloaded':
      return [503, 'server busy, please try again.  maximum pending requests exceeded']
    case 'server-error':
      return [500, 'an error was encountered while running the model']
  }
}
