// What the tests of the agent are told with: a past of any length, the runs in it, and doors to stop at.
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Put } from '../../src/core/edit/change.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import type { Asked, ScriptedAnswer, ScriptFunction } from '../../src/dev-model/index.ts'
import { EIGHT_HEADINGS } from '../../src/strategies/summary/summarizer-prompt.ts'
import { answer, result, user } from '../say.ts'
import { within } from '../wait.ts'

/** A text of about so many tokens, in lines. */
export function textOf(tokens: number, line = 'a line of output that says nothing much\n'): string {
  return line.repeat(Math.ceil((tokens * 100) / estimateTokens(line.repeat(100))))
}

/** About so many tokens, nearly all of them in one tool result, which no summary keeps. */
export function longPast(tokens: number, name = 'past'): EventDraft[] {
  return [
    user(`Look at ${name}.`),
    ...answer('Looking.', name),
    result(name, textOf(tokens)),
    ...answer('I have seen it.'),
  ]
}

export type Run = Extract<AgentFrame, { type: 'COMPACTION_COMPLETE' }>

/** The ends of all runs, in order; throws unless each has exactly one start before it. */
export function runsIn(frames: readonly AgentFrame[]): Run[] {
  const open = new Set<string>()
  const seen = new Set<string>()
  const ends: Run[] = []
  for (const frame of frames) {
    if (frame.type === 'COMPACTION_START') {
      if (seen.has(frame.runId)) throw new Error(`${frame.runId} started twice`)
      seen.add(frame.runId)
      open.add(frame.runId)
    } else if (frame.type === 'COMPACTION_COMPLETE') {
      if (!open.delete(frame.runId)) throw new Error(`${frame.runId} ended without a start`)
      ends.push(frame)
    }
  }
  if (open.size > 0) throw new Error(`${[...open].join(', ')} never ended`)
  return ends
}

/** Replaces the older half of a thread: however often it runs, it finds something to do. */
export const HALVING: Strategy = {
  id: 'halving',
  async propose({ context, eventAt }) {
    const items = context.items.toArray()
    const older = items.slice(0, Math.floor(items.length / 2))
    const put: Put = { type: 'USER_MESSAGE', data: 'Before that, other things.', label: 'summary' }
    return { edits: [{ covers: runsOf(older, eventAt), put: [put] }] }
  },
}

/** A door that is shut until it is opened; whoever waits before it can be waited for. */
export class Door {
  readonly #opened = Promise.withResolvers<void>()
  readonly #reached = Promise.withResolvers<void>()

  /** Resolves when somebody stands before the door. */
  get reached(): Promise<void> {
    return within('somebody before the door', this.#reached.promise)
  }

  pass(): Promise<void> {
    this.#reached.resolve()
    return this.#opened.promise
  }

  open(): void {
    this.#opened.resolve()
  }
}

/** In the conversation or apart from it: a summary is asked for in the last words. */
export function asksForSummary({ turns, tools }: Asked): boolean {
  if (tools.length === 0) return true
  const said = turns.at(-1)?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return said?.some((text) => text.includes('Working state:')) ?? false
}

/** A summary with every section that one may be asked for. */
export const IN_SHORT = EIGHT_HEADINGS.map(
  (heading) => `## ${heading}\nIn short, what was said before.`,
).join('\n')

/** This answer, once the door is open. */
export function answerBehind(door: Door, answer: ScriptedAnswer): ScriptFunction {
  return () => door.pass().then(() => answer)
}

/** Answers at once, but a summary only when the door is open. */
export function summaryBehind(door: Door): ScriptFunction {
  return async (asked) => {
    if (!asksForSummary(asked)) return { text: 'Yes.' }
    await door.pass()
    return { text: IN_SHORT }
  }
}
