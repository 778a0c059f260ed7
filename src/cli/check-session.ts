// A session file for `precis check`: what would be sent of it, as a history whose rules are known.
import { compose } from '../compose.ts'
import type { Json } from '../core/json.ts'
import { parseJsonText } from '../formats/json-text.ts'
import { sampleOf, textSource } from '../formats/sample.ts'
import { valueStore } from '../stores/memory.ts'
import { type Checked, checkDocument } from './check-document.ts'
import { documentAs, isWireFormat } from './check-format.ts'
import { HISTORY_FORMAT, targetOf } from './check-wires.ts'
import type { Io } from './process-io.ts'
import { ProgressLine } from './progress.ts'
import { writtenFormat } from './session/formats.ts'
import { readSession } from './session/read-session.ts'
import { writeSession } from './session/write-session.ts'
import { loadSettings } from './settings.ts'

export interface CheckedSession extends Checked {
  readonly format: string
}

/** Cline writes messages of Anthropic's, with notes beside them: they are judged where they stand. */
const JUDGED_AS_THEY_STAND = ['cline']

/** Undefined where the text is no session of an agent, but may be a request or a history. */
export async function checkSession(
  text: string,
  given: string,
  provider: string,
  io: Io,
): Promise<CheckedSession | undefined> {
  if (text.trim() === '') return undefined
  const { settings } = loadSettings(io)
  const composed = compose({ store: valueStore(), settings, environment: io.environment })
  const progress = new ProgressLine(io.stderr)
  try {
    const sample = await sampleOf(textSource(text))
    const format = composed.formats.find((each) => each.detect(sample))
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

/** The file has no rules of its own here: all that counts is what a provider would get. */
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
