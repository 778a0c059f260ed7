// The fields around the messages of a session OpenCode did not record.
import { typedTexts } from '../../core/view/typed-text.ts'
import type { Fields } from '../reading/raw.ts'
import { chooseWorkplace } from '../reading/workplace.ts'
import type { Outgoing, WriteOptions } from '../session-format.ts'
import { sessionId } from './ids.ts'

/** The version whose format is written. */
const VERSION = '1.18.33'

/** What OpenCode requires of a session it did not record. */
export function sessionInfo(outgoing: Outgoing, options: WriteOptions): Fields {
  const id = sessionId(options)
  const now = options.now.getTime()
  return {
    id,
    slug: `precis-${id.slice(-8).toLowerCase()}`,
    version: VERSION,
    projectID: 'global',
    directory: chooseWorkplace(outgoing, options),
    title: readTitle(outgoing),
    time: { created: now, updated: now },
  }
}

const TITLE_CHARS = 80

/** The first thing a person typed, which says more than the file name. */
function readTitle({ events = [], title }: Outgoing): string {
  for (const event of events) {
    const [text] = event.type === 'USER_MESSAGE' ? typedTexts(event) : []
    const line = text?.trim().split('\n', 1)[0]?.slice(0, TITLE_CHARS).trim()
    if (line) return line.toWellFormed()
  }
  return title ?? 'Imported session'
}
