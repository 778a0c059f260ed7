// Messages before they are written: users and tool results, merged where the wire requires it.
import type { Fields, Json } from '../core/text/json.ts'
import type { ToolStatus } from '../core/view/content.ts'
import type { WireIds, WireNames } from './names.ts'
import { type Accepts, type Piece, piecesOfResult, readTexts } from './pieces.ts'
import { type AnswerTurn, findCalls, type Note } from './rounds.ts'

export interface ResultText {
  readonly id: string // of the call, as in the log
  readonly name: string // of the tool, as on the wire
  readonly status: ToolStatus
  readonly text: string
}

interface ResultsInWords {
  readonly results: readonly ResultText[] // in the order of the calls
  /** Images and files of the whole round, each tool's with a note on its origin. */
  readonly shown: readonly Piece[]
}

export function resultsInWords(
  turn: AnswerTurn,
  names: WireNames,
  accepts: Accepts,
  note: Note,
): ResultsInWords {
  const nameOf = new Map(findCalls(turn).map(({ id, name }) => [id, names.of(name)]))
  const shown: Piece[] = []
  const results = turn.results.map((result): ResultText => {
    const name = nameOf.get(result.id) ?? ''
    const pieces = piecesOfResult(result, accepts, note)
    shown.push(...mediaPieces(pieces, name))
    return { id: result.id, name, status: result.status, text: resultText(pieces) }
  })
  return { results, shown }
}

/** A `tool` message for each result; its media follow in a user message. */
export function toolDrafts(
  { results, shown }: ResultsInWords,
  ids: WireIds,
  /** The fields by which this wire names the tool of a result. */
  nameFields: (name: string) => Fields,
): Draft[] {
  const drafts = results.map(({ id, name, text }) =>
    otherDraft({ role: 'tool', tool_call_id: ids.of(id), ...nameFields(name), content: text }),
  )
  return shown.length === 0 ? drafts : [...drafts, userDraft(shown)]
}

/** A tool's media with a note on their origin: no person sent them. */
function mediaPieces(pieces: readonly Piece[], toolName: string): Piece[] {
  const media = pieces.filter(({ type }) => type !== 'text')
  if (media.length === 0) return []
  return [{ type: 'text', text: `[shown by the result of ${toolName}]` }, ...media]
}

function resultText(pieces: readonly Piece[]): string {
  const texts = readTexts(pieces)
  const media = pieces.length - texts.length
  if (media > 0) texts.push(`[${media === 1 ? 'an image follows' : `${media} images follow`}]`)
  return texts.join('\n')
}

/** Unwritten messages: a user's stays in pieces until nothing more joins it. */
export type Draft =
  | { readonly kind: 'user'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'other'; readonly fields: Fields }

export function userDraft(pieces: readonly Piece[]): Draft {
  return { kind: 'user', pieces }
}

export function otherDraft(fields: Fields): Draft {
  return { kind: 'other', fields }
}

/** Merges consecutive user messages: that of a tool's images may precede a typed one. */
export function joinedUsers(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = []
  for (const draft of drafts) {
    const last = joined.at(-1)
    if (last?.kind === 'user' && draft.kind === 'user')
      joined.splice(-1, 1, userDraft([...last.pieces, ...draft.pieces]))
    else joined.push(draft)
  }
  return joined
}

/** Inserts an assistant message where a user message would follow a result. */
export function withAnswerBetween(drafts: readonly Draft[], answer: Fields): Draft[] {
  return drafts.flatMap((draft, index) => {
    const before = drafts[index - 1]
    const isBehindResult = before?.kind === 'other' && before.fields.role === 'tool'
    return draft.kind === 'user' && isBehindResult ? [otherDraft(answer), draft] : [draft]
  })
}

export function finished(
  drafts: readonly Draft[],
  userMessage: (pieces: readonly Piece[]) => Json,
): Json[] {
  return drafts.map((draft) => (draft.kind === 'user' ? userMessage(draft.pieces) : draft.fields))
}
