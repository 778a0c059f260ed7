// Anthropic Messages: reads requests and records them.
import { type Fields, isFields } from '../../core/text/json.ts'
import {
  type Block,
  type Message,
  readBlocks,
  readMessages,
} from '../../validate/anthropic/conversation.ts'
import type { Profile } from '../../validate/rule.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import { type Asked, type AskedPart, type ToolChoice, textOfContent } from '../asked.ts'
import { buildSegment, readKeepMs, type Segment } from '../count.ts'
import { withoutOldest } from '../models.ts'
import { digest, promptText } from '../seal.ts'
import type { Links, WireFormat } from '../wire-format.ts'
import { checkCompactions, messageFrames, wholeMessage } from './answer.ts'
import { anthropicErrorFrame, refuseAnthropic } from './errors.ts'
import { describeClaude, shapeOfAnthropic } from './shape.ts'
import { checkThinking, withoutDropped } from './thinking.ts'

/**
 * Each model has its own rules, unless one profile is given for all. The number of images depends on the
 * model's window, or on the stand-in's if that is larger (VALID-A18).
 */
export function anthropicFormat(profile?: Profile, windowTokens = 0): WireFormat {
  const claude = ({ model }: Fields) => describeClaude(readText(model) ?? '')
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
    segments: (body) => findSegments(withoutDropped(body, dropped(body))),
    silentWindow: () => undefined,
    fitted: (body, windowTokens) => withoutOldest(body, 'messages', windowTokens),
    account: (body, segments, { marked }, nowMs) =>
      marked.account(
        readText(body.model) ?? '',
        readSettings(body),
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

/** Tools, system, messages: the order in which the provider reads and caches a request. */
function findSegments(body: Fields): readonly Segment[] {
  const { tools, system, cache_control } = body
  const prompt = typeof system === 'string' ? [{ type: 'text', text: system }] : readList(system)
  const segments = [
    ...readList(tools).map((tool) => buildSegment('tools', tool)),
    ...prompt.map((block) => buildSegment('system', block)),
    ...readMessages(body).flatMap(({ role, blocks }) =>
      blocks.map(({ fields }) => buildSegment('messages', fields, `${role} `)),
    ),
  ]
  // A mark on the whole request applies to its last block.
  const last = segments.at(-1)
  if (!isFields(cache_control) || last === undefined || last.keepMs !== undefined) return segments
  return [...segments.slice(0, -1), { ...last, keepMs: readKeepMs(cache_control) }]
}

/** Settings that invalidate cached messages but not tools and system. */
function readSettings({ tool_choice, thinking, speed }: Fields): string {
  const { type, budget_tokens } = readFields(thinking)
  return JSON.stringify([tool_choice ?? null, type ?? null, budget_tokens ?? null, speed ?? null])
}

const links: Links = {
  ofRequest: (body) =>
    readMessages(body)
      .filter(({ role }) => role === 'assistant')
      .flatMap(keysIn(body)),
  ofAnswer: (body, answer) => keysIn(body)({ blocks: readBlocks(readFields(answer), '') }),
  onward: ({ request }) => compactionKeys(readFields(request)),
}

/** Calls, thinking and compactions identify an answer; a text does so only within the same conversation. */
function keysIn(body: Fields): (message: Pick<Message, 'blocks'>) => readonly string[] {
  const opening = promptText(readList(body.messages)[0] ?? null)
  return ({ blocks }) => {
    const named = blocks.flatMap(({ type, fields }) => {
      const name = type === 'tool_use' ? fields.id : (fields.signature ?? fields.data)
      return isGiven(name) ? [`${type} ${String(name)}`] : []
    })
    const text = blocks.map(({ fields }) => readText(fields.text) ?? '').join('')
    return text === '' ? named : [...named, `text ${digest(opening, text)}`]
  }
}

function compactionKeys(body: Fields): readonly string[] {
  return readMessages(body)
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ type, fields }) =>
      type === 'compaction' && isGiven(fields.signature)
        ? [`compaction ${String(fields.signature)}`]
        : [],
    )
}

/** An Anthropic request as the assistant sees it. */
function readAnthropic(body: Fields): Asked {
  const messages = readMessages(body)
  const { max_tokens, thinking, tool_choice, compaction } = body
  const instructions = readText(readFields(compaction).instructions)
  const thinkingType = readFields(thinking).type
  return {
    wire: 'anthropic',
    model: readText(body.model) ?? '',
    system: [
      textOfContent(body.system),
      ...messages.flatMap(({ role, fields }) =>
        role === 'system' ? [textOfContent(fields.content)] : [],
      ),
    ].join('\n'),
    turns: messages.flatMap(({ role, blocks }) =>
      role === 'user' || role === 'assistant' ? [{ role, parts: blocks.flatMap(readPart) }] : [],
    ),
    tools: readList(body.tools).map((tool) => {
      const { name, input_schema } = readFields(tool)
      return { name: readText(name) ?? '', schema: input_schema ?? {} }
    }),
    toolChoice: readChoice(readFields(tool_choice)),
    parallelCalls: readFields(tool_choice).disable_parallel_tool_use !== true,
    thinking: thinkingType === 'enabled' || thinkingType === 'adaptive',
    stream: body.stream === true,
    stopSequences: readList(body.stop_sequences).flatMap((each) => readText(each) ?? []),
    ...(typeof max_tokens === 'number' && { maxOutputTokens: max_tokens }),
    ...(isGiven(compaction) && {
      compaction: { ...(instructions !== undefined && { instructions }) },
    }),
  }
}

function readChoice({ type, name }: Fields): ToolChoice {
  if (type === 'none' || type === 'any') return type
  const wanted = readText(name)
  return type === 'tool' && wanted !== undefined ? { name: wanted } : 'auto'
}

function readPart({ type, fields }: Block): readonly AskedPart[] {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: readText(fields.text) ?? '' }]
    case 'compaction':
      return [{ type: 'text', text: readText(fields.content) ?? '' }]
    case 'tool_use': {
      const [id, name] = [readText(fields.id) ?? '', readText(fields.name) ?? '']
      return [{ type: 'call', id, name, arguments: fields.input ?? {} }]
    }
    case 'tool_result': {
      const id = readText(fields.tool_use_id) ?? ''
      const text = textOfContent(fields.content)
      return [{ type: 'result', id, text, failed: fields.is_error === true }]
    }
    default:
      return []
  }
}
