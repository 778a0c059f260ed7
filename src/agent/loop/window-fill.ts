// Tells the agent how full its window is: a reminder at 60 and 75 percent, and the size of each range.
import { PrecisError } from '../../core/errors.ts'
import type { Built } from '../../core/view/build.ts'
import type { Context } from '../../core/view/context.ts'
import { parseEntryId } from '../../core/view/entry.ts'
import { triggerTokens } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { readWindowStatus, type WindowStatus } from './window-status.ts'

/** Shares of the window, each announced once until the next compaction. */
const LEVELS = [0.75, 0.6] as const
const SAID = /^Your context window is (\d+) % full/

/**
 * The reminder to send with the next message, which weighs `moreTokens`. Undefined below the first level,
 * after it was given, and for agents without a tool to act on it.
 */
export async function fillReminder(turn: Turn, moreTokens = 0): Promise<string | undefined> {
  const seen = await tryWindowStatus(turn)
  const window = seen?.model.windowTokens
  if (!seen || !window || seen.preset.tool === 'none') return undefined
  const tokens = (seen.reading.tokens ?? 0) + moreTokens
  const level = LEVELS.find((each) => tokens / window >= each)
  if (level === undefined) return undefined
  const built = await turn.core.ports.threads.messages(turn.desk.threadId)
  if (saidShare(seen.state.context, built) >= level) return undefined
  return reminderText(seen, built, tokens, window)
}

/** Without a model there is no reminder; its absence is reported elsewhere. */
async function tryWindowStatus(turn: Turn): Promise<WindowStatus | undefined> {
  try {
    return await readWindowStatus(turn)
  } catch (error) {
    if (PrecisError.is(error)) return undefined
    throw error
  }
}

/** The last announced share since the last compaction; 0 if none. */
function saidShare(context: Context, built: Built): number {
  const since = Math.max(context.stack.at(-1) ?? 0, context.undone.at(-1) ?? 0)
  const items = context.items.toArray().filter(({ kind }) => kind === 'reminder')
  const texts = built.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'system_reminder' ? [part.text] : [])),
  )
  const shares = texts.map((text, at) => {
    const seq = parseEntryId(items[at]?.id ?? 'e0').seq
    return seq > since ? Number(SAID.exec(text)?.[1] ?? 0) / 100 : 0
  })
  return Math.max(0, ...shares)
}

function reminderText(
  { preset, policy, budget, state }: WindowStatus,
  built: Built,
  tokens: number,
  window: number,
): string {
  const trigger = policy.enabled ? triggerTokens(policy, budget) : undefined
  const share = Math.floor((tokens / window) * 100)
  const full = `Your context window is ${share} % full: about ${count(tokens)} of ${count(window)} tokens.`
  const soon =
    trigger === undefined
      ? 'Nothing is compacted unless you or the user do it.'
      : `From ${count(Math.ceil(trigger))} tokens on, older parts are compacted automatically, and you do not choose which.`
  const advice =
    preset.tool === 'ranges'
      ? 'When you have finished a step, call `compact` for ranges whose details you no longer need; the largest ones gain most.'
      : 'When you have finished a step and most of the details are no longer needed, call `compact` with a summary and a continuation.'
  const sizes = preset.tool === 'ranges' ? rangeLines(state.context, built) : []
  return [`${full} ${soon} ${advice}`, ...sizes, 'This is no request: go on with your task.'].join(
    '\n',
  )
}

/** A longer list would not be read. */
const MOST_ROWS = 16

/** The tokens between checkpoints as ranges for `compact`; small neighbours are merged. */
export function rangeLines({ items }: Context, built: Built): string[] {
  const ids = built.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'checkpoint' ? [part.id] : [])),
  )
  const all = items.toArray()
  // An unreadable one would shift the names of the others.
  if (all.filter(({ kind }) => kind === 'checkpoint').length !== ids.length) return []
  const least = all.reduce((sum, { tokens }) => sum + tokens, 0) / MOST_ROWS
  const lines: string[] = []
  let [from, at, tokens]: [string | undefined, number, number] = [undefined, 0, 0]
  for (const item of all) {
    tokens += item.tokens
    if (item.kind !== 'checkpoint') continue
    const to = ids[at] ?? ''
    at += 1
    if (tokens < least) continue
    lines.push(`- ${from === undefined ? `up to ${to}` : `from ${from} to ${to}`}: ${size(tokens)}`)
    from = to
    tokens = 0
  }
  if (tokens > 0)
    lines.push(`- ${from === undefined ? 'everything' : `after ${from}`}: ${size(tokens)}`)
  return ids.length === 0 ? [] : ['Sizes between checkpoints:', ...lines]
}

function size(tokens: number): string {
  return `about ${count(tokens)} tokens`
}

export function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US')
}
