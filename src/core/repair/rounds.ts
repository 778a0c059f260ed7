// Alternating roles and complete rounds: each call answered once, right after it.

import { outranks } from '../view/entry-content.ts'
import type { ToolCallPart, ToolResultPart } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'
import { resultInParts } from './result-content.ts'
import { type Changes, type PlacedPart, type Turn, withParts } from './turn.ts'

const NO_RESULT = 'The call was interrupted and has no result.'

type PlacedCall = PlacedPart & { readonly part: ToolCallPart }
type PlacedResult = PlacedPart & { readonly part: ToolResultPart }

/** Consecutive answers and the user messages after them, within which calls and results match. */
interface Stretch {
  readonly answers: readonly Turn[]
  readonly users: readonly Turn[]
}

export function mendRounds(
  turns: readonly Turn[],
  profile: RepairProfile,
  changes: Changes,
): Turn[] {
  const apart = turns.flatMap((turn) => resultsMovedOut(turn, changes))
  const whole = findStretches(withoutEmpty(apart, changes)).flatMap((stretch) =>
    mendStretch(stretch, profile, changes),
  )
  return profile.repeatedRoles ? whole : joined(whole, changes)
}

/** Results inside an answer move to a user message after it. */
function resultsMovedOut(turn: Turn, changes: Changes): Turn[] {
  const results = turn.role === 'assistant' ? turn.parts.filter(isResult) : []
  if (results.length === 0) return [turn]
  for (const { at } of results)
    changes.add('misplaced-part', at, 'a result in an answer; it was moved behind it')
  const others = turn.parts.filter((placed) => !isResult(placed))
  const behind = resultTurn(turn, results)
  return others.length === 0 ? [behind] : [withParts(turn, others), behind]
}

function withoutEmpty(turns: readonly Turn[], changes: Changes): Turn[] {
  return turns.filter((turn) => {
    if (turn.parts.length > 0) return true
    changes.add('empty-message', turn.at, 'a message with nothing in it; it was left out')
    return false
  })
}

function findStretches(turns: readonly Turn[]): Stretch[] {
  const stretches: { answers: Turn[]; users: Turn[] }[] = []
  for (const turn of turns) {
    let last = stretches.at(-1)
    if (last === undefined || (turn.role === 'assistant' && last.users.length > 0)) {
      last = { answers: [], users: [] }
      stretches.push(last)
    }
    if (turn.role === 'assistant') last.answers.push(turn)
    else last.users.push(turn)
  }
  return stretches
}

function mendStretch(
  { answers, users }: Stretch,
  profile: RepairProfile,
  changes: Changes,
): Turn[] {
  const pairs = findPairs({ answers, users })
  const kept = users.map((turn) => withoutStrays(turn, pairs, changes))
  const last = answers.at(-1)
  const early = answers.slice(0, -1).flatMap((turn) => {
    const results = findCalls(turn).map((call) => {
      const result = pairs.get(call)
      if (result === undefined) return aborted(call, changes)
      changes.add('result-order', result.at, 'an answer stood before it; it was moved to its call')
      return result
    })
    return results.length === 0 ? [turn] : [turn, resultTurn(turn, results)]
  })
  const behind = closeRound(last, kept, pairs, profile, changes)
  const turns = [...early, ...(last ? [last] : []), ...behind]
  // A completely removed message leaves its mark on the last remaining one.
  const isLess = kept.some(({ parts, isRewritten }) => parts.length === 0 && isRewritten)
  return isLess ? turns.with(-1, { ...(turns.at(-1) as Turn), isRewritten: true }) : turns
}

/** The result of each call. Repeated ids match by order. */
function findPairs({ answers, users }: Stretch): Map<PlacedPart, PlacedResult> {
  const results = Map.groupBy(
    users.flatMap(({ parts }) => parts.filter(isResult)),
    ({ part }) => part.id,
  )
  const calls = Map.groupBy(answers.flatMap(findCalls), ({ part }) => part.id)
  const pairs = new Map<PlacedPart, PlacedResult>()
  for (const [id, callers] of calls) {
    const found = results.get(id) ?? []
    const [only] = callers
    if (callers.length === 1 && only && found[0]) pairs.set(only, mostTelling(found))
    else
      for (const [index, call] of callers.entries()) {
        const result = found[index]
        if (result) pairs.set(call, result)
      }
  }
  return pairs
}

function mostTelling(found: readonly PlacedResult[]): PlacedResult {
  return found.reduce((one, next) => (outranks(next.part.status, one.part.status) ? next : one))
}

/** Results without a call become text; a repetition is dropped. */
function withoutStrays(
  turn: Turn,
  pairs: ReadonlyMap<PlacedPart, PlacedResult>,
  changes: Changes,
): Turn {
  const used = new Set<PlacedPart>(pairs.values())
  const usedById = new Map([...pairs.values()].map((placed) => [placed.part.id, placed.part]))
  return withParts(
    turn,
    turn.parts.flatMap((placed): readonly PlacedPart[] => {
      if (!isResult(placed) || used.has(placed)) return [placed]
      const { id } = placed.part
      const twin = usedById.get(id)
      const isRepetition = twin && JSON.stringify(twin) === JSON.stringify(placed.part)
      if (twin)
        changes.add(
          'duplicate-result',
          placed.at,
          `${id} is answered more than once; ${isRepetition ? 'this says the same and was left out' : 'this became text'}`,
        )
      else changes.add('orphan-result', placed.at, `no call ${id} right before it; it became text`)
      if (isRepetition) return []
      const whose = `the call ${id}, ${twin ? 'which has another' : 'which is not there'}`
      return resultInParts(placed.part, whose).map((part) => ({ part, at: placed.at }))
    }),
  )
}

/** The user messages after an answer, starting with its results. */
function closeRound(
  answer: Turn | undefined,
  users: readonly Turn[],
  pairs: ReadonlyMap<PlacedPart, PlacedResult>,
  { repeatedRoles = false }: RepairProfile,
  changes: Changes,
): Turn[] {
  const calls = answer === undefined ? [] : findCalls(answer)
  const own = new Set(calls.map((call) => pairs.get(call)))
  // Those of earlier answers were placed after these.
  const early = new Set([...pairs.values()].filter((result) => !own.has(result)))
  const rest = users
    .map((turn) =>
      withParts(
        turn,
        turn.parts.filter((placed) => !early.has(placed as PlacedResult)),
      ),
    )
    .filter(({ parts }) => parts.length > 0)
  const missing = calls.filter((call) => !pairs.has(call))
  if (missing.length === 0 && isInPlace(rest, repeatedRoles)) return rest
  const [turn = { role: 'user', at: answer?.at ?? '', parts: [], isRewritten: true }] = joined(
    rest,
    changes,
  )
  return [withResultsFirst(turn, missing, changes)]
}

/** One message, or several if the provider allows, with results only at the front of the first. */
function isInPlace(users: readonly Turn[], repeatedRoles: boolean): boolean {
  if (users.length > 1 && !repeatedRoles) return false
  const parts = users.flatMap((turn) => turn.parts)
  const count = parts.filter(isResult).length
  return parts.slice(0, count).every(isResult) && (users[0]?.parts.length ?? 0) >= count
}

function withResultsFirst(turn: Turn, missing: readonly PlacedCall[], changes: Changes): Turn {
  const results = turn.parts.filter(isResult)
  if (!turn.parts.slice(0, results.length).every(isResult))
    changes.add(
      'result-order',
      turn.at,
      'results stood behind other content; they were moved first',
    )
  return withParts(turn, [
    ...results,
    ...missing.map((call) => aborted(call, changes)),
    ...turn.parts.filter((placed) => !isResult(placed)),
  ])
}

function resultTurn(answer: Turn, parts: readonly PlacedPart[]): Turn {
  return { role: 'user', at: answer.at, parts, isRewritten: true }
}

function aborted({ part, at }: PlacedCall, changes: Changes): PlacedPart {
  changes.add('aborted-call', at, `the call ${part.id} has no result; it is answered as aborted`)
  const content = [{ type: 'text' as const, text: NO_RESULT }]
  return { part: { type: 'tool_result', id: part.id, content, status: 'aborted' }, at }
}

/** Merges consecutive turns of one role, as providers read them. */
function joined(turns: readonly Turn[], changes: Changes): Turn[] {
  const result: { turn: Turn; parts: PlacedPart[] }[] = []
  for (const turn of turns) {
    const last = result.at(-1)
    if (last?.turn.role !== turn.role) {
      result.push({ turn, parts: [...turn.parts] })
      continue
    }
    changes.add('consecutive-roles', turn.at, `two messages of the ${turn.role} in a row; now one`)
    for (const part of turn.parts) last.parts.push(part)
    if (turn.isRewritten) last.turn = { ...last.turn, isRewritten: true }
  }
  return result.map(({ turn, parts }) => withParts(turn, parts, false))
}

function findCalls({ role, parts }: Turn): PlacedCall[] {
  return role === 'assistant' ? parts.filter(isCall) : []
}

function isCall(placed: PlacedPart): placed is PlacedCall {
  return placed.part.type === 'tool_call'
}

function isResult(placed: PlacedPart): placed is PlacedResult {
  return placed.part.type === 'tool_result'
}
