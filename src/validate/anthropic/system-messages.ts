// System messages in the middle of a conversation: where they are allowed.
import { isFields } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { readFields } from '../walk.ts'
import { findConversation, isCompactionAlone, type Message, readMessages } from './conversation.ts'
import { sameSteps, stepsOfMessage } from './same.ts'
import { isServerResult } from './server-tools.ts'

const systemMessagesStandRight = rule('VALID-A16', (input, report) => {
  // If the role itself is not allowed, VALID-A1 reports it.
  if (!input.profile.systemMessages) return
  const messages = findConversation(input)
  for (const group of findGroups(messages)) checkPlace(group, messages, report)
  checkKept(messages, input, report)
})

export const SYSTEM_MESSAGE_RULES: readonly Rule[] = [systemMessagesStandRight]

/** Consecutive ones count as one. One without content, which only sets options, is allowed anywhere. */
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

/** After a compaction VALID-A15 applies. */
function mayFollow(answer: Message): boolean {
  if (isServerResult(answer.blocks.at(-1))) return true
  return answer.index === 0 && isCompactionAlone(answer)
}

/** A sent one must stay: compares with the previous request up to the first difference. */
function checkKept(messages: readonly Message[], { earlier }: RuleInput, report: Report): void {
  const before = readMessages(readFields(earlier.at(-1)?.request))
  const index = before.findIndex((message, at) => !isSame(message, messages[at]))
  const was = before[index]
  const now = messages[index]
  if (was?.role !== 'system' || now === undefined) return
  // If everything that follows is new, the conversation was rewritten from here, for example by a compaction.
  const next = before[index + 1]
  const isGone = next === undefined ? now.role === 'assistant' : isSame(next, now)
  if (isGone || now.role === 'system') {
    report(now.place, 'the system message that stood here must stay as it was sent')
  }
}

function isSame(message: Message, other: Message | undefined): boolean {
  return other !== undefined && sameSteps(stepsOfMessage(message), stepsOfMessage(other))
}
