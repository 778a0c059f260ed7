// A Responses answer as the events of a stream, each with its number.
import type { Fields } from '../../core/text/json.ts'
import { fieldsOf, listOf, textOf } from '../../validate/walk.ts'
import { pieces, sseFrame } from '../http.ts'
import type { Refusal, Turn } from '../wire-format.ts'
import { tellOpenai } from './errors.ts'
import { outputItems, responseObject, statusOf } from './responses-answer.ts'

/** An event without its number. */
interface Event extends Fields {
  readonly type: string
}

export function* responsesFrames(turn: Turn): Iterable<string> {
  let number = 0
  for (const { type, ...rest } of eventsOf(turn)) {
    yield sseFrame({ type, sequence_number: number, ...rest }, type)
    number += 1
  }
}

/** The number is not known here; clients only read the message. */
export function responsesErrorFrame(refusal: Refusal): string {
  const { message, code, param } = tellOpenai('openai-responses', refusal)
  const data = {
    type: 'error',
    code: code ?? null,
    message,
    param: param ?? null,
    sequence_number: 0,
  }
  return sseFrame(data, 'error')
}

function* eventsOf(turn: Turn): Iterable<Event> {
  const begun = responseObject(turn, 'in_progress', [])
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const items = outputItems(turn)
  for (const [index, item] of items.entries()) yield* itemEvents(item, index)
  const status = statusOf(turn)
  yield { type: `response.${status}`, response: responseObject(turn, status, items) }
}

function* itemEvents(item: Fields, index: number): Iterable<Event> {
  const at = { output_index: index }
  const place = { item_id: item.id ?? '', ...at }
  yield { type: 'response.output_item.added', ...at, item: begunItem(item) }
  switch (item.type) {
    case 'message':
      yield* messageEvents(fieldsOf(listOf(item.content)[0]), place)
      break
    case 'function_call': {
      const text = textOf(item.arguments) ?? ''
      for (const delta of pieces(text)) {
        yield { type: 'response.function_call_arguments.delta', ...place, delta }
      }
      yield { type: 'response.function_call_arguments.done', ...place, arguments: text }
      break
    }
    case 'reasoning':
      for (const [at, part] of listOf(item.summary).entries()) {
        yield* summaryEvents(fieldsOf(part), { ...place, summary_index: at })
      }
      break
  }
  yield { type: 'response.output_item.done', ...at, item }
}

function begunItem(item: Fields): Fields {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'reasoning':
      return { ...item, summary: [] }
    default:
      return item
  }
}

function* messageEvents(part: Fields, item: Fields): Iterable<Event> {
  const place = { ...item, content_index: 0 }
  const isRefusal = part.type === 'refusal'
  const text = textOf(isRefusal ? part.refusal : part.text) ?? ''
  const empty = isRefusal ? { ...part, refusal: '' } : { ...part, text: '' }
  const name = isRefusal ? 'response.refusal' : 'response.output_text'
  const logprobs = isRefusal ? {} : { logprobs: [] }
  yield { type: 'response.content_part.added', ...place, part: empty }
  for (const delta of pieces(text)) yield { type: `${name}.delta`, ...place, delta, ...logprobs }
  yield {
    type: `${name}.done`,
    ...place,
    ...(isRefusal ? { refusal: text } : { text }),
    ...logprobs,
  }
  yield { type: 'response.content_part.done', ...place, part }
}

function* summaryEvents(part: Fields, place: Fields): Iterable<Event> {
  const text = textOf(part.text) ?? ''
  yield { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } }
  for (const delta of pieces(text)) {
    yield { type: 'response.reasoning_summary_text.delta', ...place, delta }
  }
  yield { type: 'response.reasoning_summary_text.done', ...place, text }
  yield { type: 'response.reasoning_summary_part.done', ...place, part }
}
