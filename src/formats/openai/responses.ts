// OpenAI's Responses: `{instructions, input, …}`, or the items alone.
import type { Json } from '../../core/text/json.ts'
import { WireNames } from '../../wire/openai-chat/rounds.ts'
import { inputItems, OPENAI_RESPONSES } from '../../wire/openai-responses/write.ts'
import { lossesIn, wellFormed } from '../outgoing.ts'
import { ROOT } from '../reading/json-items.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  modelRef,
  type RawRecord,
  rawEnvelope,
  textIn,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import { ResponseItems } from '../reading/response-items.ts'
import type { Exported, Loss, Outgoing, Sample, SessionFormat } from '../session-format.ts'

/** What is lost on the way through OpenAI's two APIs. */
export const OPENAI_LOSSES: readonly Loss[] = [
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

const ID = 'openai-responses'
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
  id: ID,
  title: 'OpenAI Responses',
  losses: OPENAI_LOSSES,
  detect: ({ items }: Sample) =>
    items.some(({ list, value }) => LISTS.includes(list) && isFields(value) && isItem(value)),
  read: (source, notes) => readItems(source, LISTS, notes, new ItemReader(notes)),
  write,
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
    super(ID, notes)
    this.#items = new ResponseItems(this.conversation)
  }

  read(item: Fields, record: RawRecord): KeptBecause {
    const choices = { model: modelRef('openai', undefined) }
    const isKnown = this.#items.read(item, { record }, choices)
    return isKnown ? undefined : `item ${textIn(item.type) ?? ''}: not known`
  }

  /** Comes after the items; the head of a context is not in their order, so that does no harm. */
  override envelope(value: Json): void {
    super.envelope(value)
    const data = textIn(fieldsIn(value).instructions)
    if (data) this.conversation.aside({ type: 'SYSTEM_PROMPT', data }, {})
  }
}

function write(outgoing: Outgoing): Exported {
  const { view, events = [] } = outgoing
  const problems = new Set(lossesIn(outgoing, OPENAI_LOSSES))
  const note = (problem: string) => problems.add(problem)
  const input = inputItems(view.messages, OPENAI_RESPONSES, new WireNames(note), note)
  const instructions = view.system.join('\n\n')
  const { output: _, items: __, ...envelope } = fieldsIn(rawEnvelope(ID, events))
  const document = { ...envelope, ...(instructions !== '' && { instructions }), input }
  return { text: `${JSON.stringify(document, wellFormed, 2)}\n`, problems: [...problems] }
}
