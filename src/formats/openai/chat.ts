// OpenAI's Chat Completions: `{messages, …}` or the messages alone.
import { chatMessages } from '../../wire/openai-chat/messages.ts'
import { WireNames } from '../../wire/openai-chat/names.ts'
import { OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import type { Exported } from '../format.ts'
import { lossesIn } from '../losses.ts'
import { wellFormed } from '../outgoing.ts'
import { type Fields, fieldsIn, isFields, modelRef } from '../reading/fields.ts'
import { ROOT } from '../reading/json-items.ts'
import type { ReadNotes } from '../reading/notes.ts'
import { type RawRecord, rawEnvelope } from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import type { Outgoing, Sample, SessionFormat } from '../session-format.ts'
import { ChatMessages } from './chat-messages.ts'
import { OPENAI_LOSSES } from './losses.ts'

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
  const problems = new Set(lossesIn(view, OPENAI_LOSSES))
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
