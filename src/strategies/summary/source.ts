// Everything that a summary of a context may speak of, as one text to look names up in.
import type { EventAt } from '../../core/log/event.ts'
import { partInWords } from '../../core/repair/as-text.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { Context } from '../../core/view/context.ts'

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
