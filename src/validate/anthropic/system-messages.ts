// Messages of the system in the middle of a conversation: where they may stand.
import { isFields, type Json } from '../../core/text/json.ts'
import {
  type Report,
  type Rule,
  type RuleInput,
  readFields,
  readList,
  readText,
  rule,
} from '../walk.ts'
import { findConversation, leadingCompaction, type Message, readMessages } from './conversation.ts'
import { sameSteps, stepsOfMessage } from './same.ts'
import { isServerBlock, isServerResult } from './server-tools.ts'

const systemMessagesStandRight = rule('VALID-A16', (input, report) => {
  // Where the role itself is refused, VALID-A1 says so.
  if (!input.profile.systemMessages) return
  const messages = findConversation(input)
  for (const group of findGroups(messages)) checkPlace(group, messages, report)
  checkKept(messages, input, report)
})

export const SYSTEM_MESSAGE_RULES: readonly Rule[] = [systemMessagesStandRight]

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
export const ROLE_RULES: readonly Rule[] = [messagesAreFilled, userSpeaksFirst, rolesAlternate]

/** A compaction in a message of its own may precede an answer: it stands for the turns before it. */
export function isCompactionAlone({ blocks }: Message): boolean {
  return blocks.length === 1 && blocks[0]?.type === 'compaction'
}

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
