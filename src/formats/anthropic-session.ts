// The Anthropic Messages document as a session file, next to the others.
import { anthropic } from './anthropic.ts'
import { lossesIn } from './losses.ts'
import { withReadableThinking } from './outgoing.ts'
import { type Fields, fieldsIn, isFields } from './reading/fields.ts'
import { ROOT } from './reading/json-items.ts'
import type { ReadNotes } from './reading/notes.ts'
import {
  type Loss,
  MAIN,
  type Sample,
  type SessionFormat,
  type Source,
  type Step,
} from './session-format.ts'

const LOSSES: readonly Loss[] = [
  'foreign-thinking',
  'natives',
  'extras',
  'reminders',
  'checkpoints',
  'arguments',
  'call-ids',
  'merging',
  'failure-kinds',
  'thinking-authors',
  'workplace',
]

export const anthropicSession: SessionFormat = {
  id: anthropic.id,
  title: 'Anthropic Messages',
  losses: LOSSES,
  detect,
  read,
  write: (outgoing) => {
    const { view, events = [] } = withReadableThinking(outgoing)
    const first = events.find((event) => event.type === 'FOREIGN')
    const { format, envelope } = fieldsIn(first?.type === 'FOREIGN' ? first.data : undefined)
    const { text, problems } = anthropic.write(view, format === anthropic.id ? envelope : undefined)
    return { text, problems: [...new Set([...problems, ...lossesIn(outgoing, LOSSES)])] }
  },
}

function detect({ items }: Sample): boolean {
  const isMessage = (value: Fields) =>
    (value.role === 'user' || value.role === 'assistant') && 'content' in value
  return items.some(
    ({ list, value }) =>
      (list === 'messages' || list === ROOT) && isFields(value) && isMessage(value),
  )
}

/** Rules that bind neighbours are checked here, so the document is read whole. */
async function* read(source: Source, notes: ReadNotes): AsyncGenerator<Step> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const chunk of source.open()) {
    notes.read(chunk.length)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  }
  const { drafts, problems } = anthropic.read(text + decoder.decode())
  for (const problem of problems) notes.problem(problem)
  for (const { type } of drafts) if (type !== 'TOOL_CALL' && type !== 'FOREIGN') notes.modelled()
  yield { type: 'drafts', thread: MAIN, drafts: drafts.map((draft) => ({ draft })) }
}
