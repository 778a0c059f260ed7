// An answer in Ollama's shape: whole, or a line for each piece; and how it says no.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { pieces } from '../http.ts'
import { parsedJson } from '../openai/strict.ts'
import { textOfKind } from '../reply.ts'
import type { HttpAnswer, Refusal, Turn } from '../wire-format.ts'

export function ollamaMessage(turn: Turn): Fields {
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

export function* ollamaLines(turn: Turn): Iterable<string> {
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

/** Durations follow from the sizes: the same request takes the same time, on paper. */
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

/** Arguments are an object here; a call that was cut off has none, and is lost. */
function findCalls({ reply }: Turn): readonly Json[] {
  return reply.parts.flatMap((part) => {
    if (part.type !== 'call') return []
    const value = parsedJson(part.arguments)
    if (!isFields(value)) return []
    return [{ id: `call_${part.id}`, function: { name: part.name, arguments: value } }]
  })
}

export function refuseOllama(refusal: Refusal): HttpAnswer {
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
