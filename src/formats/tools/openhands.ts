// OpenHands' trajectories: actions and observations, each with the model's response.
import type { Json } from '../../core/text/json.ts'
import { type Origin, summaryEntries } from '../reading/conversation.ts'
import { ROOT } from '../reading/json-items.ts'
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
import { type KeptBecause, OneThreadReader, readItems } from '../reading/record-reader.ts'
import type { Sample, SessionFormat } from '../session-format.ts'

const ID = 'openhands'
/** Events of the program without meaning for the model. */
const SILENT: ReadonlySet<unknown> = new Set([
  'change_agent_state',
  'agent_state_changed',
  'null',
  'recall',
])

export const openHands: SessionFormat = {
  id: ID,
  title: 'OpenHands',
  losses: [],
  detect: ({ items }: Sample) =>
    items.some(
      ({ list, value }) =>
        list === ROOT &&
        isFields(value) &&
        'source' in value &&
        ('action' in value || 'observation' in value),
    ),
  read: (source, notes) => readItems(source, [ROOT], notes, new EventReader(ID, notes)),
}

class EventReader extends OneThreadReader {
  readonly #names: string[] = []
  readonly #callOf = new Map<string, string>() // action → its call
  #hasOpenAnswer = false

  read(event: Fields, record: RawRecord): KeptBecause {
    const name = String(event.id)
    const origin = { record, names: [name], ...timeIn(event.timestamp) }
    const kind = event.action ?? event.observation
    if (SILENT.has(kind)) return `${String(kind)}: says nothing to the model`
    if (event.action === 'condensation') return this.#condensation(event, record)
    this.#names.push(name)
    if (event.observation !== undefined) this.#observation(event, origin)
    else if (event.action === 'system') {
      const data = textIn(fieldsIn(event.args).content) ?? ''
      this.conversation.aside({ type: 'SYSTEM_PROMPT', data }, origin)
    } else if (event.source === 'agent') this.#action(event, origin)
    else if (event.action === 'message')
      this.conversation.user(
        messageText(event),
        origin,
        event.source === 'user' ? 'typed' : 'client',
      )
    else return `${String(kind)} of ${textIn(event.source) ?? 'nobody'}: not known`
    return undefined
  }

  /** Actions of one response form one answer: each repeats the response. */
  #action(event: Fields, origin: Origin): void {
    const about = fieldsIn(event.tool_call_metadata)
    const response = fieldsIn(about.model_response)
    const answerId = textIn(response.id) ?? `action ${String(event.id)}`
    const isNew = !this.conversation.isOpenAnswer(answerId)
    const usage = fieldsIn(response.usage)
    const tokenUsage = usageFrom({
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
      cacheRead:
        usage.cache_read_input_tokens ?? fieldsIn(usage.prompt_tokens_details).cached_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
      inputHoldsCache: true,
    })
    const model = modelRef('openhands', response.model)
    this.conversation.answer(answerId, origin, { model, ...(tokenUsage && { tokenUsage }) })
    this.#hasOpenAnswer = true
    const args = fieldsIn(event.args)
    const text = event.action === 'message' ? messageText(event) : (textIn(args.thought) ?? '')
    if (text !== '' && isNew) this.conversation.part({ type: 'text', text })
    if (event.action === 'message') return
    const callId = textIn(about.tool_call_id) ?? `action_${String(event.id)}`
    this.#callOf.set(String(event.id), callId)
    const name = textIn(about.function_name) ?? String(event.action)
    this.conversation.call(callId, name, readArguments(response, callId) ?? args)
  }

  #observation(event: Fields, origin: Origin): void {
    const about = fieldsIn(event.tool_call_metadata)
    const id = textIn(about.tool_call_id) ?? this.#callOf.get(String(event.cause))
    const text = textIn(event.content) ?? messageText(event)
    if (id === undefined || !this.#hasOpenAnswer) {
      this.conversation.reminder(text, origin)
      return
    }
    const exitCode = fieldsIn(fieldsIn(event.extras).metadata).exit_code
    const isError = event.observation === 'error' || (typeof exitCode === 'number' && exitCode > 0)
    this.conversation.result(
      { id, content: [{ type: 'text', text }], status: isError ? 'failed' : 'completed' },
      origin,
    )
  }

  /** Forgets events by id; a summary may replace them. */
  #condensation(event: Fields, record: RawRecord): KeptBecause {
    const args = fieldsIn(event.args)
    const [first, last] = [args.forgotten_events_start_id, args.forgotten_events_end_id]
    const forgotten = new Set(listIn(args.forgotten_event_ids).map(String))
    const isForgotten = (name: string) =>
      forgotten.has(name) ||
      (typeof first === 'number' &&
        typeof last === 'number' &&
        Number(name) >= first &&
        Number(name) <= last)
    const summary = textIn(args.summary)
    const before = this.#names.findIndex(isForgotten)
    if (before < 0) return 'condensation: forgets nothing that is here'
    const keeps = this.#names.filter((name) => !isForgotten(name)).map((keep) => ({ keep }))
    const put = [
      ...keeps.slice(0, before),
      ...(summary ? summaryEntries(summary) : []),
      ...keeps.slice(before),
    ]
    this.conversation.raw(record)
    this.conversation.compaction({ put, metadata: { recorded: args } })
    return undefined
  }
}

function messageText(event: Fields): string {
  return textIn(fieldsIn(event.args).content) ?? textIn(event.message) ?? ''
}

/** The model's own arguments; `args` holds the program's version. */
function readArguments(response: Fields, callId: string): Json | undefined {
  for (const choice of listIn(response.choices)) {
    const calls = listIn(fieldsIn(fieldsIn(choice).message).tool_calls).map(fieldsIn)
    const call = calls.find(({ id }) => id === callId)
    if (call) return argumentsIn(fieldsIn(call.function).arguments)
  }
  return undefined
}
