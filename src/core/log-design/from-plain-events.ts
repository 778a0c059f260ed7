// Turns plain events of the LOG design into a log: numbered, with calls tied to their answers.
import { PrecisError } from '../errors.ts'
import { readEvent } from '../log/codec.ts'
import { EVENT_VERSION, type EventType, type ThreadEvent } from '../log/event.ts'
import type { Answer } from '../view/content.ts'
import { INITIAL_POLICY_STATE, type PolicyState } from '../window/policy.ts'
import type { TriggerPolicy } from '../window/trigger.ts'

/** An event without the fields specific to our log. */
export interface PlainEvent {
  readonly id: string
  readonly threadId?: string
  readonly timestamp: Date
  readonly type: EventType
  readonly data: unknown
}

export interface Adopted {
  readonly events: ThreadEvent[]
  /** Ids of answers created for calls without one. */
  readonly invented: ReadonlySet<string>
}

/**
 * Skips COMPACTIONs: their effect is not in the list. Calls before the next message move to the previous
 * answer; calls without one get an empty answer.
 */
export function adoptEvents(plain: readonly PlainEvent[], threadId: string): Adopted {
  const invented = new Set<string>()
  const ordered = plain
    .filter((event) => event.type !== 'COMPACTION')
    .reduce<Round[]>((rounds, event) => {
      const last = rounds.at(-1)
      if (event.type === 'TOOL_CALL' && last && last.lead?.type === 'AGENT_MESSAGE')
        last.calls.push(event)
      else if (event.type === 'TOOL_CALL') {
        const lead = emptyAnswer(event)
        invented.add(lead.id)
        rounds.push({ lead, calls: [event], rest: [] })
      } else if (event.type === 'AGENT_MESSAGE') rounds.push({ lead: event, calls: [], rest: [] })
      else if (event.type === 'USER_MESSAGE' || !last)
        rounds.push({ lead: undefined, calls: [], rest: [event] })
      else last.rest.push(event)
      return rounds
    }, [])
  const events: ThreadEvent[] = []
  for (const round of ordered) {
    const { lead } = round
    const answer = lead ? events.length + 1 : 0
    if (lead)
      events.push(number(lead, withCalls(lead.data, round.calls), events.length + 1, threadId))
    for (const call of round.calls)
      events.push(number(call, { ...(call.data as object), answer }, events.length + 1, threadId))
    for (const event of round.rest)
      events.push(number(event, event.data, events.length + 1, threadId))
  }
  return { events, invented }
}

interface Round {
  readonly lead: PlainEvent | undefined
  readonly calls: PlainEvent[]
  readonly rest: PlainEvent[]
}

function emptyAnswer(call: PlainEvent): PlainEvent {
  return {
    id: `${call.id}.answer`,
    timestamp: call.timestamp,
    type: 'AGENT_MESSAGE',
    data: { content: '' },
  }
}

function withCalls(data: unknown, calls: readonly PlainEvent[]): Answer {
  const answer = typeof data === 'string' ? { content: data } : (data as Answer)
  return { ...answer, calls: calls.map((call) => String((call.data as { id?: unknown }).id)) }
}

function number(event: PlainEvent, data: unknown, seq: number, threadId: string): ThreadEvent {
  const read = readEvent({
    v: EVENT_VERSION,
    id: event.id,
    threadId,
    seq,
    timestamp: event.timestamp.toISOString(),
    type: event.type,
    data,
  })
  if (read.ok) return read.event
  throw new PrecisError('invalid-input', read.error.message, { where: event.id, cause: read.error })
}

/** Automatic compaction in the terms of the LOG design, as a trigger policy and its state. */
export interface AutoCompactConfig {
  readonly enabled: boolean
  readonly threshold: number // share of the budget that triggers
  readonly cooldownMs: number
  readonly lastCompactionTime: number // milliseconds; 0 is never
}

export const AUTO_COMPACT_CONFIG: AutoCompactConfig = {
  enabled: true,
  threshold: 0.8,
  cooldownMs: 60_000,
  lastCompactionTime: 0,
}

/** The design does not define a compaction's target or when to retry. */
export function autoCompactPolicy(config: AutoCompactConfig): TriggerPolicy {
  return {
    enabled: config.enabled,
    ratio: config.threshold,
    compare: 'strict',
    warnRatio: 0.7,
    targetRatio: 0.5,
    cooldownMs: config.cooldownMs,
    pauseAfter: 2,
  }
}

export function autoCompactState({ lastCompactionTime }: AutoCompactConfig): PolicyState {
  return lastCompactionTime > 0
    ? { ...INITIAL_POLICY_STATE, lastCompactionAtMs: lastCompactionTime }
    : INITIAL_POLICY_STATE
}
