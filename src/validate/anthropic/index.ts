// The rules of Anthropic Messages: VALID-A1 to -A22 of docs/spec/valid.md, without -A14, a habit.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { imageSize } from '../../core/view/images.ts'
import {
  isGiven,
  jsonBytes,
  type Report,
  type Rule,
  type RuleInput,
  readFields,
  readList,
  readText,
  rule,
  textsAreWellFormed,
} from '../walk.ts'
import { asksForCompaction, CACHE_RULES, COMPACTION_RULES } from './compaction.ts'
import {
  type Block,
  fieldPlace,
  findConversation,
  isCompactionAlone,
  isThinking,
  leadingCompaction,
  type Message,
  readMessages,
  systemBlocks,
  withNested,
} from './conversation.ts'
import { sameSteps, stepsOfMessage } from './same.ts'
import { BINDING_RULES, THINKING_RULES } from './thinking.ts'
import {
  isPaused,
  isServerBlock,
  isServerResult,
  SERVER_TOOL_RULES,
  TOOL_ROUND_RULES,
  TOOL_RULES,
} from './tools.ts'

// Texts, images and the window: what the content of a request may hold.

const textsAreNotBlank = rule('VALID-A9', (input, report) => {
  for (const block of systemBlocks(input.request)) checkText(block, report)
  for (const { blocks } of findConversation(input)) {
    for (const block of blocks) {
      for (const each of withNested(block)) checkText(each, report)
    }
  }
})

function checkText(block: Block, report: Report): void {
  const { type, fields, place } = block
  if (type === 'text') {
    const text = readText(fields.text)
    if (text === undefined) report(fieldPlace(block, 'text'), 'a text block has no text')
    else if (text.trim() === '') report(fieldPlace(block, 'text'), 'the text is blank')
  }
  if (isThinking(block) && isGiven(fields.cache_control)) {
    report(`${place}.cache_control`, 'thinking cannot carry a mark for the cache')
  }
}

const endsAsItMay = rule('VALID-A10', (input, report) => {
  const { request, profile } = input
  const last = findConversation(input).at(-1)
  if (last?.role !== 'assistant' || asksForCompaction(request) || isPaused(last, input)) return
  if (profile.prefill) checkEnd(last, report)
  else {
    report(last.place, 'the model takes no unfinished answer: the last message must be the user’s')
  }
})

function checkEnd({ blocks }: Message, report: Report): void {
  const last = blocks.at(-1)
  if (last?.type !== 'text') return
  const text = readText(last.fields.text) ?? ''
  // A blank text is VALID-A9's affair.
  if (text.trim() !== '' && text !== text.trimEnd()) {
    report(fieldPlace(last, 'text'), 'the unfinished answer ends in a blank')
  }
}

const TEXT_RULES: readonly Rule[] = [textsAreNotBlank, endsAsItMay, textsAreWellFormed]

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
/** As the API counts them in its refusals: the base64 text, in units of 1,024. */
const IMAGE_BYTES = 5 * 1024 * 1024
const REQUEST_BYTES = 32_000_000
const MAX_EDGE_PX = 8_000
/** With more images than this, each must be smaller. */
const FEW_IMAGES = 20
const MAX_EDGE_OF_MANY_PX = 2_000
const LARGE_WINDOW_TOKENS = 200_000

const imagesFit = rule('VALID-A18', (input, report) => {
  const { request, profile } = input
  const images = findConversation(input)
    .flatMap(({ blocks }) => blocks.flatMap((block) => withNested(block)))
    .filter(({ type }) => type === 'image')
  const maxImages = (profile.windowTokens ?? 0) > LARGE_WINDOW_TOKENS ? 600 : 100
  const maxEdgePx = images.length > FEW_IMAGES ? MAX_EDGE_OF_MANY_PX : MAX_EDGE_PX
  for (const [index, { fields, place }] of images.entries()) {
    if (index >= maxImages) report(place, `an image beyond the ${maxImages} allowed`)
    checkSource(readFields(fields.source), `${place}.source`, maxEdgePx, report)
  }
  const maxBytes = profile.requestBytes ?? REQUEST_BYTES
  const bytes = jsonBytes(request)
  if (bytes > maxBytes) report('request', `a body of ${bytes} bytes; ${maxBytes} are allowed`)
})

/** Images and the size of the request: how many, how large, of which kind. */
const IMAGE_RULES: readonly Rule[] = [imagesFit]

function checkSource(source: Fields, place: string, maxEdgePx: number, report: Report): void {
  if (source.type !== 'base64') return
  if (!MEDIA_TYPES.includes(readText(source.media_type) ?? '')) {
    report(`${place}.media_type`, `an image must be one of ${MEDIA_TYPES.join(', ')}`)
  }
  const data = readText(source.data) ?? ''
  if (data === '') report(`${place}.data`, 'an image without data')
  if (data.length > IMAGE_BYTES) {
    report(`${place}.data`, `an image of ${data.length} bytes; ${IMAGE_BYTES} are allowed`)
  }
  const size = imageSize(data)
  if (size !== undefined && Math.max(size.widthPx, size.heightPx) > maxEdgePx) {
    const { widthPx, heightPx } = size
    report(`${place}.data`, `${widthPx} × ${heightPx} pixels; an edge may have ${maxEdgePx} here`)
  }
}

/** Newer models stop early instead, and refuse only what leaves no room for an answer at all. */
const windowHoldsBoth = rule('VALID-A19', ({ request, profile, requestTokens }, report) => {
  const { windowTokens, stopsAtWindow = false } = profile
  if (windowTokens === undefined || requestTokens === undefined) return
  const { max_tokens } = readFields(request)
  const answerTokens = typeof max_tokens === 'number' && !stopsAtWindow ? max_tokens : 0
  if (requestTokens + answerTokens <= windowTokens) return
  report(
    'max_tokens',
    `${requestTokens} tokens and ${answerTokens} for the answer exceed the window of ${windowTokens}`,
  )
})

/** The window rule: the request and the maximum answer fit together */
const WINDOW_RULES: readonly Rule[] = [windowHoldsBoth]

// Messages of the system in the middle of a conversation: where they may stand.

const systemMessagesStandRight = rule('VALID-A16', (input, report) => {
  // Where the role itself is refused, VALID-A1 says so.
  if (!input.profile.systemMessages) return
  const messages = findConversation(input)
  for (const group of findGroups(messages)) checkPlace(group, messages, report)
  checkKept(messages, input, report)
})

const SYSTEM_MESSAGE_RULES: readonly Rule[] = [systemMessagesStandRight]

/** Several in a row count as one. One that only sets options, with no content, may stand anywhere. */
function findGroups(messages: readonly Message[]): readonly (readonly [Message, Message])[] {
  const groups: [Message, Message][] = []
  for (const message of messages) {
    if (message.role !== 'system' || isDirective(message)) continue
    const last = groups.at(-1)
    if (last?.[1].index === message.index - 1) last[1] = message
    else groups.push([message, message])
  }
  return groups
}

function isDirective({ fields, blocks }: Message): boolean {
  return blocks.length === 0 && isFields(fields.output_config)
}

function checkPlace(
  [first, last]: readonly [Message, Message],
  messages: readonly Message[],
  report: Report,
): void {
  const before = messages[first.index - 1]
  if (before === undefined) {
    report(first.place, 'the first message cannot be the system’s: use the field `system`')
  } else if (before.role === 'assistant' && !mayFollow(before)) {
    report(first.place, 'a system message must follow a message of the user')
  } else if (messages[last.index + 1]?.role === 'user') {
    report(last.place, 'only an answer may follow a system message')
  }
}

/** Behind a compaction it is VALID-A15's affair. */
function mayFollow(answer: Message): boolean {
  if (isServerResult(answer.blocks.at(-1))) return true
  return answer.index === 0 && isCompactionAlone(answer)
}

/** One that was sent stays: compared with the request before, up to the first difference. */
function checkKept(messages: readonly Message[], { earlier }: RuleInput, report: Report): void {
  const before = readMessages(readFields(earlier.at(-1)?.request))
  const index = before.findIndex((message, at) => !isSame(message, messages[at]))
  const was = before[index]
  const now = messages[index]
  if (was?.role !== 'system' || now === undefined) return
  // Where all that follows is new, the conversation was rewritten from here on, by a compaction say.
  const next = before[index + 1]
  const isGone = next === undefined ? now.role === 'assistant' : isSame(next, now)
  if (isGone || now.role === 'system') {
    report(now.place, 'the system message that stood here must stay as it was sent')
  }
}

function isSame(message: Message, other: Message | undefined): boolean {
  return other !== undefined && sameSteps(stepsOfMessage(message), stepsOfMessage(other))
}

const messagesAreFilled = rule('VALID-A1', ({ request, profile }, report) => {
  if (!isFields(request)) return report('request', 'a request is an object with messages')
  const messages = readList(request.messages)
  if (messages.length === 0) return report('messages', 'there are no messages')
  const roles = profile.systemMessages ? ['user', 'assistant', 'system'] : ['user', 'assistant']
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`
    const isLast = index === messages.length - 1
    if (!isFields(message)) {
      report(place, 'a message is an object with a role and content')
      continue
    }
    if (!roles.includes(readText(message.role) ?? '')) {
      report(`${place}.role`, `the role must be one of ${roles.join(', ')}`)
    }
    const { content } = message
    if (isEmpty(content)) {
      if (isLast && message.role === 'assistant' && profile.prefill) continue
      if (message.role === 'system' && isFields(message.output_config)) continue
      report(`${place}.content`, 'the content is empty')
    } else if (profile.backend !== 'bedrock') checkBlocks(content, `${place}.content`, report)
    // Bedrock's Converse has no types: a block there is named by its only field.
  }
})

const userSpeaksFirst = rule('VALID-A2', (input, report) => {
  const messages = findConversation(input)
  const [first] = messages
  if (first?.role !== 'assistant' || leadingCompaction(messages) !== undefined) return
  report(first.place, 'the first message must be the user’s')
})

/** The API merges what is in a row; backends that speak its format answer 400. */
const rolesAlternate = rule('VALID-A3', (input, report) => {
  if (!input.profile.strict) return
  const messages = findConversation(input)
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (before?.role !== message.role || !['user', 'assistant'].includes(message.role)) continue
    if (index === 1 && isCompactionAlone(before)) continue
    if (isServerBlock(before.blocks.at(-1))) continue // paused, and continued
    report(message.place, `two messages of the ${message.role} in a row`)
  }
})

/** Rules for roles: content in each message, the user first, alternating */
const ROLE_RULES: readonly Rule[] = [messagesAreFilled, userSpeaksFirst, rolesAlternate]

function isEmpty(content: Json | undefined): boolean {
  return content === '' || (Array.isArray(content) && content.length === 0)
}

function checkBlocks(content: Json | undefined, place: string, report: Report): void {
  if (typeof content !== 'string' && !Array.isArray(content)) {
    report(place, 'the content is neither a text nor blocks')
  }
  for (const [index, block] of readList(content).entries()) {
    if (readText(readFields(block).type) === undefined) {
      report(`${place}[${index}]`, 'a block is an object with a type')
    }
  }
}

export const ANTHROPIC_RULES: readonly Rule[] = [
  ...ROLE_RULES,
  ...TOOL_ROUND_RULES,
  ...TOOL_RULES,
  ...TEXT_RULES,
  ...THINKING_RULES,
  ...BINDING_RULES,
  ...COMPACTION_RULES,
  ...SYSTEM_MESSAGE_RULES,
  ...CACHE_RULES,
  ...IMAGE_RULES,
  ...WINDOW_RULES,
  ...SERVER_TOOL_RULES,
]
