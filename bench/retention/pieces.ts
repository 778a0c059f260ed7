// What a model is sent, as pieces of plain text with their weight: the one currency of all policies.
import type { Json } from '../../src/core/text/json.ts'
import type { Message, MessagePart } from '../../src/core/view/message.ts'
import { charsOverFour } from '../../src/core/window/tokens/counter.ts'
import { cutTail } from '../../src/core/window/tokens/cut.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'

export interface Piece {
  readonly kind: 'user' | 'answer' | 'call' | 'result'
  readonly text: string
  readonly tokens: number
  /** Which of the messages it is a part of. */
  readonly message: number
  readonly callId?: string // of a call, and of its result
}

export interface Counter {
  readonly id: 'estimate' | 'chars4'
  weigh(text: string): number
}

/** What the product adds around each block. */
const ENVELOPE_TOKENS = 4

export const COUNTERS: Readonly<Record<Counter['id'], Counter>> = {
  estimate: { id: 'estimate', weigh: (text) => estimateTokens(text) + ENVELOPE_TOKENS },
  chars4: { id: 'chars4', weigh: charsOverFour },
}

export function piecesOf(messages: readonly Message[], counter: Counter): Piece[] {
  return messages.flatMap((message, index) =>
    message.parts.flatMap((part): Piece[] => {
      const told = tellPart(part, message.role)
      if (!told) return []
      const { weighed, ...piece } = told
      return [{ ...piece, tokens: counter.weigh(weighed), message: index }]
    }),
  )
}

export function tokensIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0)
}

interface Told extends Pick<Piece, 'kind' | 'text' | 'callId'> {
  /** As it is sent: the arguments of a call as JSON. */
  readonly weighed: string
}

function tellPart(part: MessagePart, role: Message['role']): Told | undefined {
  const kind = role === 'user' ? 'user' : 'answer'
  switch (part.type) {
    case 'text':
      return { kind, text: plain(part.text), weighed: part.text }
    case 'system_reminder':
      return { kind, text: plain(part.text), weighed: part.text }
    case 'tool_call':
      return { kind: 'call', callId: part.id, ...tellCall(part.name, part.arguments) }
    case 'tool_result': {
      const text = part.content.map((block) => block.text ?? '').join('\n')
      return { kind: 'result', callId: part.id, text: plain(text), weighed: text }
    }
    case 'native': {
      const text = JSON.stringify(part.value)
      return { kind, text: plain(text), weighed: text }
    }
    default:
      return undefined // thinking and media were taken out with the session's reading
  }
}

function tellCall(name: string, given: Json): Pick<Told, 'text' | 'weighed'> {
  const lines = leavesOf(given).map(([key, value]) =>
    plain(key === '' ? value : `${key}: ${value}`),
  )
  return { text: [name, ...lines].join('\n'), weighed: `${name} ${JSON.stringify(given)}` }
}

/** The scalars in the arguments of a call, each with the name it stands under. */
export function leavesOf(given: Json, key = ''): (readonly [key: string, value: string])[] {
  if (given === null) return []
  if (Array.isArray(given)) return given.flatMap((item: Json) => leavesOf(item, key))
  if (typeof given === 'object')
    return Object.entries(given).flatMap(([name, value]) => leavesOf(value, name))
  return [[key, String(given)]]
}

const ESCAPED = /\\(["\\/nrt])/g
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' }

/** A text that shows JSON reads as what the JSON says: how a policy writes a call does not matter. */
export function plain(text: string): string {
  return text.includes('\\')
    ? text.replace(ESCAPED, (_, sign: string) => ESCAPES[sign] ?? sign)
    : text
}

/** The newest pieces that fit, the oldest of them cut to what room there is. */
export function newestWithin(
  pieces: readonly Piece[],
  budgetTokens: number,
  counter: Counter,
): Piece[] {
  const kept: Piece[] = []
  let room = budgetTokens
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    const piece = pieces[at] as Piece
    if (piece.tokens > room) {
      const rest = tailOf(piece, room, counter)
      if (rest) kept.push(rest)
      break
    }
    kept.push(piece)
    room -= piece.tokens
  }
  return kept.reverse()
}

/** Less room than this holds nothing worth cutting for. */
const LEAST_ROOM_TOKENS = 8

function tailOf(piece: Piece, room: number, counter: Counter): Piece | undefined {
  if (room < LEAST_ROOM_TOKENS) return undefined
  let [low, high] = [0, piece.text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (counter.weigh(cutTail(piece.text, middle)) <= room) low = middle
    else high = middle - 1
  }
  const text = cutTail(piece.text, low)
  return text === '' ? undefined : { ...piece, text, tokens: counter.weigh(text) }
}
