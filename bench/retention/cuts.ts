// Where a session is cut: what came before is compacted, what came after tells what was needed of it.
import { futureOf, type Needs, needsOf } from './needs.ts'
import { type Counter, type Piece, piecesOf, tokensIn } from './pieces.ts'
import type { Log, Session } from './session.ts'

export interface Cut {
  readonly at: string // `50%`, or `recorded` where the agent compacted there itself
  readonly session: Session
  readonly log: Log
  /** The last event of what came before. */
  readonly seq: number
  readonly pieces: readonly Piece[]
  readonly tokens: number
  readonly needs: Needs
  /** What the agent's own compaction left. */
  readonly recorded?: readonly Piece[]
}

export interface CutSettings {
  readonly futureTurns: number
  /** A shorter prefix is nothing that anybody compacts. */
  readonly minTokens: number
  /** Of identifiers and of pairs: a share of fewer says little. */
  readonly minNeeds: number
}

const SHARES = [0.5, 0.65, 0.8] as const

/** The cuts of which something was needed later. */
export async function cutsOf(
  session: Session,
  settings: CutSettings,
  counter: Counter,
): Promise<Cut[]> {
  const places = [...sharedPlaces(session), ...recordedPlaces(session)]
  const cuts: Cut[] = []
  for (const place of places) {
    const cut = await cutAt(session, place, settings, counter)
    if (cut) cuts.push(cut)
  }
  return cuts
}

interface Place {
  readonly at: string
  readonly log: Log
  readonly seq: number
  /** The one that the agent made there. What only its provider can read cannot be judged. */
  readonly compaction?: { readonly seq: number; readonly isReadable: boolean }
}

/** By the number of answers: before the one that stands there. */
function sharedPlaces({ whole }: Session): Place[] {
  const answers = whole.events.filter(({ type }) => type === 'AGENT_MESSAGE')
  const places = SHARES.flatMap((share): Place[] => {
    const next = answers[Math.round(answers.length * share)]
    return next ? [{ at: `${Math.round(share * 100)}%`, log: whole, seq: next.seq - 1 }] : []
  })
  return places.filter(({ seq }, index) => places.findIndex((other) => other.seq === seq) === index)
}

function recordedPlaces({ compacted }: Session): Place[] {
  return compacted.events.flatMap((event): Place[] => {
    if (event.type !== 'COMPACTION') return []
    const put = event.data.edits.flatMap((edit) => edit.put)
    const isReadable = !put.some((entry) => 'native' in entry)
    const compaction = { seq: event.seq, isReadable }
    return [{ at: 'recorded', log: compacted, seq: event.seq - 1, compaction }]
  })
}

async function cutAt(
  session: Session,
  place: Place,
  { futureTurns, minTokens, minNeeds }: CutSettings,
  counter: Counter,
): Promise<Cut | undefined> {
  const { log, at, seq, compaction } = place
  const future = futureOf(log.events.slice(seq), futureTurns)
  const { system, messages } = await messagesAt(session, log, seq)
  const pieces = piecesOf(messages, counter)
  const tokens = tokensIn(pieces)
  if (tokens < minTokens) return undefined
  const needs = needsOf(
    pieces.map(({ text }) => text),
    future,
    system,
  )
  if (needs.terms.size < minNeeds || needs.pairs.size < minNeeds) return undefined
  const recorded = compaction?.isReadable && {
    recorded: piecesOf((await messagesAt(session, log, compaction.seq)).messages, counter),
  }
  return { at, session, log, seq, pieces, tokens, needs, ...recorded }
}

async function messagesAt({ threads }: Session, { threadId }: Log, seq: number) {
  const fork = await threads.fork(threadId, seq)
  const built = await threads.messages(fork)
  await threads.delete(fork)
  return built
}
