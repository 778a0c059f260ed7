// The format of the file that a thread was imported from, from its kept records
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import type { SessionFormat } from '../../formats/session-format.ts'

/** Undefined if the thread did not come from a file, or was imported without its records. */
export function formatOfLog(
  events: readonly ThreadEvent[],
  formats: readonly SessionFormat[],
): SessionFormat | undefined {
  for (const event of events) {
    const id = formatIn(event.type === 'FOREIGN' ? event.data : event.source)
    const found = id === undefined ? undefined : formats.find((format) => format.id === id)
    if (found) return found
  }
  return undefined
}

function formatIn(kept: Json | undefined): string | undefined {
  if (typeof kept !== 'object' || kept === null || !('format' in kept)) return undefined
  return typeof kept.format === 'string' ? kept.format : undefined
}
