// Anthropic Messages: reads requests and records them
import { type Fields, isFields } from '../../core/text/json.ts'
import {
  type Block,
  blocksOf,
  type Message,
  messagesOf,
} from '../../validate/anthropic/conversation.ts'
import { fieldsOf, isGiven, listOf, type Profile, textOf } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  digest,
  promptText,
  type ToolChoice,
  textOfContent,
} from '../asked.ts'
import { keepMsOf, type Segment, segmentOf, withoutOldest } from '../count.ts'
import type { Links, WireFormat } from '../wire-format.ts'
import { checkCompactions, messageFrames, wholeMessage } from './answer.ts'
import { anthropicErrorFrame, refuseAnthropic } from './errors.ts'
import { claudeOf, shapeOfAnthropic } from './shape.ts'
import { checkThinking, withoutDropped } from './thinking.ts'

/**
 * Each model has its own rules, unless one profile is given for all. How many images it takes goes by its
 * own window, or by that of the stand-in where this is larger (VALID-A18).
 */
export function anthropicFormat(profile?: Profile, windowTokens = 0): WireFormat {
  const claude = ({ model }: Fields) => claudeOf(textOf(model) ?? '')
  const profileFor = (body: Fields) => profile ?? withWindow(claude(body).profile, windowTokens)
  const checked = (body: Fields) => checkThinking(body, profileFor(body))
  const dropped = (body: Fields) => checked(body).dropped
  return {
    id: 'anthropic',
    streamType: 'text/event-stream; charset=utf-8',
    profileFor,
    links,
    shape: (body, isCounting) => shapeOfAnthropic(body, isCounting, claude(body)),
    lost: () => undefined,
    check: (body) => [...checked(body).violations, ...checkCompactions(body)],
    read: readAnthropic,
    segments: (body) => segmentsOf(withoutDropped(body, dropped(body))),
    silentWindow: () => undefined,
    fitted: (body, windowTokens) => withoutOldest(body, 'messages', windowTokens),
    account: (body, segments, { marked }, nowMs) =>
      marked.account(
        textOf(body.model) ?? '',
        settingsOf(body),
        segments,
        nowMs,
        claude(body).minCacheTokens,
      ),
    whole: (turn) => wholeMessage(turn, dropped(turn.body)),
    frames: (turn) => messageFrames(turn, dropped(turn.body)),
    refuse: refuseAnthropic,
    errorFrame: anthropicErrorFrame,
  }
}

function withWindow(profile: Profile, windowTokens: number): Profile {
  return { ...profile, windowTokens: Math.max(profile.windowTokens ?? 0, windowTokens) }
}

/** Tools, system, messages: the order in which the provider reads, and caches, a request. */
function segmentsOf(body: Fields): readonly Segment[] {
  const { tools, system, cache_control } = body
  const prompt = typeof system === 'string' ? [{ type: 'text', text: system }] : listOf(system)
  const segments = [
    ...listOf(tools).map((tool) => segmentOf('tools', tool)),
    ...prompt.map((block) => segmentOf('system', block)),
    ...messagesOf(body).flatMap(({ role, blocks }) =>
      blocks.map(({ fields }) => segmentOf('messages', fields, `${role} `)),
    ),
  ]
  // A mark for the whole request falls on its last block.
  const last = segments.at(-1)
  if (!isFields(cache_control) || last === undefined || last.keepMs !== undefined) return segments
  return [...segments.slice(0, -1), { ...last, keepMs: keepMsOf(cache_control) }]
}

/** Settings that make the cached messages useless, but leave tools and system as they are. */
function settingsOf({ tool_choice, thinking, speed }: Fields): string {
  const { type, budget_tokens } = fieldsOf(thinking)
  return JSON.stringify([tool_choice ?? null, type ?? null, budget_tokens ?? null, speed ?? null])
}

const links: Links = {
  ofRequest: (body) =>
    messagesOf(body)
      .filter(({ role }) => role === 'assistant')
      .flatMap(keysIn(body)),
  ofAnswer: (body, answer) => keysIn(body)({ blocks: blocksOf(fieldsOf(answer), '') }),
  onward: ({ request }) => compactionKeys(fieldsOf(request)),
}

/** Calls, thinking and compactions name an answer; a text does so in the same conversation only. */
function keysIn(body: Fields): (message: Pick<Message, 'blocks'>) => readonly string[] {
  const opening = promptText(listOf(body.messages)[0] ?? null)
  return ({ blocks }) => {
    const named = blocks.flatMap(({ type, fields }) => {
      const name = type === 'tool_use' ? fields.id : (fields.signature ?? fields.data)
      return isGiven(name) ? [`${type} ${String(name)}`] : []
    })
    const text = blocks.map(({ fields }) => textOf(fields.text) ?? '').join('')
    return text === '' ? named : [...named, `text ${digest(opening, text)}`]
  }
}

function compactionKeys(body: Fields): readonly string[] {
  return messagesOf(body)
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ type, fields }) =>
      type === 'compaction' && isGiven(fields.signature)
        ? [`compaction ${String(fields.signature)}`]
        : [],
    )
}

/** An Anthropic request as the assistant sees it. */
function readAnthropic(body: Fields): Asked {
  const messages = messagesOf(body)
  const { max_tokens, thinking, tool_choice, compaction } = body
  const instructions = textOf(fieldsOf(compaction).instructions)
  const thinkingType = fieldsOf(thinking).type
  return {
    wire: 'anthropic',
    model: textOf(body.model) ?? '',
    system: [
      textOfContent(body.system),
      ...messages.flatMap(({ role, fields }) =>
        role === 'system' ? [textOfContent(fields.content)] : [],
      ),
    ].join('\n'),
    turns: messages.flatMap(({ role, blocks }) =>
      role === 'user' || role === 'assistant' ? [{ role, parts: blocks.flatMap(partOf) }] : [],
    ),
    tools: listOf(body.tools).map((tool) => {
      const { name, input_schema } = fieldsOf(tool)
      return { name: textOf(name) ?? '', schema: input_schema ?? {} }
    }),
    toolChoice: choiceOf(fieldsOf(tool_choice)),
    parallelCalls: fieldsOf(tool_choice).disable_parallel_tool_use !== true,
    thinking: thinkingType === 'enabled' || thinkingType === 'adaptive',
    stream: body.stream === true,
    stopSequences: listOf(body.stop_sequences).flatMap((each) => textOf(each) ?? []),
    ...(typeof max_tokens === 'number' && { maxOutputTokens: max_tokens }),
    ...(isGiven(compaction) && {
      compaction: { ...(instructions !== undefined && { instructions }) },
    }),
  }
}

function choiceOf({ type, name }: Fields): ToolChoice {
  if (type === 'none' || type === 'any') return type
  const wanted = textOf(name)
  return type === 'tool' && wanted !== undefined ? { name: wanted } : 'auto'
}

function partOf({ type, fields }: Block): readonly AskedPart[] {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: textOf(fields.text) ?? '' }]
    case 'compaction':
      return [{ type: 'text', text: textOf(fields.content) ?? '' }]
    case 'tool_use': {
      const [id, name] = [textOf(fields.id) ?? '', textOf(fields.name) ?? '']
      return [{ type: 'call', id, name, arguments: fields.input ?? {} }]
    }
    case 'tool_result': {
      const id = textOf(fields.tool_use_id) ?? ''
      const text = textOfContent(fields.content)
      return [{ type: 'result', id, text, failed: fields.is_error === true }]
    }
    default:
      return []
  }
}
