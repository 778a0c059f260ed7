// OpenAI Chat Completions, and the servers that speak it: what its requests say.
import type { Fields, Json } from '../../core/text/json.ts'
import {
  type ChatMessage,
  findCalls,
  readMessages,
} from '../../validate/openai-chat/tool-rounds.ts'
import { PROFILES } from '../../validate/validate.ts'
import { isGiven, type Profile, readFields, readList, readText } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  type AskedTurn,
  readId,
  type ToolChoice,
  textOfContent,
} from '../asked.ts'
import { pieces, sseFrame } from '../http.ts'
import { segmentOf, sumOfTokens, withoutOldest } from '../models.ts'
import { type Ending, type ReplyPart, textOfKind } from '../reply.ts'
import type { Refusal, Turn, WireFormat } from '../wire-format.ts'
import { openaiError, refuseOpenai, tellOpenai } from './errors.ts'
import { accountAutomatically, NO_LINKS, parsedJson, strangeChat, unsupported } from './strict.ts'

/** A local server skips what it does not know. */
export function openaiChatFormat(
  profile: Profile = PROFILES['openai-chat'],
  isLocal = false,
): WireFormat {
  return {
    id: 'openai-chat',
    streamType: 'text/event-stream; charset=utf-8',
    profileFor: () => profile,
    links: NO_LINKS,
    shape: (body) =>
      buildShape(body) ?? strangeChat(body, profile, isLocal) ?? unsupported('openai-chat', body),
    lost: () => undefined,
    check: () => [],
    read: (body) => readChat(body, profile),
    segments: (body) => [
      ...readList(body.tools).map((tool) => segmentOf('tools', tool)),
      ...readMessages(body).map(({ role, fields }) => segmentOf('messages', fields, `${role} `)),
    ],
    silentWindow: () => undefined,
    fitted: (body, windowTokens) => withoutOldest(body, 'messages', windowTokens),
    account: (body, segments, { automatic }, nowMs) =>
      accountAutomatically(body, segments, sumOfTokens(segments), automatic, nowMs),
    whole: (turn) => wholeCompletion(turn, profile),
    frames: (turn) => chatFrames(turn, profile),
    refuse: (refusal) => refuseOpenai('openai-chat', refusal),
    errorFrame: (refusal) => sseFrame(openaiError(tellOpenai('openai-chat', refusal))),
  }
}

function buildShape(body: Fields): Refusal | undefined {
  if (readText(body.model) === undefined) {
    return { kind: 'invalid', message: 'you must provide a model parameter' }
  }
  if (!Array.isArray(body.messages)) {
    return {
      kind: 'invalid',
      message: "Missing required parameter: 'messages'.",
      param: 'messages',
      code: 'missing_required_parameter',
    }
  }
  if (isGiven(body.n) && body.n !== 1) {
    return { kind: 'invalid', message: 'The stand-in gives one choice only.', param: 'n' }
  }
  return undefined
}

function readChat(body: Fields, profile: Profile): Asked {
  const messages = readMessages(body)
  const limit = body.max_completion_tokens ?? body.max_tokens
  const { reasoning_effort: effort, stop } = body
  const thinks = profile.backend === 'deepseek' && profile.thinkingEnabled !== false
  return {
    wire: 'openai-chat',
    model: readText(body.model) ?? '',
    system: messages
      .filter(isSystem)
      .map(({ fields }) => textOfContent(fields.content))
      .join('\n'),
    turns: messages.filter((message) => !isSystem(message)).map(findTurn),
    tools: readList(body.tools).flatMap((tool) => {
      const { name, parameters } = readFields(readFields(tool).function)
      return typeof name === 'string' ? [{ name, schema: parameters ?? {} }] : []
    }),
    toolChoice: readChoice(body),
    parallelCalls: body.parallel_tool_calls !== false,
    thinking: thinks || (isGiven(effort) && effort !== 'none'),
    stream: body.stream === true,
    stopSequences: (typeof stop === 'string' ? [stop] : readList(stop)).flatMap(
      (each) => readText(each) ?? [],
    ),
    ...(typeof limit === 'number' && { maxOutputTokens: limit }),
  }
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

function readChoice({ tool_choice: choice }: Fields): ToolChoice {
  if (choice === 'none') return 'none'
  if (choice === 'required') return 'any'
  const name = readText(readFields(readFields(choice).function).name)
  return name === undefined ? 'auto' : { name }
}

/** The result of a call comes as a message of its own, without a word on whether it failed. */
function findTurn(message: ChatMessage): AskedTurn {
  const { role, fields } = message
  const text = textOfContent(fields.content)
  if (role === 'tool') {
    const id = readText(fields.tool_call_id) ?? ''
    return { role: 'user', parts: [{ type: 'result', id, text, failed: false }] }
  }
  const said: readonly AskedPart[] = text === '' ? [] : [{ type: 'text', text }]
  if (role !== 'assistant') return { role: 'user', parts: said }
  const calls = findCalls(message).map(
    ({ id = '', body }): AskedPart => ({
      type: 'call',
      id,
      name: readText(body.name) ?? '',
      arguments: parsedJson(readText(body.arguments) ?? ''),
    }),
  )
  return { role: 'assistant', parts: [...said, ...calls] }
}

// An answer in the shape of Chat Completions: whole, or in chunks.

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

function wholeCompletion(turn: Turn, profile: Profile): Fields {
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

function* chatFrames(turn: Turn, profile: Profile): Iterable<string> {
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

/** OpenAI itself shows no reasoning here and only counts it; DeepSeek and its like do. */
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
