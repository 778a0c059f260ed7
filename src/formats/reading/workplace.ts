// A session's working directory from its records, and whether a sub-agent ran it.
import type { EventDraft } from '../../core/log/event.ts'
import { type Fields, fieldsIn, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { Outgoing, WriteOptions } from '../session-format.ts'
import { objectIn } from './raw.ts'

/** Every agent names it early or never. */
const LOOKED_AT = 1_000

/** The session's directory; otherwise the current one; empty if neither is known. */
export function chooseWorkplace({ events = [] }: Outgoing, { cwd = '' }: WriteOptions): string {
  return findWorkplace(events) ?? cwd
}

export function findWorkplace(
  events: Iterable<Pick<EventDraft, 'type' | 'data' | 'source'>>,
): string | undefined {
  let looked = 0
  for (const event of events) {
    const kept = event.type === 'FOREIGN' ? (event.data as Json) : event.source
    const { envelope, records } = fieldsIn(kept)
    const around = placeIn(fieldsIn(envelope))
    if (around !== undefined) return around
    if (looked >= LOOKED_AT) continue
    for (const record of listIn(records)) {
      looked += 1
      const place = placeIn(objectIn(textIn(fieldsIn(record).raw) ?? '') ?? {})
      if (place !== undefined) return place
    }
  }
  return undefined
}

/** Claude Code and pi name it in the record, Codex in the payload, OpenCode in the session's facts. */
function placeIn({ cwd, payload, info }: Fields): string | undefined {
  const { directory, path } = fieldsIn(info)
  const named = [cwd, fieldsIn(payload).cwd, directory, fieldsIn(path).cwd]
  return named.map(textIn).find((place) => place !== undefined && place !== '')
}

/** Codex gives each sub-agent a separate file and says so in its first record. */
export function isOfSubAgent(
  events: readonly Pick<EventDraft, 'type' | 'data' | 'source'>[],
): boolean {
  for (const event of events) {
    const kept = fieldsIn(event.type === 'FOREIGN' ? (event.data as Json) : event.source)
    if (kept.format !== 'codex') return false
    const first = listIn(kept.records).find((record) => fieldsIn(record).at === 1)
    if (first === undefined) continue
    return isSubAgentMeta(fieldsIn(objectIn(textIn(fieldsIn(first).raw) ?? '')?.payload))
  }
  return false
}

export function isSubAgentMeta({ source }: Fields): boolean {
  return fieldsIn(source).subagent !== undefined
}
