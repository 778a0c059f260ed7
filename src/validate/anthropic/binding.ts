// Thinking after a rewritten conversation, which newer models reject.
import type { Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { readFields } from '../walk.ts'
import { findConversation, isThinking, lacksBeta, type Message, openRound } from './conversation.ts'
import { findHistory, type History } from './history.ts'
import { isRestart, Prefixes } from './prefix.ts'

const BINDING_BETA = 'thinking-binding-controls-2026-08-01'

/** Unknown without history: then nothing is reported. */
const prefixIsUnchanged = rule('VALID-A13', (input, report) => {
  const { request, profile } = input
  if (!profile.preservedThinking || dropsUnboundThinking(request)) return
  const messages = findConversation(input)
  const history = findHistory(input)
  if (history.isEmpty) return
  const prefixes = new Prefixes(request, messages, history)
  // The open round has its own rule.
  const open = openRound(messages)
  for (const message of messages.slice(lastRestart(messages))) {
    if (message === open) continue
    for (const [block, change] of prefixes.changedThinking(message)) {
      report(block.place, `the thinking was made before ${change} was changed`)
    }
  }
})

const openRoundSurvivesRewrite = rule('VALID-A22', (input, report) => {
  const { request, profile } = input
  const messages = findConversation(input)
  const open = openRound(messages)
  const history = findHistory(input)
  if (open === undefined || history.isEmpty || dropsUnboundThinking(request)) return
  const prefixes = new Prefixes(request, messages, history)
  const [first] = prefixes.changedThinking(open)
  if (first !== undefined) {
    if (!profile.preservedThinking) return
    const [block, change] = first
    report(block.place, `an open tool round keeps thinking from before ${change} was changed`)
  } else checkLost(open, prefixes, history, input, report)
})

export const BINDING_RULES: readonly Rule[] = [prefixIsUnchanged, openRoundSurvivesRewrite]

/** The request asks the API to drop thinking that no longer fits. */
export function dropsUnboundThinking(request: Json): boolean {
  const { block_binding } = readFields(readFields(request).thinking)
  const behaviour = readFields(block_binding).prefix_mismatch_behavior
  return behaviour === 'drop_block' && !lacksBeta(request, BINDING_BETA)
}

/** The API drops what precedes a compaction it made by itself. */
function lastRestart(messages: readonly Message[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ blocks }) => blocks.some(isRestart)),
  )
}

function checkLost(
  open: Message,
  prefixes: Prefixes,
  history: History,
  { request }: RuleInput,
  report: Report,
): void {
  const answered = history.ofMessage(open)
  if (answered === undefined || open.blocks.some(isThinking)) return
  if (!answered.blocks.some(isThinking)) return
  if (readFields(readFields(request).thinking).type === 'disabled') return
  const change = prefixes.changeBefore(open, answered)
  if (change === '') return
  report(open.place, `the open tool round lost its thinking when ${change} was changed`)
}
