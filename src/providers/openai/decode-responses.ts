// The events of a Responses stream as frames: items are whole when they are done.

import type { ModelFrame } from '../../core/model.ts'
import { type Fields, isFields, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { ModelRef, StopReason } from '../../core/view/content.ts'
import { readUsage, responsesUsage } from '../../wire/answer-facts.ts'
import { cutOff } from './stretches.ts'

interface ResponsesSource {
  readonly provider: string
  readonly model: ModelRef
  /** The tool names as the request knows them. */
  toolName(wireName: string): string
}

/** Takes events in order and returns the frames each completes. Ignores unknown events. */
export class ResponsesDecoder {
  readonly #source: ResponsesSource
  #hasCalled = false
  #hasRefused = false
  #hasThought = false
  #isComplete = false

  constructor(source: ResponsesSource) {
    this.#source = source
  }

  *decode(event: Json): Generator<ModelFrame> {
    if (!isFields(event)) return
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        yield* delta('text-delta', event.delta)
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#hasThought = true
        yield* delta('thinking-delta', event.delta)
        return
      case 'response.reasoning_summary_part.added':
        if (this.#hasThought) yield { type: 'thinking-delta', text: '\n\n' }
        return
      case 'response.output_item.done':
        if (isFields(event.item)) yield* this.#item(event.item)
        return
      case 'response.completed':
      case 'response.incomplete':
        if (isFields(event.response)) yield this.#end(event.response)
        return
      case 'response.failed':
        throw classifyFailure(isFields(event.response) ? event.response.error : undefined)
      case 'error':
        throw classifyFailure(event)
    }
  }

  /** Throws if the stream ended before the answer did. */
  requireComplete(): void {
    if (!this.#isComplete) throw cutOff(this.#source.model)
  }

  *#item(item: Fields): Generator<ModelFrame> {
    switch (item.type) {
      case 'message':
        for (const part of objectsIn(item.content)) yield* this.#messagePart(part, item)
        return
      case 'function_call':
        this.#hasCalled = true
        yield callFrame(
          stringIn(item.call_id) || stringIn(item.id),
          this.#source.toolName(stringIn(item.name)),
          stringIn(item.arguments),
        )
        return
      case 'reasoning':
        yield* this.#reasoning(item)
        return
      default:
        yield this.#native(item)
    }
  }

  /** The phase of a message is sent back with its text; citations stay with the native items. */
  *#messagePart(part: Fields, item: Fields): Generator<ModelFrame> {
    if (part.type === 'refusal') this.#hasRefused = true
    const text = stringIn(part.text) || stringIn(part.refusal)
    const { phase } = item
    const { provider } = this.#source
    if (text === '') return
    yield {
      type: 'part',
      part: {
        type: 'text',
        text,
        ...(typeof phase === 'string' && { extra: { provider, fields: { phase } } }),
      },
    }
  }

  /** With its encrypted content it is sent back unchanged; without, only its text is useful. */
  *#reasoning(item: Fields): Generator<ModelFrame> {
    if (stringIn(item.encrypted_content) !== '') {
      yield this.#native(item)
      return
    }
    const words = [...objectsIn(item.summary), ...objectsIn(item.content)]
    const thinking = words.map((each) => stringIn(each.text)).join('\n\n')
    if (thinking !== '')
      yield { type: 'part', part: { type: 'thinking', thinking, model: this.#source.model } }
  }

  #native(value: Fields): ModelFrame {
    return { type: 'part', part: { type: 'native', provider: this.#source.provider, value } }
  }

  #end(response: Fields): ModelFrame {
    this.#isComplete = true
    const { status, usage: reported, incomplete_details: details } = response
    const reason = isFields(details) ? stringIn(details.reason) : ''
    const usage = readUsage(responsesUsage(reported))
    return {
      type: 'end',
      stopReason: this.#stopReason(reason),
      ...(usage && { usage }),
      rawStopReason: reason || (typeof status === 'string' ? status : 'completed'),
      ...(isFields(reported) && { rawUsage: reported }),
    }
  }

  #stopReason(incomplete: string): StopReason {
    if (incomplete === 'max_output_tokens') return 'length'
    if (incomplete === 'content_filter' || this.#hasRefused) return 'refusal'
    if (incomplete !== '') return 'error'
    return this.#hasCalled ? 'tool_use' : 'end'
  }
}

function* delta(type: 'text-delta' | 'thinking-delta', text: Json | undefined) {
  if (typeof text === 'string' && text !== '') yield { type, text }
}

/** In the shape of an SDK error, so that code and message are classified like any refusal. */
function classifyFailure(error: Json | undefined): Error {
  const { code, message } = isFields(error) ? error : {}
  const words = typeof message === 'string' ? message : 'the answer failed without a reason'
  return Object.assign(new Error(words), typeof code === 'string' && { code })
}

function objectsIn(value: Json | undefined): Fields[] {
  return listIn(value).filter(isFields)
}

function stringIn(value: Json | undefined): string {
  return textIn(value) ?? ''
}

/** Models without arguments send nothing, or null. */
export function callFrame(id: string, name: string, text: string): ModelFrame {
  const given = text.trim() === '' ? {} : parsed(text)
  return given === undefined
    ? { type: 'broken-call', id, name, text }
    : { type: 'call', id, name, arguments: given ?? {} }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
