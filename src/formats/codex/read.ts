// Codex's rollouts: items of the model's history among display events.
import type { NewEntry } from '../../core/edit/change.ts'
import type { Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { writtenBy } from '../../core/view/typed-text.ts'
import { OPENING, type Origin, summaryEntries } from '../reading/conversation.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  countIn,
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  modelRef,
  type RawRecord,
  textIn,
  timeIn,
  usageFrom,
  writtenModelRef,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readLines } from '../reading/record-reader.ts'
import { ResponseItems, textOfMessage, userContent } from '../reading/response-items.ts'
import { isSubAgentMeta } from '../reading/workplace.ts'
import type { Sample, Source, Step } from '../session-format.ts'
import { plainItems } from './hosted.ts'

export const CODEX = 'codex'
/** Marks files written by précis. */
export const ORIGINATOR = 'precis'
/** Names the model whose thinking was written as a display event. */
export const THINKER = 'precis_model'

/** What Codex itself tells its model in every session. */
const OWN_WORDS =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|collaboration_mode|recommended_plugins|personality_spec|app-context|\w+_instructions)>|# AGENTS\.md instructions)/

const TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
])

export function isCodex({ lines }: Sample): boolean {
  return lines.some(({ type, payload }) => TYPES.has(type) && isFields(payload))
}

export function readCodex(source: Source, notes: ReadNotes): AsyncIterable<Step> {
  return readLines(source, notes, new RolloutReader(notes))
}

class RolloutReader extends OneThreadReader {
  readonly #items: ResponseItems
  readonly #names = new Set<string>() // of messages, which a compaction may repeat
  #provider = 'openai'
  #model: string | undefined
  #system: string | undefined
  #total = -1
  #hosted = 0 // special call items read so far
  #writer: 'typed' | 'model' = 'typed'

  constructor(notes: ReadNotes) {
    super(CODEX, notes)
    this.#items = new ResponseItems(this.conversation)
  }

  read(line: Fields, record: RawRecord): KeptBecause {
    const payload = fieldsIn(line.payload)
    const origin = { record, ...timeIn(line.timestamp) }
    switch (line.type) {
      case 'session_meta':
        return this.#meta(payload, origin)
      case 'turn_context':
        return this.#context(payload, origin)
      case 'response_item':
        return this.#item(payload, origin)
      case 'compacted':
        return this.#compacted(payload, record)
      case 'event_msg':
        if (payload.type === 'token_count') return this.#tokens(payload, record)
        if (payload.type === 'agent_reasoning' && textIn(payload[THINKER]) !== undefined)
          return this.#thought(payload, origin)
        return `event ${textIn(payload.type) ?? ''}: for the screen`
      default:
        return `${textIn(line.type) ?? 'untyped'}: not an item of the history`
    }
  }

  /** Rewritten on every resume. */
  #meta(payload: Fields, origin: Origin): KeptBecause {
    this.#provider = textIn(payload.model_provider) ?? this.#provider
    if (isSubAgentMeta(payload)) this.#writer = 'model'
    const text = textIn(fieldsIn(payload.base_instructions).text) ?? textIn(payload.instructions)
    if (text === undefined || text === this.#system)
      return 'session_meta: says nothing new to the model'
    if (payload.originator !== ORIGINATOR) return 'session_meta: what Codex itself tells its model'
    this.#system = text
    this.conversation.aside({ type: 'SYSTEM_PROMPT', data: text }, origin)
    return undefined
  }

  #context(payload: Fields, origin: Origin): KeptBecause {
    const model = textIn(payload.model)
    if (model === undefined || model === this.#model)
      return 'turn_context: the same model as before'
    this.#model = model
    const effort = textIn(payload.effort)
    const data = { model: modelRef(this.#provider, model), ...(effort && { thinking: effort }) }
    this.conversation.aside({ type: 'MODEL_CHANGED', data }, origin)
    return undefined
  }

  #thought(payload: Fields, origin: Origin): KeptBecause {
    const model = writtenModelRef(payload[THINKER])
    this.#items.thinking(textIn(payload.text) ?? '', origin, { model })
    return undefined
  }

  #item(item: Fields, origin: Origin): KeptBecause {
    if (isOwnWords(item)) return 'what Codex itself tells its model'
    const name = readName(item)
    if (name !== undefined) this.#names.add(name)
    const named = { ...origin, ...(name !== undefined && { names: [name] }) }
    const choices = { model: modelRef(this.#provider, this.#model), writer: this.#writer }
    if (item.type === 'agent_message') {
      const author = textIn(item.author) ?? 'another agent'
      this.conversation.reminder(`${author}: ${textOfMessage(item)}`, named)
      return undefined
    }
    const plain = plainItems(item, this.#hosted)
    if (plain) this.#hosted += 1
    const [first = item, ...others] = plain ?? []
    if (!this.#items.read(first, named, choices))
      return `item ${textIn(item.type) ?? ''}: not known`
    const { record: _, ...unrecorded } = origin // keep the record once
    for (const other of others) this.#items.read(other, unrecorded, choices)
    return undefined
  }

  /** Follows each response; sometimes twice, and once empty after a compaction. */
  #tokens(payload: Fields, record: RawRecord): KeptBecause {
    const info = fieldsIn(payload.info)
    const total = countIn(fieldsIn(info.total_token_usage).total_tokens) ?? -1
    const usage = readUsage(fieldsIn(info.last_token_usage))
    this.#items.endAnswer()
    if (usage === undefined || total === this.#total) return 'token_count: says nothing new'
    this.#total = total
    this.conversation.facts({ tokenUsage: usage })
    this.conversation.raw(record)
    return undefined
  }

  /** The replacement is the whole new context. Messages it repeats are kept instead. */
  #compacted(payload: Fields, record: RawRecord): KeptBecause {
    this.#items.endAnswer()
    this.conversation.raw(record)
    const all = listIn(payload.replacement_history).filter(isFields)
    const history = all.filter((item) => !isOwnWords(item) && textOfMessage(item) !== OPENING)
    const { replacement_history: _, ...about } = payload
    const summary = textIn(payload.message)?.trim()
    const put = history.map((item) => this.#replacement(item, summary))
    // Without a list: older versions kept the user's messages followed by the summary.
    const kept = [...this.#names].filter((name) => name.startsWith('user\n'))
    this.conversation.compaction({
      put: [
        ...(all.length > 0 ? put : kept.map((keep) => ({ keep }))),
        ...(summary && !history.some((item) => textOfMessage(item).includes(summary))
          ? summaryEntries(summary)
          : []),
      ],
      metadata: { recorded: about },
    })
    return undefined
  }

  #replacement(item: Fields, summary = ''): NewEntry | { keep: string; or: NewEntry } {
    const text = textOfMessage(item)
    const isSummary =
      item.role === 'user' &&
      ((summary !== '' && text.includes(summary)) || writtenBy(text) === 'model')
    const [sum] = isSummary ? summaryEntries(text) : []
    if (sum) return sum
    const entry = readEntry(item)
    const name = readName(item)
    return name !== undefined && this.#names.has(name) ? { keep: name, or: entry } : entry
  }
}

/** Whether the whole message is. */
function isOwnWords({ type, role, content }: Fields): boolean {
  if (type !== 'message' || (role !== 'user' && role !== 'developer')) return false
  const texts = listIn(content).map((part) => textIn(fieldsIn(part).text) ?? '')
  return texts.length > 0 && texts.every((text) => OWN_WORDS.test(text))
}

/** A message is identified by its text. */
function readName(item: Fields): string | undefined {
  if (item.type !== 'message') return undefined
  return `${textIn(item.role)}\n${textOfMessage(item)}`
}

/** Stands for a summary that only OpenAI's servers can read. */
export const SEALED = '[what was here was compacted into a block that only the provider can read]'

function readEntry(item: Fields): NewEntry {
  const text = textOfMessage(item)
  if (item.role === 'user')
    return { type: 'USER_MESSAGE', data: userContent(item), label: 'continuation' }
  if (item.role === 'assistant')
    return { type: 'AGENT_MESSAGE', data: { content: text, calls: [] }, label: 'continuation' }
  if (item.type === 'message') return { type: 'SYSTEM_REMINDER', data: text, label: 'continuation' }
  const native = { provider: 'openai', value: item as Json }
  return { type: 'USER_MESSAGE', data: SEALED, label: 'summary', native }
}

/** An empty prompt is the record after a compaction. */
function readUsage(usage: Fields): TokenUsage | undefined {
  if (!countIn(usage.input_tokens)) return undefined
  return usageFrom({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cached_input_tokens,
    cacheWrite: usage.cache_write_input_tokens,
    inputHoldsCache: true,
  })
}
