// SWE-agent's trajectories, and those of mini-SWE-agent that identify themselves; only the history counts.
import { ChatMessages } from '../openai/openai.ts'
import type { ReadNotes } from '../reading/notes.ts'
import type { RawRecord } from '../reading/raw.ts'
import { type Fields, isFields, modelRef } from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import type { Sample, SessionFormat } from '../session-format.ts'

const ID = 'swe-agent'

export const sweAgent: SessionFormat = {
  id: ID,
  title: 'SWE-agent',
  losses: [],
  detect: ({ items, keys }: Sample) =>
    keys.includes('trajectory_format') ||
    items.some(
      ({ list, value }) =>
        isFields(value) &&
        ((list === 'history' && 'role' in value && ('message_type' in value || 'agent' in value)) ||
          (list === 'trajectory' && 'action' in value && 'observation' in value)),
    ),
  read: (source, notes) =>
    readItems(source, ['history', 'trajectory', 'messages'], notes, new HistoryReader(notes)),
}

class HistoryReader extends OneThreadReader {
  readonly #messages: ChatMessages
  #hasTask = false

  constructor(notes: ReadNotes) {
    super(ID, notes)
    this.#messages = new ChatMessages(this.conversation)
  }

  /** A step repeats the prompt of its call: keeping it would make the log quadratic. */
  read(message: Fields, record: RawRecord, list: string): KeptBecause {
    if (list === 'trajectory') return { ignored: 'a step, which the history tells as well' }
    const model = modelRef('swe-agent', undefined)
    const isKnown = this.#messages.read(message, { record }, model, this.#writtenBy(message))
    return isKnown ? undefined : 'a message of an unknown role'
  }

  /** The first user message is the task; later ones are program output. */
  #writtenBy({ role, is_demo: isDemo, message_type: type }: Fields): 'typed' | 'client' | 'tool' {
    if (isDemo === true || type === 'demonstration') return 'client'
    const isTask = role === 'user' && !this.#hasTask
    if (role === 'user' || role === 'assistant') this.#hasTask = true
    return isTask ? 'typed' : 'tool'
  }
}
