// The events of a Responses stream as frames: items are whole when they are done.
// The frames of an answer that comes as running text: each stretch is given whole where it ends.

import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame } from '../../core/model.ts'
import { type Fields, isFields, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { ModelRef, StopReason } from '../../core/view/content.ts'
import { readUsage, responsesUsage } from '../../wire/prepare.ts'

interface ResponsesSource {
  readonly provider: string
  readonly model: ModelRef
  /** The names of tools as the request knows them. */
  toolName(wireName: string): string
}

/** Takes events in order and gives the frames that each completes. Unknown events say nothing. */
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

  /** The phase of a message goes back with its text; citations stay with the provider's own items. */
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

  /** With its sealed content it goes back as it is; without, only its words are of use. */
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

/** As the SDK would throw it: its code and its words are read like those of any refusal. */
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

/** Models without arguments to give send nothing at all, or null. */
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

type Kind = 'text' | 'thinking'

/** At most one stretch is open at a time; another kind closes it. */
export class Stretches {
  readonly #model: ModelRef
  #kind: Kind = 'text'
  #text = ''

  constructor(model: ModelRef) {
    this.#model = model
  }

  *add(kind: Kind, text: string): Generator<ModelFrame> {
    if (text === '') return
    if (kind !== this.#kind) yield* this.close()
    this.#kind = kind
    this.#text += text
    yield { type: kind === 'text' ? 'text-delta' : 'thinking-delta', text }
  }

  *close(): Generator<ModelFrame> {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    yield {
      type: 'part',
      part:
        this.#kind === 'text'
          ? { type: 'text', text }
          : { type: 'thinking', thinking: text, model: this.#model },
    }
  }
}

/** An answer that stopped without its end is none. */
export function cutOff(model: ModelRef): PrecisError {
  return new PrecisError('unreachable', 'The connection ended before the answer did.', {
    where: model,
    hint: 'Check the network, then try again.',
    retryable: true,
  })
}

/** Only before the first frame: one that was given out rules out a second attempt. */
export async function* withRepairs(
  problems: readonly string[],
  frames: AsyncIterable<ModelFrame>,
): AsyncGenerator<ModelFrame> {
  let isFirst = true
  for await (const frame of frames) {
    if (isFirst && problems.length > 0) yield { type: 'repairs', problems }
    isFirst = false
    yield frame
  }
}

/**
 * Servers that do not know a model's way of thinking leave it in the text: <think>…</think> at its
 * start.
 */
interface Said {
  readonly kind: 'thinking' | 'text'
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

/** Splits a text that comes in pieces. What could still become a tag is held back until it cannot. */
export class ThinkTags {
  #state: 'start' | 'inside' | 'thinking' | 'behind' | 'text' = 'start'
  #held = '';

  *push(piece: string): Generator<Said> {
    this.#held += piece
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'inside') this.#skipBlanks('thinking')
    if (this.#state === 'thinking') yield* this.#think()
    if (this.#state === 'behind') this.#skipBlanks('text')
    if (this.#state === 'text') yield* this.#give('text', this.#held.length)
  }

  /** What is left at the end: a tag that never came was text. */
  *end(): Generator<Said> {
    yield* this.#give(this.#state === 'thinking' ? 'thinking' : 'text', this.#held.length)
  }

  #begin(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(OPEN)) {
      this.#state = 'inside'
      this.#held = text.slice(OPEN.length)
    } else if (!OPEN.startsWith(text)) this.#state = 'text'
  }

  *#think(): Generator<Said> {
    const end = this.#held.indexOf(CLOSE)
    if (end === -1) {
      yield* this.#give('thinking', this.#held.length - beginning(this.#held, CLOSE))
      return
    }
    yield* this.#give('thinking', end)
    this.#held = this.#held.slice(CLOSE.length)
    this.#state = 'behind'
  }

  /** Blanks behind a tag belong to it. */
  #skipBlanks(next: 'thinking' | 'text'): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#state = next
  }

  *#give(kind: Said['kind'], chars: number): Generator<Said> {
    const text = this.#held.slice(0, chars)
    this.#held = this.#held.slice(chars)
    if (text !== '') yield { kind, text }
  }
}

/** How much of the tag the text ends with. */
function beginning(text: string, tag: string): number {
  for (let chars = Math.min(tag.length - 1, text.length); chars > 0; chars -= 1)
    if (text.endsWith(tag.slice(0, chars))) return chars
  return 0
}
