// Thinking in answers: signed, unchanged, before its calls, and dropped oldest first.
import type { Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { readFields, readText } from '../walk.ts'
import { dropsUnboundThinking } from './binding.ts'
import {
  type Block,
  findConversation,
  isThinking,
  type Message,
  openRound,
} from './conversation.ts'
import { findHistory, type History } from './history.ts'
import { Prefixes } from './prefix.ts'
import { sameJson } from './same.ts'

const thinkingIsIntact = rule('VALID-A12', (input, report) => {
  const messages = findConversation(input)
  for (const message of messages) checkShape(message, report)
  if (isThinkingEnabled(input)) checkLoopStart(messages, report)
  checkAgainstHistory(messages, input, report)
})

export const THINKING_RULES: readonly Rule[] = [thinkingIsIntact]

function checkShape({ role, blocks }: Message, report: Report): void {
  const lastCall = blocks.findLastIndex(({ type }) => type === 'tool_use')
  for (const [index, block] of blocks.entries()) {
    if (!isThinking(block)) continue
    const { type, fields, place } = block
    const needed = type === 'thinking' ? 'signature' : 'data'
    if (role !== 'assistant') report(place, 'thinking may stand in answers only')
    else if (!readText(fields[needed])) report(`${place}.${needed}`, `${type} needs its ${needed}`)
    else if (type === 'thinking' && readText(fields.thinking) === undefined) {
      report(`${place}.thinking`, 'thinking needs its text, even an empty one')
    } else if (lastCall !== -1 && index > lastCall) {
      report(place, 'thinking stands behind the calls that it led to')
    }
  }
}

/** Adaptive thinking may be absent in a turn; only `enabled` must start with it. */
function isThinkingEnabled({ request, profile }: RuleInput): boolean {
  const type = thinkingType(request)
  return type === undefined ? profile.thinkingEnabled === true : type === 'enabled'
}

function thinkingType(request: Json): string | undefined {
  return readText(readFields(readFields(request).thinking).type)
}

/** The turn of the latest results: its first or last answer starts with thinking. */
function checkLoopStart(messages: readonly Message[], report: Report): void {
  const open = openRound(messages)
  if (open === undefined || !hasResults(messages.slice(open.index + 1))) return
  let start = open.index
  while (start > 0) {
    const before = messages[start - 1]
    if (before?.role === 'user' && !hasResults([before])) break
    start -= 1
  }
  const first = messages.slice(start).find(({ role }) => role === 'assistant')
  const isFine = [first, open].some((answer) => answer?.blocks[0] && isThinking(answer.blocks[0]))
  if (!isFine) report(open.place, 'with thinking enabled, a turn that calls tools starts with it')
}

function hasResults(messages: readonly Message[]): boolean {
  return messages.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_result'))
}

function checkAgainstHistory(messages: readonly Message[], input: RuleInput, report: Report): void {
  const history = findHistory(input)
  if (history.isEmpty) return
  const answers = messages.filter(({ role }) => role === 'assistant')
  const tampered = answers.flatMap(({ blocks }) =>
    blocks.filter((each) => isChanged(each, history)),
  )
  for (const { place } of tampered) report(place, 'the thinking is not what was signed')
  if (tampered.length > 0) return
  const last = answers.at(-1)
  if (last !== undefined) checkLatest(last, messages, history, input, report)
  if (input.profile.preservedThinking && !dropsUnboundThinking(input.request)) {
    checkChain(answers, history, report)
  }
}

function isChanged(block: Block, history: History): boolean {
  const original = history.originalOf(block)
  return original !== undefined && !isSame(block, original)
}

function isSame(block: Block, original: Block | undefined): boolean {
  return original !== undefined && sameJson(block.fields, original.fields)
}

/** All of its thinking in order, or none once its calls are done. */
function checkLatest(
  message: Message,
  messages: readonly Message[],
  history: History,
  { request }: RuleInput,
  report: Report,
): void {
  const answered = history.ofMessage(message)
  if (answered === undefined) return
  const given = answered.blocks.filter(isThinking)
  // A message may hold two answers, the second a continuation of a paused one.
  const kept = message.blocks.filter(
    (block) => isThinking(block) && [undefined, answered].includes(history.ofThinking(block)),
  )
  if (kept.length > 0) {
    const at = given.findIndex((block, index) => !isSame(block, kept[index]))
    const strange = at === -1 ? kept[given.length] : (kept[at] ?? message)
    if (strange) report(strange.place, 'the latest answer must keep its thinking as it was')
  } else if (given.length > 0 && openRound(messages) === message) {
    if (thinkingType(request) === 'disabled' || dropsUnboundThinking(request)) return
    // After a rewritten prefix VALID-A22 applies.
    if (new Prefixes(request, messages, history).changeBefore(message, answered) !== '') return
    report(message.place, 'an open tool round must send all of its thinking back')
  }
}

/** Each block records its predecessor: a gap invalidates all later ones. */
function checkChain(answers: readonly Message[], history: History, report: Report): void {
  let hasKept = false
  let hasGap = false
  for (const answer of answers) {
    const first = answer.blocks.find(isThinking)
    if (first !== undefined) {
      if (hasGap) report(first.place, 'thinking between this and older thinking was dropped')
      if (hasGap) return
      hasKept = true
    } else if (hasKept && history.ofMessage(answer)?.blocks.some(isThinking)) hasGap = true
  }
}
