// GitHub Copilot CLI's events: one line each, with background compactions.
import type { ToolStatus, UserContent } from '../../core/view/content.ts'
import { type Origin, summaryEntries } from '../reading/conversation.ts'
import {
  argumentsIn,
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
import { type KeptBecause, OneThreadReader, readLines } from '../reading/record-reader.ts'
import type { Sample, SessionFormat } from '../session-format.ts'

const ID = 'copilot-cli'
const PROVIDER = 'copilot'

export const copilotCli: SessionFormat = {
  id: ID,
  title: 'GitHub Copilot CLI',
  losses: [],
  detect: ({ lines }: Sample) =>
    lines.some(
      ({ type, data }) => isFields(data) && typeof type === 'string' && OWN_TYPE.test(type),
    ),
  read: (source, notes) => readLines(source, notes, new EventReader(ID, notes)),
}

const OWN_TYPE = /^(?:session\.start|user\.message|assistant\.(?:message|turn_start))$/

class EventReader extends OneThreadReader {
  #compactions = 0
  #names: string[] = [] // of the first event after a compaction began
  #system: string | undefined

  read(event: Fields, record: RawRecord): KeptBecause {
    const data = fieldsIn(event.data)
    const names = this.#names
    const origin = { record, ...(names.length > 0 && { names }), ...timeIn(event.timestamp) }
    const reason = this.#event(textIn(event.type) ?? '', data, origin)
    if (reason === undefined && names === this.#names && SHOWN.has(event.type)) this.#names = []
    return reason
  }

  #event(type: string, data: Fields, origin: Origin & { record: RawRecord }): KeptBecause {
    switch (type) {
      case 'system.message':
        return this.#prompt(data, origin)
      case 'user.message': {
        // What the model saw, with the client's date and reminders; the typed text may be empty.
        const text = textIn(data.transformedContent) || textIn(data.content)
        if (!text) return 'a user message without content'
        const typed = textIn(data.content)
        this.conversation.user(around(text, typed), origin, typed ? 'typed' : 'client')
        return undefined
      }
      case 'system.notification': {
        const text = textIn(data.content)
        if (!text) return 'a notification without content'
        this.conversation.reminder(text, origin)
        return undefined
      }
      case 'assistant.message':
        this.#answer(data, origin)
        return undefined
      case 'tool.execution_complete':
        this.#result(data, origin)
        return undefined
      case 'session.compaction_start':
        this.#compactions += 1
        this.#names = [`after compaction ${this.#compactions} began`]
        return 'session.compaction_start: its end says what it did'
      case 'session.compaction_complete':
        return this.#compaction(data, origin.record)
      default:
        return `${type || 'untyped'}: not sent`
    }
  }

  #prompt(data: Fields, origin: Origin): KeptBecause {
    const text = textIn(data.content)
    if (text === undefined || text === this.#system) return 'system.message: the same as before'
    this.#system = text
    this.conversation.aside({ type: 'SYSTEM_PROMPT', data: text }, origin)
    return undefined
  }

  #answer(data: Fields, origin: Origin): void {
    const model = modelRef(PROVIDER, data.model)
    this.conversation.answer(textIn(data.messageId) ?? `line ${origin.record?.at}`, origin, {
      model,
    })
    const thinking = textIn(data.reasoningText)
    if (thinking) this.conversation.part({ type: 'thinking', thinking, model })
    const text = textIn(data.content)
    if (text) this.conversation.part({ type: 'text', text })
    for (const value of listIn(data.toolRequests)) {
      const call = fieldsIn(value)
      const name = textIn(call.name) ?? 'unnamed'
      this.conversation.call(textIn(call.toolCallId) ?? name, name, argumentsIn(call.arguments))
    }
  }

  /** `content` is for the model, `detailedContent` for the screen. */
  #result(data: Fields, origin: Origin): void {
    const id = textIn(data.toolCallId)
    const error = fieldsIn(data.error)
    const text = textIn(fieldsIn(data.result).content) ?? textIn(error.message) ?? ''
    const isDenied = error.code === 'denied' || error.code === 'rejected'
    const status: ToolStatus =
      data.success === false ? (isDenied ? 'denied' : 'failed') : 'completed'
    this.conversation.result(
      { ...(id !== undefined && { id }), content: [{ type: 'text', text }], status },
      origin,
    )
  }

  /** It ran during the turn: everything after its start stays. */
  #compaction(data: Fields, record: RawRecord): KeptBecause {
    const summary = textIn(data.summaryContent)
    if (data.success === false || !summary) return 'session.compaction_complete: it failed'
    const { summaryContent: _, ...about } = data
    const used = fieldsIn(data.compactionTokensUsed)
    const usage = usageFrom({
      input: used.inputTokens,
      output: used.outputTokens,
      cacheRead: used.cacheReadTokens,
      inputHoldsCache: true,
    })
    this.#names = []
    this.conversation.raw(record)
    this.conversation.compaction({
      put: summaryEntries(summary),
      ...(this.#compactions > 0 && { keepFrom: `after compaction ${this.#compactions} began` }),
      ...(usage && { usage }),
      metadata: { recorded: about },
    })
    return undefined
  }
}

/** The typed text, and the client's text around it. */
function around(text: string, typed: string | undefined): UserContent {
  const at = typed ? text.indexOf(typed) : -1
  if (!typed || text === typed) return text
  if (at < 0) return [{ type: 'text', text, from: 'client' }]
  const parts = [
    { type: 'text', text: text.slice(0, at), from: 'client' },
    { type: 'text', text: typed },
    { type: 'text', text: text.slice(at + typed.length), from: 'client' },
  ] as const
  return parts.filter((part) => part.text !== '')
}

const SHOWN: ReadonlySet<unknown> = new Set([
  'user.message',
  'system.notification',
  'assistant.message',
  'tool.execution_complete',
])
