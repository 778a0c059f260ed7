// Cline: conversations saved by the extension, and sessions of its SDK.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import type { Part } from '../../core/view/content.ts'
import { type ReadBlock, readBlock } from '../../wire/anthropic/blocks.ts'
import type { Origin } from '../reading/conversation.ts'
import { ROOT } from '../reading/json-items.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  modelRef,
  type RawRecord,
  textIn,
  timeIn,
  usageFrom,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import type { Sample, SessionFormat } from '../session-format.ts'

const ID = 'cline'
/** The extension writes results as prose: the tool, its purpose, and the outcome. */
const PROSE_RESULT = /^\[(\w+)[^\n]*\] Result:\s*/
const ENVIRONMENT = /^<environment_details>/

export const cline: SessionFormat = {
  id: ID,
  title: 'Cline',
  losses: [],
  detect,
  read: (source, notes) =>
    readItems(source, ['messages', ROOT], notes, new MessageReader(ID, notes)),
}

function detect({ keys, items, text }: Sample): boolean {
  if (keys.includes('messages_path') && keys.includes('session_id')) return true
  const isSession = keys.includes('sessionId') && keys.includes('updated_at')
  const isMessage = (value: Json) =>
    isFields(value) && (isFields(value.modelInfo) || isFields(value.metrics))
  if (items.some(({ list, value }) => list === 'messages' && isMessage(value))) return true
  if (isSession && items.some(({ list }) => list === 'messages')) return true
  const isRoot = items.some(
    ({ list, value }) => list === ROOT && isFields(value) && 'role' in value,
  )
  return (
    isRoot &&
    (items.some(({ value }) => isMessage(value)) || text.includes('<environment_details>'))
  )
}

class MessageReader extends OneThreadReader {
  readonly #open = new Map<string, string>() // calls that wait for a result → the tool's name
  #answers = 0

  override envelope(value: Json): void {
    super.envelope(value)
    const data = textIn(fieldsIn(value).system_prompt)
    if (data) this.conversation.aside({ type: 'SYSTEM_PROMPT', data }, {})
  }

  read(message: Fields, record: RawRecord): KeptBecause {
    const id = textIn(message.id)
    const origin = { record, ...(id && { names: [id] }), ...timeIn(message.ts) }
    try {
      if (message.role === 'assistant') this.#answer(message, origin)
      else if (message.role === 'user') this.#user(message, origin)
      else return 'a message of an unknown role'
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      this.notes.problem(`message ${record.at}: ${thrown.message}; kept as it is`)
      return 'a message of another shape'
    }
    return undefined
  }

  #answer(message: Fields, origin: Origin): void {
    const info = fieldsIn(message.modelInfo)
    const model = modelRef(
      textIn(info.provider) ?? textIn(info.providerId) ?? 'unknown',
      info.id ?? info.modelId,
    )
    const blocks = readBlocks(message, 'assistant', model)
    const usage = readUsage(fieldsIn(message.metrics))
    this.#answers += 1
    this.#open.clear()
    this.conversation.answer(`answer ${this.#answers}`, origin, {
      model,
      ...(usage && { tokenUsage: usage }),
    })
    for (const block of blocks) {
      if (block.kind === 'part') this.conversation.part(block.part)
      if (block.kind !== 'call') continue
      this.#open.set(block.call.id, block.call.name)
      this.conversation.call(block.call.id, block.call.name, block.call.arguments)
    }
  }

  #user(message: Fields, origin: Origin): void {
    const parts: Part[] = []
    const reminders: string[] = []
    let left = origin
    let isOfTool = false
    for (const block of readBlocks(message, 'user', 'unknown/unknown')) {
      const text = block.kind === 'part' && block.part.type === 'text' ? block.part.text : undefined
      const call = text === undefined ? undefined : this.#calledBy(text)
      if (block.kind === 'result') {
        this.conversation.result(block.result, left)
        left = {}
      } else if (text !== undefined && call !== undefined) {
        this.#open.delete(call)
        const said = text.replace(PROSE_RESULT, '')
        this.conversation.result(
          { id: call, content: [{ type: 'text', text: said }], status: 'completed' },
          left,
        )
        left = {}
      } else if (text !== undefined && ENVIRONMENT.test(text)) reminders.push(text)
      else if (block.kind === 'part') parts.push(isOfTool ? ofTool(block.part) : block.part)
      // A tool's output may follow in separate blocks after the line that names it.
      if (text !== undefined && PROSE_RESULT.test(text)) isOfTool = true
    }
    if (parts.length > 0) {
      const { kind } = fieldsIn(message.metadata)
      this.conversation.user(parts, left, kind === 'compaction_summary' ? 'summary' : 'typed')
      left = {}
    }
    for (const text of reminders) {
      this.conversation.reminder(text, left)
      left = {}
    }
    if (left === origin && origin.record) this.conversation.raw(origin.record)
  }

  /** The open call of the tool this prose names. */
  #calledBy(text: string): string | undefined {
    const tool = PROSE_RESULT.exec(text)?.[1]
    if (tool === undefined) return undefined
    return [...this.#open].find(([, name]) => name === tool)?.[0]
  }
}

function ofTool(part: Part): Part {
  return part.type === 'text' ? { ...part, from: 'tool' } : part
}

function readBlocks(
  { content }: Fields,
  role: 'user' | 'assistant',
  model: `${string}/${string}`,
): ReadBlock[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
  return values.map((value, index): ReadBlock => {
    const { type, path, content: words } = fieldsIn(value)
    if (type === 'file' && typeof words === 'string') {
      const text = `Contents of ${textIn(path) ?? 'a file'}:\n${words}`
      return { kind: 'part', part: { type: 'text', text, from: 'tool' }, rest: {} }
    }
    const notes = { problems: [], cacheMarks: 0 }
    return readBlock(withTypedResults(value), `content[${index}]`, role, model, notes)
  })
}

/** The SDK's tools return objects, which the model sees as JSON. */
function withTypedResults(value: Json): Json {
  if (!isFields(value) || value.type !== 'tool_result' || !Array.isArray(value.content))
    return value
  const content = value.content.map((item: Json) =>
    typeof fieldsIn(item).type === 'string' ? item : { type: 'text', text: JSON.stringify(item) },
  )
  return { ...value, content }
}

/** The SDK counts cache reads as input; the extension counts them separately. */
function readUsage(metrics: Fields) {
  const { tokens } = metrics
  if (isFields(tokens))
    return usageFrom({
      input: tokens.prompt,
      output: tokens.completion,
      cacheRead: tokens.cached,
      inputHoldsCache: false,
    })
  return usageFrom({
    input: metrics.inputTokens,
    output: metrics.outputTokens,
    cacheRead: metrics.cacheReadTokens,
    cacheWrite: metrics.cacheWriteTokens,
    inputHoldsCache: true,
  })
}
