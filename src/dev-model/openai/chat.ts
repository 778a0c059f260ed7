// Reads requests of OpenAI Chat Completions and compatible servers.
import type { Fields } from '../../core/text/json.ts'
import {
  type ChatMessage,
  findCalls,
  readMessages,
} from '../../validate/openai-chat/tool-rounds.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  type AskedTurn,
  type ToolChoice,
  textOfContent,
} from '../asked.ts'
import { buildSegment, sumOfTokens } from '../count.ts'
import { sseFrame } from '../http.ts'
import { withoutOldest } from '../models.ts'
import type { Refusal, WireFormat } from '../wire-format.ts'
import { chatFrames, wholeCompletion } from './chat-answer.ts'
import { openaiError, refuseOpenai, tellOpenai } from './errors.ts'
import { accountAutomatically, NO_LINKS, parsedJson, strangeChat, unsupported } from './strict.ts'

/** A local server ignores unknown fields. */
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
      ...readList(body.tools).map((tool) => buildSegment('tools', tool)),
      ...readMessages(body).map(({ role, fields }) => buildSegment('messages', fields, `${role} `)),
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

/** A call's result is a separate message that does not tell whether it failed. */
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
