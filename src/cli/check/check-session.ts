// Session files in `precis check`: convert to a history and check that
import { compose } from '../../compose.ts'
import type { Json } from '../../core/text/json.ts'
import { parseJsonText } from '../../formats/reading/json-text.ts'
import { sampleOf, textSource } from '../../formats/reading/sample.ts'
import { valueStore } from '../../stores/memory/memory.ts'
import type { Io } from '../process-io.ts'
import { writtenFormat } from '../session/formats.ts'
import { readSession } from '../session/read-session.ts'
import { writeSession } from '../session/write-session.ts'
import { loadSettings } from '../settings/settings.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { type Checked, checkDocument } from './check-document.ts'
import { documentAs, isWireFormat } from './check-format.ts'
import { HISTORY_FORMAT, targetOf } from './check-wires.ts'

export interface CheckedSession extends Checked {
  readonly format: string
}

/** Cline writes Anthropic messages with extra fields: they are checked as a document. */
const JUDGED_AS_THEY_STAND = ['cline']

/** Undefined if the text is not a session file; it may still be a request or a history. */
export async function checkSession(
  text: string,
  given: string,
  { provider, asked }: { readonly provider: string; readonly asked?: string | undefined },
  io: Io,
): Promise<CheckedSession | undefined> {
  if (text.trim() === '') return undefined
  const { settings } = loadSettings(io)
  const composed = compose({ store: valueStore(), settings, environment: io.environment })
  const progress = new ProgressLine(io.stderr)
  try {
    const sample = await sampleOf(textSource(text))
    const format = composed.formats.find(({ id, detect }) =>
      asked === undefined ? detect(sample) : id === asked,
    )
    if (!format || isWireFormat(format.id) || JUDGED_AS_THEY_STAND.includes(format.id))
      return undefined
    const named = format.id
    const read = await readSession(composed, textSource(text), given, { named, progress })
    const { threadId, subThreadIds, notes } = read
    const to = writtenFormat(HISTORY_FORMAT, undefined, composed)
    const written = await writeSession(
      { composed, threadId, subThreadIds },
      { threadId, to, secrets: 'leave' },
      io,
    )
    const history = parseJsonText(written.text)
    return { format: named, ...judged(history, provider, [...notes.problems, ...written.problems]) }
  } finally {
    progress.end()
    await composed.close()
  }
}

/** A session file has no rules of its own: only the request that a provider would get is checked. */
function judged(history: Json, provider: string, problems: readonly string[]): Checked {
  const target = targetOf(provider, HISTORY_FORMAT)
  const { violations, sent } = checkDocument(
    documentAs(HISTORY_FORMAT, history),
    HISTORY_FORMAT,
    target,
  )
  return {
    violations: [],
    sent: {
      violations: [...violations, ...(sent?.violations ?? [])],
      remarks: [...new Set([...problems, ...(sent?.remarks ?? [])])],
    },
  }
}
