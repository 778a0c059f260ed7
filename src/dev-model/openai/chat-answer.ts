// An answer in the shape of Chat Completions: whole or in chunks.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Profile } from '../../validate/rule.ts'
import { readFields } from '../../validate/walk.ts'
import { pieces, sseFrame } from '../http.ts'
import { type Ending, type ReplyPart, textOfKind } from '../reply.ts'
import { readId } from '../seal.ts'
import type { Turn } from '../wire-format.ts'

type CallPart = Extract<ReplyPart, { type: 'call' }>

const FINISH_REASONS: Readonly<Record<Ending, string>> = {
  end: 'stop',
  tool_use: 'tool_calls',
  length: 'length',
  refusal: 'stop',
  window: 'length',
  stop_sequence: 'stop',
  pause: 'stop',
}

export function wholeCompletion(turn: Turn, profile: Profile): Fields {
  const text = textOfKind(turn.reply, 'text')
  const reasoning = readReasoning(turn, profile)
  const isRefusal = turn.reply.ending === 'refusal'
  const calls = repliedCalls(turn)
  const message = {
    role: 'assistant',
    content: isRefusal || text === '' ? null : text,
    refusal: isRefusal ? text : null,
    annotations: [],
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => callBody(call, profile)) }),
  }
  return {
    ...readHead(turn, 'chat.completion'),
    choices: [
      { index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[turn.reply.ending] },
    ],
    usage: readUsage(turn),
  }
}

export function* chatFrames(turn: Turn, profile: Profile): Iterable<string> {
  const head = readHead(turn, 'chat.completion.chunk')
  const tellsUsage = readFields(turn.body.stream_options).include_usage === true
  const chunk = (delta: Fields, finish: string | null = null) =>
    sseFrame({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(tellsUsage && { usage: null }),
    })
  const text = textOfKind(turn.reply, 'text')
  const calls = repliedCalls(turn)
  const isRefusal = turn.reply.ending === 'refusal'
  const content = text === '' && calls.length > 0 ? null : ''
  yield chunk({ role: 'assistant', content, refusal: null })
  for (const piece of pieces(readReasoning(turn, profile)))
    yield chunk({ reasoning_content: piece })
  for (const piece of pieces(text)) {
    yield chunk(isRefusal ? { refusal: piece } : { content: piece })
  }
  for (const [index, call] of calls.entries()) {
    const body = callBody(call, profile)
    const begun = { ...readFields(body.function), arguments: '' }
    yield chunk({ tool_calls: [{ index, ...body, function: begun }] })
    for (const piece of pieces(call.arguments)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
  }
  yield chunk({}, FINISH_REASONS[turn.reply.ending])
  if (tellsUsage) yield sseFrame({ ...head, choices: [], usage: readUsage(turn) })
  yield sseFrame('[DONE]')
}

function readHead({ seed, at, asked }: Turn, object: string): Fields {
  return {
    id: readId('chatcmpl-', seed),
    object,
    created: Math.floor(at.getTime() / 1_000),
    model: asked.model,
    service_tier: 'default',
    system_fingerprint: 'fp_dev',
  }
}

function readUsage({ usage }: Turn): Json {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.readTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** OpenAI only counts reasoning here; DeepSeek and others show it. */
function readReasoning(turn: Turn, { backend }: Profile): string {
  return backend === 'deepseek' ? textOfKind(turn.reply, 'thinking') : ''
}

function repliedCalls({ reply }: Turn): readonly CallPart[] {
  return reply.parts.filter((part) => part.type === 'call')
}

const MISTRAL_ID_CHARS = 9

function callBody({ id, name, arguments: text }: CallPart, { backend }: Profile): Fields {
  const own = id.startsWith('call_') ? id : `call_${id}`
  return {
    id: backend === 'mistral' ? id.slice(-MISTRAL_ID_CHARS) : own,
    type: 'function',
    function: { name, arguments: text },
  }
}
