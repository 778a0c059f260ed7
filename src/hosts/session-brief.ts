// A brief of what a host compacts, made by `extract` from the log without a model
import { findConstraints } from '../core/constraints/find-constraints.ts'
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Built } from '../core/view/build.ts'
import type { MessagePart } from '../core/view/message.ts'
import { typedTexts } from '../core/view/typed-text.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { createThreads, type Threads } from '../doors/threads.ts'
import { importSession } from '../formats/reading/import-session.ts'
import { textSource } from '../formats/reading/sample.ts'
import type { SessionFormat, Step } from '../formats/session-format.ts'
import { OPENING } from '../strategies/extract/earlier-brief.ts'
import { asData, quotedBehind } from '../strategies/summary/as-data.ts'

export interface BriefWish {
  readonly format: SessionFormat
  /** The whole session, as a file of this format: refs then mean the same as in `precis show`. */
  readonly text: string
  /** The entry from which on the host keeps everything; absent: it keeps nothing. */
  readonly until?: string | undefined
  readonly budgetTokens: number
  readonly pins?: readonly string[]
  /** What the user asked of the compactions of this session. */
  readonly instructions?: readonly string[]
  /** How the model reads a ref in this host. */
  readonly recall: string
}

/** It begins as every brief does, so that the next one is made from the log and not from this text. */
export async function sessionBrief(wish: BriefWish): Promise<string> {
  const { format, until, budgetTokens, pins = [], instructions = [] } = wish
  const threads = createThreads()
  const reader = {
    ...format,
    read: (...given: Parameters<typeof format.read>) => before(until, format.read(...given)),
  }
  const { threadId } = await importSession(threads, reader, textSource(wish.text))
  await shrink(threads, threadId, budgetTokens, instructions)
  const { opened, rest } = split(await threads.messages(threadId))
  const said = [opened, ...rest].join('\n')
  const rules = constraintsIn(await threads.getAllEvents(threadId)).filter(
    (rule) => !said.includes(rule),
  )
  return [
    opened,
    wish.recall,
    ...section('Constraints of the user that still hold', [...pins, ...rules].map(asData)),
    ...section('What the user asked of this compaction', instructions.map(asData)),
    ...section('The last messages before what follows', rest),
  ].join('\n')
}

/** What the host keeps is no part of the brief; where that begins must be known. */
async function* before(
  until: string | undefined,
  steps: AsyncIterable<Step>,
): AsyncGenerator<Step> {
  for await (const step of steps) {
    if (step.type !== 'drafts' || until === undefined) yield step
    else {
      const at = step.drafts.findIndex(({ names }) => names?.includes(until))
      if (at !== 0) yield at < 0 ? step : { ...step, drafts: step.drafts.slice(0, at) }
      if (at >= 0) return
    }
  }
  if (until !== undefined)
    throw new PrecisError('invalid-input', `the session has no entry ${until} to keep from`)
}

/** A conversation that fits stays as it is. */
async function shrink(
  threads: Threads,
  threadId: string,
  budget: number,
  instructions: readonly string[],
): Promise<void> {
  const { tokens } = await threads.context(threadId)
  if (tokens <= budget) return
  const asked = { budget, instructions: instructions.join('\n') }
  const outcome = await threads.compact(threadId, 'extract', asked)
  if (!outcome.committed) throw new PrecisError('invalid-input', outcome.refusal.message)
}

/** The brief, and what stands behind it as one line or more for each part. */
function split({ messages }: Built): { readonly opened: string; readonly rest: string[] } {
  let opened = OPENING
  const rest = messages.flatMap(({ role, parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'text' && part.text.startsWith(OPENING)) {
        opened = part.text
        return []
      }
      return lineOf(role, part)
    }),
  )
  return { opened, rest }
}

/** A result that is shown in part begins with it. */
const OWN_REF = /^\[ref:[ec][\d.@]+\]/

function lineOf(role: 'user' | 'assistant', part: MessagePart): string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [quotedBehind(`${role}:`, asData(part.text))]
    case 'tool_call':
      return [
        quotedBehind(`assistant called ${part.name}:`, asData(JSON.stringify(part.arguments))),
      ]
    case 'tool_result': {
      const text = part.content.map((block) => block.text ?? `[${block.type}]`).join('\n')
      const status = part.status === 'completed' ? '' : ` (${part.status})`
      const [own = ''] = OWN_REF.exec(text) ?? []
      return [quotedBehind(`result${status}:`, `${own}${asData(text.slice(own.length))}`)]
    }
    default:
      return []
  }
}

/** What still holds of them must not take the room of everything else. */
const CONSTRAINT_TOKENS = 2_000

/** The newest, each once, in their order. */
function constraintsIn(events: readonly ThreadEvent[]): string[] {
  const found = new Set<string>()
  for (const event of events)
    if (event.type === 'USER_MESSAGE')
      for (const text of typedTexts(event).flatMap(findConstraints)) {
        found.delete(text)
        found.add(text)
      }
  let room = CONSTRAINT_TOKENS
  const fitting = [...found].reverse().filter((text) => {
    room -= estimateTokens(text)
    return room >= 0
  })
  return fitting.reverse()
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}
