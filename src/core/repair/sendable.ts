// Checks whether each part can be sent in its message's role, and replaces it if not.
import { isFields } from '../text/json.ts'
import type { NativePart } from '../view/content.ts'
import type { MessagePart, ToolCallPart } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'
import { mendResult, partInWords } from './result-content.ts'
import {
  type Changes,
  isThinking,
  LEFT_OUT,
  type PlacedPart,
  type Turn,
  textAt,
  withParts,
} from './turn.ts'

const ASSISTANT_ONLY = new Set<string>(['thinking', 'redacted_thinking', 'tool_call'])
/** A result inside an answer moves with its round. */
const USER_ONLY = new Set<string>(['image', 'document', 'checkpoint', 'system_reminder'])
/** Keeps the roles alternating after a turn of thinking only. */
const THOUGHT_ALONE = '[no words, only thinking]'

export function mendParts(
  turns: readonly Turn[],
  profile: RepairProfile,
  changes: Changes,
): Turn[] {
  return turns.map((turn) => {
    const { thinking, isRewritten } = readThinking(turn, profile, changes)
    const kept = turn.parts.filter((placed) => !isThinking(placed) || thinking.has(placed))
    const parts = kept.flatMap((placed) => mendPart(placed, turn.role, profile, changes))
    // Blank text is never sent: the turn says the same without it.
    const known = new Set(kept)
    const mended = withParts(turn, parts, isRewritten || parts.some((part) => !known.has(part)))
    return saysSomething(mended, turn)
  })
}

/** Replaces an answer of thinking only, all of it unsendable. */
export function saysSomething(turn: Turn, before: Turn): Turn {
  const isGone = turn.parts.length === 0 && before.parts.some(isThinking)
  if (!isGone || turn.role === 'user') return turn
  return { ...turn, parts: [textAt(THOUGHT_ALONE, turn.at)] }
}

interface KeptThinking {
  readonly thinking: ReadonlySet<PlacedPart>
  /** Valid blocks went, too: an answer keeps all of its thinking or none. */
  readonly isRewritten: boolean
}

function readThinking(turn: Turn, profile: RepairProfile, changes: Changes): KeptThinking {
  const blocks = turn.parts.filter(isThinking)
  const lastCall = turn.parts.findLastIndex(({ part }) => part.type === 'tool_call')
  const refused = new Map<PlacedPart, string>()
  for (const [index, placed] of turn.parts.entries()) {
    if (!isThinking(placed)) continue
    const isBehind = profile.thinking !== 'any' && lastCall !== -1 && index > lastCall
    const why =
      turn.role === 'user'
        ? 'it stands in a message of the user'
        : (refusal(placed.part, profile) ??
          (isBehind ? 'it stands behind the calls that it led to' : undefined))
    if (why !== undefined) refused.set(placed, why)
  }
  if (refused.size === 0) return { thinking: new Set(blocks), isRewritten: false }
  for (const placed of blocks)
    changes.add(
      'thinking',
      placed.at,
      `${refused.get(placed) ?? 'other thinking of its answer had to go'}${LEFT_OUT}`,
    )
  return { thinking: new Set(), isRewritten: refused.size < blocks.length }
}

/** Why thinking cannot be sent to this provider; undefined if it can. */
function refusal(part: MessagePart, profile: RepairProfile): string | undefined {
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return undefined
  const { provider, model, thinking = 'signed' } = profile
  if (thinking === 'any') return undefined
  if (provider !== undefined && !part.model.startsWith(`${provider}/`))
    return `it is by ${part.model}, and only ${part.model.split('/')[0]} can read it`
  if (model !== undefined && part.model !== model)
    return `it is by ${part.model}, and ${model} cannot read it`
  if (thinking === 'none') return 'it is not sent back here'
  if (thinking === 'plain')
    return part.type === 'thinking' ? undefined : 'it is sealed, and not sent back here'
  if (part.type === 'thinking') return part.signature ? undefined : 'it has no signature'
  return part.data === '' ? 'it is sealed, and its content is missing' : undefined
}

function mendPart(
  placed: PlacedPart,
  role: Turn['role'],
  profile: RepairProfile,
  changes: Changes,
): readonly PlacedPart[] {
  const { part, at } = placed
  if (part.type === 'text' && part.text.trim() === '') {
    changes.add('blank-text', at, 'a text of blanks alone; it was left out')
    return []
  }
  if (!isThinking(placed) && (role === 'user' ? ASSISTANT_ONLY : USER_ONLY).has(part.type)) {
    changes.add('misplaced-part', at, `a ${part.type} in a message of the ${role}; it became text`)
    return inWords(part, at)
  }
  switch (part.type) {
    case 'native':
      if (profile.provider === undefined || part.provider === profile.provider) return [placed]
      return foreignInWords(part, at, changes)
    case 'document':
      if (part.media.data ?? part.media.uri ?? part.media.text) return [placed]
      changes.add('refused-part', at, 'a document without content; it became text')
      return inWords(part, at)
    case 'tool_call':
      return [mendInput(placed, part, changes)]
    case 'tool_result':
      return [mendResult(placed, part, profile, changes)]
    default:
      return [placed]
  }
}

/** Foreign reasoning is useless here and, like all thinking, never written out. */
function foreignInWords(part: NativePart, at: string, changes: Changes): readonly PlacedPart[] {
  const words = inWords(part, at)
  const became = words.length === 0 ? 'it was left out' : 'it became text'
  changes.add('foreign-part', at, `only ${part.provider} understands it; ${became}`)
  return words
}

function inWords(part: MessagePart, at: string): readonly PlacedPart[] {
  const text = partInWords(part)
  return text.trim() === '' ? [] : [textAt(text, at)]
}

function mendInput(placed: PlacedPart, call: ToolCallPart, changes: Changes): PlacedPart {
  if (isFields(call.arguments)) return placed
  changes.add(
    'input-shape',
    placed.at,
    'the input of a call is no object; it became one with `input`',
  )
  return { ...placed, part: { ...call, arguments: { input: call.arguments } } }
}
