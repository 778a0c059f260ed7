// Gemini CLI's chats: one document, or since 0.40 lines in which messages are rewritten by id.
import type { Json } from '../../core/text/json.ts'
import {
  type Block,
  type Part,
  type ToolStatus,
  textOfUserContent,
  type UserContent,
} from '../../core/view/content.ts'
import { readGeminiPart } from '../../wire/content-parts.ts'
import { eachLine } from '../reading/lines.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  modelRef,
  objectIn,
  type RawRecord,
  textIn,
  timeIn,
  usageFrom,
} from '../reading/raw.ts'
import {
  type KeptBecause,
  OneThreadReader,
  readItems,
  readLines,
} from '../reading/record-reader.ts'
import type { Sample, SessionFormat, Source, Step } from '../session-format.ts'

const ID = 'gemini-cli'
const PROVIDER = 'gemini'
const REFERENCES = /^\s*(?:--- Content from referenced files ---|Content from @)/m

export const geminiCli: SessionFormat = {
  id: ID,
  title: 'Gemini CLI',
  losses: [],
  detect,
  read,
}

function detect({ keys, lines, items }: Sample): boolean {
  const isMessage = (value: Json) =>
    isFields(value) && value.type === 'gemini' && 'content' in value
  return (
    (keys.includes('projectHash') && keys.includes('sessionId')) ||
    lines.some((line) => 'projectHash' in line && 'sessionId' in line) ||
    items.some(({ list, value }) => list === 'messages' && isMessage(value))
  )
}

async function* read(source: Source, notes: ReadNotes): AsyncGenerator<Step> {
  const last = await lastCopies(source)
  if (last === undefined) yield* readItems(source, ['messages'], notes, new MessageReader(notes))
  else yield* readLines(source, notes, new MessageReader(notes, last))
}

/** The last line of each message. Undefined if the file is one document. */
async function lastCopies(source: Source): Promise<Map<string, number> | undefined> {
  const last = new Map<string, number>()
  let isFirst = true
  for await (const lines of eachLine(source))
    for (const { text, number } of lines) {
      const record = objectIn(text)
      if (isFirst && (record === undefined || Array.isArray(record.messages))) return undefined
      isFirst = false
      const id = textIn(record?.id)
      if (id !== undefined) last.set(id, number)
    }
  return last
}

class MessageReader extends OneThreadReader {
  readonly #last: ReadonlyMap<string, number> | undefined

  constructor(notes: ReadNotes, last?: ReadonlyMap<string, number>) {
    super(ID, notes)
    this.#last = last
  }

  read(message: Fields, record: RawRecord): KeptBecause {
    const id = textIn(message.id)
    if (id === undefined) return 'the header or a patch of it'
    if (this.#last && this.#last.get(id) !== record.at) return 'an earlier copy of a message'
    const origin = { record, names: [id], ...timeIn(message.timestamp) }
    if (message.type === 'user') {
      const content = readContent(message.content)
      if (content.length === 0) return 'results that stand with their calls'
      this.conversation.user(asTyped(content, message.displayContent), origin, 'typed')
    } else if (message.type === 'gemini') this.#answer(id, message, origin)
    else return `${textIn(message.type) ?? 'untyped'}: for the screen`
    return undefined
  }

  #answer(
    id: string,
    message: Fields,
    origin: { record: RawRecord; names: string[]; timestamp?: Date },
  ): void {
    const model = modelRef(PROVIDER, message.model)
    const { input, output, cached, thoughts } = fieldsIn(message.tokens)
    const usage = usageFrom({
      input,
      output,
      cacheRead: cached,
      reasoning: thoughts,
      inputHoldsCache: true,
    })
    this.conversation.answer(id, origin, { model, ...(usage && { tokenUsage: usage }) })
    for (const value of listIn(message.thoughts)) {
      const { subject, description } = fieldsIn(value)
      const thinking = [textIn(subject), textIn(description)].filter(Boolean).join(': ')
      this.conversation.part({ type: 'thinking', thinking, model })
    }
    const content = readContent(message.content)
    for (const part of typeof content === 'string' ? textPart(content) : content)
      this.conversation.part(part)
    const calls = listIn(message.toolCalls).map(fieldsIn)
    for (const call of calls) {
      const name = textIn(call.name) ?? 'unnamed'
      this.conversation.call(textIn(call.id) ?? name, name, call.args ?? {})
    }
    for (const call of calls) this.#result(call)
  }

  /** A call and its result live together. */
  #result(call: Fields): void {
    const content = listIn(call.result).flatMap((value): Block[] => {
      const { functionResponse } = fieldsIn(value)
      if (!isFields(functionResponse)) return [{ type: 'native', provider: PROVIDER, value }]
      const response = fieldsIn(functionResponse.response)
      const said = response.output ?? response.error
      const text = said === undefined ? JSON.stringify(response) : readText(said)
      return [{ type: 'text', text }]
    })
    const status = STATUS[textIn(call.status) ?? '']
    if (status === undefined && content.length === 0) return
    const id = textIn(call.id) ?? textIn(call.name) ?? 'unnamed'
    this.conversation.result({ id, content, status: status ?? 'completed' }, {})
  }
}

const STATUS: { readonly [status: string]: ToolStatus } = {
  success: 'completed',
  error: 'failed',
  cancelled: 'aborted',
}

function textPart(text: string, from?: 'client'): Part[] {
  return text === '' ? [] : [{ type: 'text', text, ...(from && { from }) }]
}

function readText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The displayed text was typed; the client added the rest: files, expanded commands. */
function asTyped(content: UserContent, displayed: Json | undefined): UserContent {
  const shown = readContent(displayed)
  const typed = (typeof shown === 'string' ? shown : textOfUserContent(shown)).trim()
  if (typed === '') return withReferences(content)
  const parts = typeof content === 'string' ? textPart(content) : content
  const isOwn = (text: string) => text.trim() !== '' && typed.includes(text.trim())
  return parts.flatMap((part): Part[] => {
    if (part.type !== 'text' || isOwn(part.text)) return [part]
    const at = part.text.indexOf(typed)
    if (at < 0) return [{ ...part, from: 'client' }]
    const end = at + typed.length
    return [
      ...textPart(part.text.slice(0, at), 'client'),
      ...textPart(part.text.slice(at, end)),
      ...textPart(part.text.slice(end), 'client'),
    ]
  })
}

/** Files named in a prompt follow in separate parts after a line that says so. */
function withReferences(content: UserContent): UserContent {
  if (typeof content === 'string') return content
  const first = content.findIndex((part) => part.type === 'text' && REFERENCES.test(part.text))
  if (first < 0) return content
  return content.map((part, index) =>
    part.type === 'text' && index > first ? { ...part, from: 'tool' } : part,
  )
}

/** Parts of the API. Results among them are also listed with their calls. */
function readContent(content: Json | undefined): UserContent & (string | readonly Part[]) {
  if (typeof content === 'string') return content
  return listIn(content).flatMap((value): Part[] => {
    if (fieldsIn(value).functionResponse !== undefined) return []
    return [readGeminiPart(value) ?? { type: 'native', provider: PROVIDER, value }]
  })
}
