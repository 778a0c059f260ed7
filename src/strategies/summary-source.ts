// Everything that a summary of a context may speak of, as one text to look names up in.
import { buildMessages } from '../core/build.ts'
import type { Context } from '../core/context.ts'
import type { EventAt } from '../core/event.ts'
import { partInWords } from '../core/repair/as-text.ts'

/** `asides` are what the user says besides: what to look at, or what comes next. */
export function sourceOf(
  context: Context,
  eventAt: EventAt,
  ...asides: readonly (string | undefined)[]
): string {
  const { system, messages } = buildMessages(context, eventAt)
  return [...system, ...messages.flatMap(({ parts }) => parts.map(partInWords)), ...asides].join(
    '\n',
  )
}
