// The fixed parts of a brief: the user's words, constraints, the state of the work.
import type { EntryId } from '../../core/edit/change.ts'
import { type Pins, pinnedText } from '../../core/edit/pins.ts'
import { originalId } from '../../core/view/entry.ts'
import type { BriefParts } from './brief.ts'
import { listedFile } from './candidates.ts'
import type { Digest } from './digest.ts'
import { boundWords, decisionLines, urgentLines } from './fixed-lines.ts'
import type { Plan } from './plan.ts'
import { inert, saysWhole, shownWords } from './said-words.ts'
import { inertLine } from './stretches.ts'
import { nowLines } from './work-state.ts'

export interface Anchors
  extends Pick<BriefParts, 'words' | 'constraints' | 'decisions' | 'known' | 'now'> {
  readonly urgent: readonly string[]
  readonly stated: readonly string[]
}

interface AnchorsInput {
  readonly digest: Digest
  readonly plan: Plan
  readonly pins: Pins
  /** Text next to the brief that is not a log entry. */
  readonly said?: readonly string[]
  isShown(seq: number): boolean
  /** Whether a message stands there as a request that is carried over. */
  isCarried(ref: EntryId): boolean
}

/** The share of a brief for the user's words. */
const WORDS_SHARE = 0.07

const SMALL_WORDS_SHARE = 0.14

const SMALL_WORDS_TOKENS = 1_500

const MOST_WORDS_SHARE = 0.2

const LEAST_WORDS_TOKENS = 60

/** For older messages' statements, if there is room. */
const STATED_SHARE = 0.06

/** In smaller briefs, past content comes first. */
const LEAST_NOW_TOKENS = 300

const STATED_LINES = 400

export const NO_ANCHORS: Anchors = {
  words: [],
  constraints: [],
  decisions: [],
  now: [],
  known: [],
  urgent: [],
  stated: [],
}

export function findAnchors(
  { digest, plan, pins, said = [], isShown, isCarried }: AnchorsInput,
  room: number,
): Anchors {
  const pinned = pinnedText(pins) ?? ''
  const beside = said.map((text) => inOneLine(text).replaceAll('] user: ', '] '))
  const isBeside = (ref: EntryId, text: string) => {
    const line = inOneLine(`[ref:${ref}] ${text}`)
    return isCarried(ref) || beside.some((each) => each.includes(line))
  }
  const quoted = new Set(
    digest.words
      .filter(({ entry, seq, text }) => isBeside(entry ?? originalId(seq), inert(text)))
      .map(({ seq }) => seq),
  )
  const words = shownWords(digest, (seq) => isShown(seq) || quoted.has(seq), {
    roomTokens: wordsRoom(room),
    statedTokens: statedRoom(room),
    isSaid: (sentence) => saysWhole(pinned, sentence),
  }).filter(({ ref, text }) => !isBeside(ref, text))
  const shown = [pinned, ...words.map(({ text }) => text)]
  const away = [...digest.pinned, ...digest.words].filter(({ seq }) => !isShown(seq))
  const lines = new Set(said.flatMap((text) => text.split('\n')))
  const all = digest.senses
    .ledgerLines(digest, STATED_LINES)
    .filter((line) => !isStated(line, lines))
  const urgent = urgentLines(all, room)
  return {
    words,
    constraints: boundWords(
      away,
      (sentence) => shown.some((text) => saysWhole(text, sentence)),
      room,
    ),
    decisions: decisionLines(digest, isShown, room),
    now:
      room < LEAST_NOW_TOKENS
        ? []
        : nowLines(digest, isShown, inertLine, { roomTokens: room, isNoted: isNoted(plan) }),
    known: all,
    urgent: all.filter((line) => urgent.has(line)),
    stated: all.filter((line) => !urgent.has(line)),
  }
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** The note says what is answered; a request without a successor is visibly open. */
function isNoted({ note, items, stays, shortened }: Plan): boolean {
  const last = items.at(-1)
  const isSeen = last !== undefined && (stays.at(-1) === last || shortened?.item === last)
  return note !== undefined || (isSeen && last.kind === 'user')
}

/** Files share a line. */
function isStated(stated: string, lines: ReadonlySet<string>): boolean {
  const file = listedFile(stated)
  if (!file) return lines.has(stated)
  return [...lines].some(
    (line) => line.startsWith(`${file.state}: `) && line.split(/: |, /).includes(file.name),
  )
}

/** A larger share in small briefs: topic and constraints must be there. */
function wordsRoom(room: number): number {
  return Math.max(
    room * WORDS_SHARE,
    Math.min(room * SMALL_WORDS_SHARE, SMALL_WORDS_TOKENS),
    Math.min(room * MOST_WORDS_SHARE, LEAST_WORDS_TOKENS),
  )
}

const statedRoom = (room: number) => (room < 2_000 ? 0 : room * STATED_SHARE)
