// The formats of OpenAI: Chat Completions and Responses.
import type { Json } from '../../core/text/json.ts'
import type { Block, ModelRef, Part, ToolResult, UserContent } from '../../core/view/content.ts'
import { chatUsage } from '../../wire/answer-facts.ts'
import { readChatPart } from '../../wire/content-parts.ts'
import { WireNames } from '../../wire/names.ts'
import { chatMessages } from '../../wire/openai-chat/messages.ts'
import { OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import { inputItems, OPENAI_RESPONSES } from '../../wire/openai-responses/items.ts'
import { lossesIn, wellFormed } from '../outgoing.ts'
import type { AnswerFacts, Conversation, Origin } from '../reading/conversation.ts'
import { ROOT } from '../reading/json-items.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  argumentsIn,
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  modelRef,
  type RawRecord,
  rawEnvelope,
  textIn,
  usageFrom,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import { ResponseItems, withoutStatusLine } from '../reading/response-items.ts'
import type { Exported, Loss, Outgoing, Sample, SessionFormat } from '../session-format.ts'

/** Losses of both OpenAI APIs. */
const OPENAI_LOSSES: readonly Loss[] = [
  'thinking',
  'sealed-thinking',
  'documents',
  'result-media',
  'result-blocks',
  'failures',
  'foreign-thinking',
  'natives',
  'extras',
  'reminders',
  'checkpoints',
  'arguments',
  'call-ids',
  'merging',
  'failure-kinds',
  'empty-results',
  'open-calls',
  'workplace',
]

const RESPONSES_ID = 'openai-responses'
const LISTS = ['input', 'output', 'items', ROOT]
const ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
])

export const openAiResponses: SessionFormat = {
  id: RESPONSES_ID,
  title: 'OpenAI Responses',
  losses: OPENAI_LOSSES,
  detect: ({ items }: Sample) =>
    items.some(({ list, value }) => LISTS.includes(list) && isFields(value) && isItem(value)),
  read: (source, notes) => readItems(source, LISTS, notes, new ItemReader(notes)),
  write: writeResponses,
}

function isItem({ type, role, content, call_id: id }: Fields): boolean {
  return (
    ITEMS.has(type) &&
    (typeof role === 'string' || id !== undefined || content !== undefined || type === 'reasoning')
  )
}

class ItemReader extends OneThreadReader {
  readonly #items: ResponseItems

  constructor(notes: ReadNotes) {
    super(RESPONSES_ID, notes)
    this.#items = new ResponseItems(this.conversation)
  }

  read(item: Fields, record: RawRecord): KeptBecause {
    const choices = { model: modelRef('openai', undefined) }
    const isKnown = this.#items.read(item, { record }, choices)
    return isKnown ? undefined : `item ${textIn(item.type) ?? ''}: not known`
  }

  /** It follows the items; the head of a context has no order, so that is harmless. */
  override envelope(value: Json): void {
    super.envelope(value)
    const data = textIn(fieldsIn(value).instructions)
    if (data) this.conversation.aside({ type: 'SYSTEM_PROMPT', data }, {})
  }
}

function writeResponses(outgoing: Outgoing): Exported {
  const { view, events = [] } = outgoing
  const problems = new Set(lossesIn(outgoing, OPENAI_LOSSES))
  const note = (problem: string) => problems.add(problem)
  const input = inputItems(view.messages, OPENAI_RESPONSES, new WireNames(note), note)
  const instructions = view.system.join('\n\n')
  const { output: _, items: __, ...envelope } = fieldsIn(rawEnvelope(RESPONSES_ID, events))
  const document = { ...envelope, ...(instructions !== '' && { instructions }), input }
  return { text: `${JSON.stringify(document, wellFormed, 2)}\n`, problems: [...problems] }
}

const PROVIDER = 'openai'

/** Messages of OpenAI's Chat Completions, which many tools save. */
export class ChatMessages {
  readonly #to: Conversation
  #answers = 0
  #hasStarted = false

  constructor(to: Conversation) {
    this.#to = to
  }

  /** False for an unknown role. `by`: the author of a message in the user's role. */
  read(
    message: Fields,
    origin: Origin,
    model: ModelRef,
    by: 'typed' | 'client' | 'tool' = 'typed',
  ): boolean {
    switch (message.role) {
      case 'system':
      case 'developer': {
        const data = readText(message.content)
        // Only an opening system message is the prompt; later ones are reminders.
        if (this.#hasStarted) this.#to.reminder(data, origin)
        else this.#to.prompt(data, origin)
        return true
      }
      case 'user':
        this.#hasStarted = true
        this.#to.user(readUserContent(message.content), origin, by)
        return true
      case 'assistant':
        this.#hasStarted = true
        this.#answer(message, origin, model)
        return true
      case 'tool':
      case 'function':
        this.#hasStarted = true
        this.#to.result(readResult(message), origin)
        return true
      default:
        return false
    }
  }

  #answer(message: Fields, origin: Origin, model: ModelRef): void {
    this.#answers += 1
    this.#to.answer(`answer ${this.#answers}`, origin, { model, ...readFacts(message) })
    const thinking = textIn(message.reasoning_content) ?? textIn(message.reasoning)
    if (thinking) this.#to.part({ type: 'thinking', thinking, model })
    for (const part of answerParts(message)) this.#to.part(part)
    for (const value of listIn(message.tool_calls)) {
      const call = fieldsIn(value)
      const said = call.type === 'custom' ? fieldsIn(call.custom) : fieldsIn(call.function)
      const name = textIn(said.name) ?? 'unnamed'
      const given = call.type === 'custom' ? (said.input ?? '') : argumentsIn(said.arguments)
      this.#to.call(textIn(call.id) ?? name, name, given)
    }
    const old = fieldsIn(message.function_call)
    const name = textIn(old.name)
    if (name !== undefined) this.#to.call(name, name, argumentsIn(old.arguments))
  }
}

function readFacts(message: Fields): AnswerFacts {
  const tokenUsage = usageFrom(chatUsage(message.usage))
  return tokenUsage ? { tokenUsage } : {}
}

function answerParts({ content, refusal }: Fields): Part[] {
  const refused = textIn(refusal)
  const parts: Part[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : listIn(content).map((value): Part => {
          const text = textIn(fieldsIn(value).text) ?? textIn(fieldsIn(value).refusal)
          return text === undefined
            ? { type: 'native', provider: PROVIDER, value }
            : { type: 'text', text }
        })
  return refused ? [...parts, { type: 'text', text: refused }] : parts
}

function readUserContent(content: Json | undefined): UserContent {
  if (typeof content === 'string') return content
  return listIn(content).map(
    (value): Part => readChatPart(value) ?? { type: 'native', provider: PROVIDER, value },
  )
}

/** SWE-agent writes a list instead of one id. */
function readResult(message: Fields): ToolResult {
  const id =
    textIn(message.tool_call_id) ?? textIn(listIn(message.tool_call_ids)[0]) ?? textIn(message.name)
  const { content } = message
  const blocks: Block[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : listIn(content).map((value) => ({ type: 'text', text: textIn(fieldsIn(value).text) ?? '' }))
  return { ...(id !== undefined && { id }), ...withoutStatusLine(blocks) }
}

function readText(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return listIn(content)
    .map((part) => textIn(fieldsIn(part).text) ?? '')
    .join('\n\n')
}

const ID = 'openai-chat'

export const openAiChat: SessionFormat = {
  id: ID,
  title: 'OpenAI Chat Completions',
  losses: OPENAI_LOSSES,
  detect,
  read: (source, notes) => readItems(source, ['messages', ROOT], notes, new ChatReader(notes)),
  write,
}

const OWN_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'tool', 'function'])

function detect({ items }: Sample): boolean {
  return items.some(
    ({ list, value }) =>
      (list === 'messages' || list === ROOT) &&
      isFields(value) &&
      'content' in value &&
      (OWN_ROLES.has(value.role) ||
        (value.role === 'assistant' && Array.isArray(value.tool_calls))),
  )
}

class ChatReader extends OneThreadReader {
  readonly #messages: ChatMessages

  constructor(notes: ReadNotes) {
    super(ID, notes)
    this.#messages = new ChatMessages(this.conversation)
  }

  read(message: Fields, record: RawRecord): KeptBecause {
    const isKnown = this.#messages.read(message, { record }, modelRef('openai', message.model))
    return isKnown ? undefined : 'a message of an unknown role'
  }
}

function write(outgoing: Outgoing): Exported {
  const { view, events = [] } = outgoing
  const problems = new Set(lossesIn(outgoing, OPENAI_LOSSES))
  const note = (problem: string) => problems.add(problem)
  const system = view.system.filter((text) => text.trim() !== '')
  const messages = [
    ...system.map((content) => ({ role: 'system', content })),
    ...chatMessages(view.messages, OPENAI_CHAT, new WireNames(note), note),
  ]
  const envelope = rawEnvelope(ID, events)
  const isBare = Array.isArray(envelope)
  const document = isBare ? messages : { ...fieldsIn(envelope), messages }
  return { text: `${JSON.stringify(document, wellFormed, 2)}\n`, problems: [...problems] }
}
