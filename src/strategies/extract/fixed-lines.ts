// The fixed content of a brief: constraints, current work, failures, decisions.
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { listedFile } from './candidates.ts'
import type { Digest } from './digest.ts'
import type { Group, UserMessage } from './group.ts'
import { type Line, wholeSentence } from './lines.ts'

// The fixed content of a brief: constraints, current work, failures, decisions.

/** Shares of the room; unused parts go to selected lines. */
const CONSTRAINTS_SHARE = 0.05

const URGENT_SHARE = 0.08

const FILES_SHARE = 0.04

const DECISIONS_SHARE = 0.03

/** Binding user sentences shown nowhere else, in conversation order. */
export function boundWords(
  words: readonly UserMessage[],
  isShownWhole: (sentence: string) => boolean,
  roomTokens: number,
): string[] {
  const room = { tokens: roomTokens * CONSTRAINTS_SHARE }
  const found: string[] = []
  for (const { binding } of words.toReversed()) {
    for (const sentence of binding.toReversed())
      if (!found.includes(sentence) && !isShownWhole(sentence) && takes(room, sentence))
        found.push(sentence)
    if (room.tokens <= 0) break
  }
  return found.reverse()
}

const URGENT =
  /^(?:in flight|in the background|todo, in_progress|todo, pending|plan|tests (?:fail|pass)|failing test|open error|workspace|working directory|branch|last commit|last push|merged|pull request|tag|released)\b/

const CHANGED = /^(?:created|modified|deleted|renamed): /

/** The urgent ledger lines: running work, failures, and changed files. */
export function urgentLines(stated: readonly string[], roomTokens: number): ReadonlySet<string> {
  const room = { tokens: roomTokens * URGENT_SHARE }
  const filesRoom = { tokens: roomTokens * FILES_SHARE }
  return new Set(
    stated.filter(
      (line) =>
        (URGENT.test(line) && takes(room, line)) ||
        (CHANGED.test(line) && takes(filesRoom, listedFile(line)?.name ?? line)),
    ),
  )
}

const DECIDED =
  /\b(?:decided|instead of|(?:we|I)(?:'|’)?ll use|go(?:ing)? with|chose|opted for|agreed|root cause|turns out|entschieden|statt(?:dessen)?|décidé|au lieu de|decidido|en lugar de|deciso|invece di|вместо|решено)\b|决定|決定|결정/i

/** Announcements are not decisions. */
const ANNOUNCED =
  /^(?:\W*)(?:let me|let(?:'|’)s|now\b|next\b|first\b|i(?:'|’)?m (?:checking|looking|reading|running|verifying|updating|adding)|i(?:'|’)?ll (?:check|look|read|run|verify|update|add))/i

/** Lines with the agent's decisions, newest first. */
export function decisionLines(
  digest: Digest,
  isShown: (seq: number) => boolean,
  roomTokens: number,
): number[] {
  const room = { tokens: roomTokens * DECISIONS_SHARE }
  const found: number[] = []
  for (let index = digest.lines.length - 1; index >= 0 && room.tokens > 0; index -= 1) {
    const line = digest.lines[index] as Line
    if (line.kind !== 'said' || line.isRepeated) continue
    const { speaker } = digest.groups[line.group] as Group
    if (speaker !== 'agent' || isShown(line.seq) || !isDecided(line.text)) continue
    if (!takes(room, wholeSentence(line))) break
    found.push(index)
  }
  return found
}

function isDecided(text: string): boolean {
  return DECIDED.test(text) && !ANNOUNCED.test(text)
}

const LINE_TOKENS = 2

function takes(room: { tokens: number }, text: string): boolean {
  const cost = estimateTokens(text) + LINE_TOKENS
  if (cost > room.tokens) return false
  room.tokens -= cost
  return true
}
