// Repairs a broken history so that it can be sent, with a list of changes and reasons.
import type { Json } from '../text/json.ts'
import { isWellFormed, wellFormed } from '../text/well-formed.ts'
import { ageImages } from '../view/media.ts'
import type { Message, MessagePart } from '../view/message.ts'
import { withRoomForText } from './image-room.ts'
import { mendNames } from './names.ts'
import { type RepairProfile, STRICT_PROFILE } from './profile.ts'
import { partInWords } from './result-content.ts'
import { mendRounds } from './rounds.ts'
import { mendParts } from './sendable.ts'
import { mendThinking, partsAsText } from './stale-thinking.ts'
import {
  Changes,
  findTurn,
  LEFT_OUT,
  type RepairChange,
  readMessage,
  type Turn,
  textAt,
  withParts,
} from './turn.ts'

/** Messages from anywhere; instructions may be among them. */
export interface LooseMessage {
  readonly role: Message['role'] | 'system'
  readonly parts: readonly MessagePart[]
}

export interface Repaired {
  readonly messages: readonly Message[]
  readonly system: readonly string[]
  readonly changes: readonly RepairChange[]
  /** Renamed tools, from old to new: their definitions must follow. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Works on what will be sent; the log keeps the original. Unsendable parts with content become text, and
 * every change is listed in `changes`. A valid history is returned unchanged, so repairing twice equals
 * repairing once.
 */
export function repair(
  messages: readonly LooseMessage[],
  system: readonly string[],
  profile: RepairProfile = STRICT_PROFILE,
): Repaired {
  const changes = new Changes()
  const opening = openingInstructions(messages, changes)
  const prompts = mendSystem([...system, ...opening], changes)
  // A blank prompt is never sent.
  const isSystemChanged = changes.list.some(({ what }) => what !== 'blank-text')
  let turns: readonly Turn[] = placed(messages, opening.length, changes)
  turns = mendCharacters(turns, changes)
  if (profile.hasTools === false) turns = withoutTools(turns, changes)
  turns = mendParts(turns, profile, changes)
  turns = mendRounds(turns, profile, changes)
  turns = mendBeginning(turns, profile, changes)
  turns = mendNatives(turns, profile, changes)
  turns = mendEnd(turns, profile, changes)
  turns = mendImages(turns, profile, changes)
  const named = mendNames(turns, profile, changes)
  const isToolRenamed = profile.toolNames?.some((name) => named.names.has(name)) ?? false
  turns = mendThinking(named.turns, isSystemChanged || isToolRenamed, profile, changes)
  const isSame = changes.list.length === 0
  return {
    // Without a change there was no system message among them.
    messages: isSame ? (messages as readonly Message[]) : turns.map(readMessage),
    system: isSame ? system : prompts,
    changes: changes.list,
    names: named.names,
  }
}

/** Leading system messages are the system prompt, as in other formats. */
function openingInstructions(messages: readonly LooseMessage[], changes: Changes): string[] {
  const end = messages.findIndex(({ role }) => role !== 'system')
  return messages.slice(0, end === -1 ? messages.length : end).map(({ parts }, index) => {
    changes.add(
      'system-message',
      `messages[${index}]`,
      'it opened the messages; it joined the system prompt',
    )
    return instructionText(parts)
  })
}

function instructionText(parts: readonly MessagePart[]): string {
  return parts
    .map(partInWords)
    .filter((text) => text !== '')
    .join('\n')
}

/** Later instructions become reminders, which every provider accepts. */
function placed(messages: readonly LooseMessage[], skipped: number, changes: Changes): Turn[] {
  return messages.slice(skipped).map(({ role, parts }, index): Turn => {
    if (role !== 'system') return findTurn({ role, parts }, index + skipped)
    const at = `messages[${index + skipped}]`
    changes.add('system-message', at, 'it stood among the messages; it became a reminder')
    const text = instructionText(parts)
    const reminder = { part: { type: 'system_reminder' as const, text }, at }
    return { role: 'user', at, parts: text.trim() === '' ? [] : [reminder], isRewritten: true }
  })
}

function withoutTools(turns: readonly Turn[], changes: Changes): Turn[] {
  const names = new Map<string, string>()
  return turns.map((turn) =>
    withParts(
      turn,
      turn.parts.flatMap((each) => {
        const { part, at } = each
        if (part.type !== 'tool_call' && part.type !== 'tool_result') return [each]
        changes.add(
          'tools-undefined',
          at,
          `the request defines no tools; the ${part.type} became text`,
        )
        return partsAsText(part, names).map((text) => ({ part: text, at }))
      }),
    ),
  )
}

/** Native parts by their provider's rules, once all places are known. */
function mendNatives(turns: readonly Turn[], { natives }: RepairProfile, changes: Changes): Turn[] {
  return turns.map((turn, index) => {
    const place = { isFirst: index === 0, isLast: index === turns.length - 1 }
    const refused = natives?.refused(readMessage(turn), place) ?? new Map<number, string>()
    return withParts(
      turn,
      turn.parts.flatMap((each, at) => {
        const why = refused.get(at)
        if (why === undefined) return [each]
        const words = partInWords(each.part)
        const became = words === '' ? 'was left out' : 'became text'
        changes.add('refused-part', each.at, `${why}; it ${became}`)
        return words === '' ? [] : [textAt(words, each.at)]
      }),
    )
  })
}

function mendImages(turns: readonly Turn[], profile: RepairProfile, changes: Changes): Turn[] {
  const messages = turns.map(readMessage)
  const placeOf = (message: number, part: number) => turns[message]?.parts[part]?.at ?? ''
  const refOf = ({ message, part }: { message: number; part: number }) => placeOf(message, part)
  const { messages: aged, aged: gone } = ageImages(
    messages,
    withRoomForText(messages, profile),
    refOf,
  )
  for (const { message, part, why } of gone)
    changes.add('image', placeOf(message, part), `${why}; a caption stands in its place`)
  return turns.map((turn, index) =>
    withParts(
      turn,
      turn.parts.map((each, at) => {
        const part = aged[index]?.parts[at]
        return part === undefined || part === each.part ? each : { ...each, part }
      }),
    ),
  )
}

/**
 * Lone surrogates become U+FFFD. Signed thinking cannot be repaired, since the signature would no longer
 * match.
 */
function mendCharacters(turns: readonly Turn[], changes: Changes): Turn[] {
  return turns.map((turn) =>
    withParts(
      turn,
      turn.parts.flatMap((placed) => {
        const { part, at } = placed
        if (isWellFormed(part as unknown as Json)) return [placed]
        if (part.type === 'thinking' || part.type === 'redacted_thinking') {
          changes.add(
            'thinking',
            at,
            `it has half a character, and cannot be sent as it was signed${LEFT_OUT}`,
          )
          return []
        }
        changes.add('lone-surrogate', at, 'half a character; it became the replacement character')
        return [{ part: wellFormed(part as unknown as Json) as unknown as MessagePart, at }]
      }),
    ),
  )
}

function mendSystem(system: readonly string[], changes: Changes): readonly string[] {
  const mended = system.flatMap((text, index) => {
    const at = `system[${index}]`
    if (text.trim() === '') {
      changes.add('blank-text', at, 'a blank system prompt')
      return []
    }
    if (text.isWellFormed()) return [text]
    changes.add('lone-surrogate', at, 'half a character; it became the replacement character')
    return [text.toWellFormed()]
  })
  return mended.length === system.length && mended.every((text, index) => text === system[index])
    ? system
    : mended
}

const OPENING = '[the beginning of this conversation is not there]'
const NOTHING_SAID = '[nothing was said yet]'
/** Not a request: tells the model that there is none. */
const CLOSING = '[no message of the user follows]'

/** The ends of a conversation: the user's, unless the provider allows others. */
function mendBeginning(
  turns: readonly Turn[],
  { anyOpening = false, natives }: RepairProfile,
  changes: Changes,
): Turn[] {
  const [first] = turns
  if (first === undefined) {
    changes.add('empty-conversation', 'messages', 'there is no message that can be sent')
    return [userTurn(NOTHING_SAID, 'messages')]
  }
  const opening = first.parts[0]?.part
  if (first.role === 'user' || anyOpening || (opening && natives?.opens(opening))) return [...turns]
  changes.add('first-message', first.at, 'the first message is an answer; a note stands before it')
  return [userTurn(OPENING, first.at), ...turns]
}

function mendEnd(
  turns: readonly Turn[],
  { prefill = false, natives }: RepairProfile,
  changes: Changes,
): Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return [...turns]
  if (prefill) return [...turns.slice(0, -1), withoutTrailingBlanks(last, changes)]
  if (natives?.isPaused(last.parts.map(({ part }) => part))) return [...turns]
  changes.add('last-message', last.at, 'the last message is an answer; a note stands behind it')
  return [...turns, userTurn(CLOSING, last.at)]
}

function withoutTrailingBlanks(turn: Turn, changes: Changes): Turn {
  const placed = turn.parts.at(-1)
  if (placed?.part.type !== 'text') return turn
  const text = placed.part.text.trimEnd()
  if (text === placed.part.text) return turn
  changes.add('blank-text', placed.at, 'an unfinished answer may not end in blanks; they were cut')
  return withParts(turn, [
    ...turn.parts.slice(0, -1),
    { ...placed, part: { ...placed.part, text } },
  ])
}

function userTurn(text: string, at: string): Turn {
  return { role: 'user', at, parts: [textAt(text, at)], isRewritten: true }
}
