// The rules of Anthropic Messages: VALID-A1 to -A22 of docs/spec/valid.md, without -A14, a habit.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { readFields, readList, readText } from '../walk.ts'
import { BINDING_RULES } from './binding.ts'
import { CACHE_RULES, COMPACTION_RULES } from './compaction.ts'
import { IMAGE_RULES, TEXT_RULES, WINDOW_RULES } from './content.ts'
import { findConversation, isCompactionAlone, leadingCompaction } from './conversation.ts'
import { isServerBlock, SERVER_TOOL_RULES } from './server-tools.ts'
import { SYSTEM_MESSAGE_RULES } from './system-messages.ts'
import { THINKING_RULES } from './thinking.ts'
import { TOOL_ROUND_RULES, TOOL_RULES } from './tools.ts'

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

/** The API merges consecutive roles; compatible backends answer 400. */
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
