// A brief of what a host compacts, by `extract` from the log, without a model.
import { findConstraints } from '../core/constraints/find-constraints.ts'
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Built } from '../core/view/build.ts'
import type { MessagePart } from '../core/view/message.ts'
import { bindingTexts } from '../core/view/typed-text.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { createThreads, type Threads } from '../doors/threads.ts'
import { importSession } from '../formats/reading/import-session.ts'
import { textSource } from '../formats/reading/sample.ts'
import type { SessionFormat, Step } from '../formats/session-format.ts'
import { OPENING } from '../strategies/extract/earlier-brief.ts'
import { asData, quotedBehind } from '../strategies/summary/as-data.ts'

export interface BriefWish {
  readonly format: SessionFormat
  /** The whole session as a file of this format, so that refs mean the same as in `precis show`. */
  readonly text: string
  /** The host keeps everything from this entry on; absent: nothing. */
  readonly until?: string | undefined
  readonly budgetTokens: number
  readonly pins?: readonly string[]
  /** The user's instructions for this session's compactions. */
  readonly instructions?: readonly string[]
  /** How the model reads a ref in this host. */
  readonly recall: string
}

/** Starts like every brief, so that the next one is made from the log, not from this text. */
export async function sessionBrief(wish: BriefWish): Promise<string> {
  const { format, until, budgetTokens, pins = [] } = wish
  const threads = createThreads()
  const reader = {
    ...format,
    read: (...given: Parameters<typeof format.read>) => before(until, format.read(...given)),
  }
  const { threadId } = await importSession(threads, reader, textSource(wish.text))
  const left = Math.max(0, budgetTokens - countTokens(pins))
  const instructions = newestInstructions(wish.instructions ?? [], left * INSTRUCTIONS_SHARE)
  const constraints = newestConstraints(
    await threads.getAllEvents(threadId),
    Math.min(CONSTRAINT_TOKENS, left * CONSTRAINTS_SHARE),
  )
  const compose = ({ opened, rest }: Shrunk, most = CONSTRAINT_TOKENS): string => {
    const said = [opened, ...rest].join('\n')
    const unsaid = constraints.filter((rule) => !said.includes(rule))
    const rules = newest(unsaid, most)
    return [
      opened,
      wish.recall,
      ...section(
        'Constraints of the user that still hold',
        [...pins.map((text) => `${text} (pinned)`), ...rules].map(asData),
      ),
      ...section('What the user asked of this compaction', instructions.map(asData)),
      ...section('The last messages before what follows', rest),
    ].join('\n')
  }
  let room = Math.max(LEAST_TOKENS, left - countTokens([wish.recall, ...instructions]))
  for (let tries = MOST_TRIES; ; tries -= 1) {
    const parts = await shrunk(threads, threadId, room, instructions)
    const text = compose(parts)
    const over = estimateTokens(text) - budgetTokens
    if (over <= 0) return text
    if (tries === 1 || room === LEAST_TOKENS)
      return compose(parts, budgetTokens - estimateTokens(compose(parts, 0)) - HEADING_TOKENS)
    // Only the extract shows which rules it omits; a smaller one may omit more.
    room = Math.max(LEAST_TOKENS, room - over - Math.ceil(budgetTokens * SPARE_SHARE))
  }
}

/** With less, hardly more than a heading would remain. */
const LEAST_TOKENS = 200
const SPARE_SHARE = 0.03
const MOST_TRIES = 4
const HEADING_TOKENS = 20

/** Share of what the pins leave. */
const INSTRUCTIONS_SHARE = 1 / 6
const CONSTRAINTS_SHARE = 1 / 3

/** What the host keeps is not in the brief, so its start must be known. */
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

interface Shrunk {
  readonly opened: string
  readonly rest: readonly string[]
}

/** A conversation that fits stays unchanged; the log can be used for another try. */
async function shrunk(
  threads: Threads,
  threadId: string,
  budget: number,
  instructions: readonly string[],
): Promise<Shrunk> {
  const { tokens } = await threads.context(threadId)
  if (tokens <= budget) return split(await threads.messages(threadId))
  const asked = { budget, instructions: instructions.join('\n') }
  const outcome = await threads.compact(threadId, 'extract', asked)
  if (!outcome.committed) throw new PrecisError('invalid-input', outcome.refusal.message)
  const shown = split(await threads.messages(threadId))
  await threads.undo(threadId)
  return shown
}

/** Splits off the brief; every other part becomes one line or more. */
function split({ messages }: Built): Shrunk {
  let opened = OPENING
  const rest = messages.flatMap(({ role, parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'text' && part.text.startsWith(OPENING)) {
        opened = part.text
        return []
      }
      return writeLine(role, part)
    }),
  )
  return { opened, rest }
}

/** A partly shown result starts with its ref. */
const OWN_REF = /^\[ref:[ec][\d.@]+\]/

function writeLine(role: 'user' | 'assistant', part: MessagePart): string[] {
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

/** Limit for constraints, so that other content has room. */
const CONSTRAINT_TOKENS = 2_000

/** The newest, each once, in order. */
function newestConstraints(events: readonly ThreadEvent[], most: number): string[] {
  const found = new Set<string>()
  for (const event of events)
    if (event.type === 'USER_MESSAGE')
      for (const text of bindingTexts(event).flatMap(findConstraints)) {
        found.delete(text)
        found.add(text)
      }
  return newest([...found], most)
}

/** The last one always, as far as there is room. */
function newestInstructions(all: readonly string[], most: number): string[] {
  const last = all.at(-1)
  if (last === undefined || countTokens([last]) <= most) return newest(all, most)
  const share = most / countTokens([last])
  return [`${cutHead(last, Math.floor(last.length * share))}…`]
}

/** Those that fit, in order. */
function newest(texts: readonly string[], most: number): string[] {
  let room = most
  const fitting = texts.toReversed().filter((text) => {
    const tokens = countTokens([text])
    if (tokens > room) return false
    room -= tokens
    return true
  })
  return fitting.reverse()
}

function countTokens(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + estimateTokens(text), 0)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}
