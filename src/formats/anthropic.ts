// The Anthropic Messages format: `{system?, messages, …}`, or the messages alone.
// Reading and writing returns the same document, except for equivalent notations: a lone text block becomes a
// string, an absent result content stays absent, `is_error: false` is dropped, consecutive messages of one
// role are merged, results come first in their message, and a last answer loses trailing blanks. Cache marks
// are dropped.
import type { EventDraft } from '../core/log/event.ts'
import { type Fields, isFields, type Json } from '../core/text/json.ts'
import { writtenBy } from '../core/view/typed-text.ts'
import { type Notes, unmarked } from '../wire/anthropic/blocks.ts'
import { readMessages, readSystem } from '../wire/anthropic/read.ts'
import { readList, wrongShape } from '../wire/anthropic/shape.ts'
import { wireMessages } from '../wire/anthropic/write.ts'
import { lossesIn, withReadableThinking } from './outgoing.ts'
import { ROOT } from './reading/json-items.ts'
import { parseJsonText, requireStorable } from './reading/json-text.ts'
import type { ReadNotes } from './reading/notes.ts'
import { fieldsIn } from './reading/raw.ts'
import {
  type Exported,
  type Loss,
  MAIN,
  type Sample,
  type SessionFormat,
  type Source,
  type Step,
  type View,
} from './session-format.ts'

export interface Imported {
  /**
   * TOOL_CALL drafts directly follow their AGENT_MESSAGE and say `answer: 0`; appending sets the number of
   * the answer.
   */
  readonly drafts: readonly EventDraft[]
  /** Broken rules and losses, each with its place. */
  readonly problems: readonly string[]
  /** What surrounds the messages (model, tools, …); `write` accepts it. */
  readonly envelope: Json
}

/**
 * `read` throws a located `invalid-input` for other shapes, and accepts broken rules. `write` never throws:
 * it omits what the format cannot express and reports it.
 */
export const anthropic = { id: 'anthropic', read, write } as const

function read(text: string): Imported {
  const document = parseJsonText(text)
  requireStorable(document)
  const notes: Notes = { problems: [], cacheMarks: 0 }
  const envelope = Array.isArray(document) ? [] : buildEnvelope(document, notes)
  const messages = Array.isArray(document) ? document : listMessages(document)
  const system = systemDrafts(envelope)
  const drafts: EventDraft[] = [
    { type: 'FOREIGN', data: { format: 'anthropic', envelope } },
    ...system,
    ...readMessages(messages, { hasSystem: system.length > 0, ...readModel(envelope) }, notes).map(
      withOrigin,
    ),
  ]
  if (notes.cacheMarks > 0) notes.problems.push(cacheProblem(notes.cacheMarks))
  return { drafts, problems: notes.problems, envelope }
}

/** The document only says that a message is the user's; its content tells who wrote it. */
function withOrigin(draft: EventDraft): EventDraft {
  return draft.type === 'USER_MESSAGE' ? { ...draft, origin: writtenBy(draft.data) } : draft
}

function readModel(envelope: Json): { model?: string } {
  return isFields(envelope) && typeof envelope.model === 'string' ? { model: envelope.model } : {}
}

function listMessages(document: Json): readonly Json[] {
  if (!isFields(document))
    throw wrongShape('', 'an object with `messages`, or an array of messages', document)
  return readList(document.messages, 'messages', 'an array of messages')
}

/** The document without its messages and cache marks, in field order. */
function buildEnvelope(document: Json, notes: Notes): Json {
  if (!isFields(document)) return {}
  return Object.fromEntries(
    Object.entries(unmarked(document, notes)).map(([name, value]) => {
      if (name === 'messages') return [name, []]
      const marked = (name === 'system' || name === 'tools') && Array.isArray(value)
      return [
        name,
        marked ? value.map((item: Json) => (isFields(item) ? unmarked(item, notes) : item)) : value,
      ]
    }),
  )
}

function systemDrafts(envelope: Json): EventDraft[] {
  if (!isFields(envelope)) return []
  const system = readSystem(envelope.system)
  if (system === undefined) return []
  const blocks = Array.isArray(envelope.system) ? { source: envelope.system } : {}
  return [{ type: 'SYSTEM_PROMPT', data: system, ...blocks }]
}

function cacheProblem(count: number): string {
  const marks = count === 1 ? '1 cache_control mark was' : `${count} cache_control marks were`
  return `${marks} dropped: they are placed anew when a request is made`
}

function write(view: View, envelope: Json = {}): Exported {
  const problems: string[] = []
  const messages = wireMessages(view.messages, (problem) => problems.push(problem))
  const bare = Array.isArray(envelope) && view.system.length === 0
  const document = bare
    ? messages
    : buildDocument(view, isFields(envelope) ? envelope : {}, messages)
  return { text: `${JSON.stringify(document, wellFormed, 2)}\n`, problems: [...new Set(problems)] }
}

function buildDocument(view: View, envelope: Fields, messages: readonly Json[]): Json {
  const system = writeSystem(view.system, envelope.system)
  const { system: _, ...rest } = envelope
  if (system === undefined) return { ...rest, messages }
  return 'system' in envelope ? { ...envelope, system, messages } : { system, ...rest, messages }
}

/** The original if it has the same text; otherwise a string, or a block per prompt. */
function writeSystem(system: readonly string[], original: Json | undefined): Json | undefined {
  if (system.length === 1 && system[0] === readSystem(original)) return original
  const texts = system.filter((text) => text.trim() !== '')
  if (texts.length <= 1) return texts[0]
  return texts.map((text) => ({ type: 'text', text }))
}

/** The API rejects a lone surrogate, so it becomes U+FFFD. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value
}

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
  read: readSession,
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

/** Some rules compare neighbours, so the document is read whole. */
async function* readSession(source: Source, notes: ReadNotes): AsyncGenerator<Step> {
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
