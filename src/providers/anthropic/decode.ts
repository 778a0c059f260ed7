// Turns the events of Anthropic's stream into frames; collects blocks until they are complete.
import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame } from '../../core/model.ts'
import { type Fields, isFields, type Json, textIn } from '../../core/text/json.ts'
import type { ModelRef, TokenUsage } from '../../core/view/content.ts'
import { ANTHROPIC_STOP_REASONS, anthropicUsage, readUsage } from '../../wire/answer-facts.ts'
import { without } from '../../wire/anthropic/shape.ts'

/** The figures from the start, overridden by those at the end. Nulls are ignored. */
function mergedUsage(start: Json | undefined, end: Json | undefined): Json | undefined {
  const both = { ...knownFields(start), ...knownFields(end) }
  return Object.keys(both).length === 0 ? undefined : both
}

function knownFields(value: Json | undefined): Fields {
  if (!isFields(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
}

/** An incomplete block: its fields so far, and its input's JSON as text. */
interface OpenBlock {
  fields: Fields
  json: string
}

export interface StreamSource {
  readonly provider: string
  readonly model: string
  readonly onBegin?: ((usage: TokenUsage) => void) | undefined
}

/** Takes events in order and returns the frames each completes. Ignores unknown events. */
export class StreamDecoder {
  readonly #source: StreamSource
  readonly #open = new Map<Json, OpenBlock>()
  #startUsage: Json | undefined
  #endUsage: Json | undefined
  #stopReason: string | undefined
  #isComplete = false

  constructor(source: StreamSource) {
    this.#source = source
  }

  *decode(event: Json): Generator<ModelFrame> {
    if (!isFields(event)) return
    switch (event.type) {
      case 'message_start':
        this.#start(isFields(event.message) ? event.message.usage : undefined)
        return
      case 'content_block_start':
        if (isFields(event.content_block))
          this.#open.set(event.index ?? null, { fields: event.content_block, json: '' })
        return
      case 'content_block_delta':
        yield* this.#extend(event)
        return
      case 'content_block_stop':
        yield* this.#close(event.index ?? null)
        return
      case 'message_delta':
        this.#endUsage = mergedUsage(this.#endUsage, event.usage)
        if (isFields(event.delta) && typeof event.delta.stop_reason === 'string')
          this.#stopReason = event.delta.stop_reason
        return
      case 'message_stop':
        this.#isComplete = true
        yield this.#end()
    }
  }

  /** Throws if the connection ended before the answer did. */
  requireComplete(): void {
    if (this.#isComplete) return
    throw new PrecisError('unreachable', 'The connection ended before the answer did.', {
      where: `${this.#source.provider}/${this.#source.model}`,
      hint: 'Check the network, then try again.',
      retryable: true,
    })
  }

  #start(reported: Json | undefined): void {
    this.#startUsage = reported
    const usage = readUsage(anthropicUsage(reported))
    if (usage) this.#source.onBegin?.(usage)
  }

  *#extend({ index, delta }: Fields): Generator<ModelFrame> {
    const block = this.#open.get(index ?? null)
    if (block === undefined || !isFields(delta)) return
    if (delta.type === 'input_json_delta') {
      if (typeof delta.partial_json === 'string') block.json += delta.partial_json
      return
    }
    block.fields = extended(block.fields, delta)
    if (delta.type === 'text_delta' && typeof delta.text === 'string')
      yield { type: 'text-delta', text: delta.text }
    if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string' && delta.thinking)
      yield { type: 'thinking-delta', text: delta.thinking }
  }

  *#close(index: Json): Generator<ModelFrame> {
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    yield buildFrame(block, this.#source)
  }

  /** An unknown reason does not count as success. */
  #end(): ModelFrame {
    const reported = mergedUsage(this.#startUsage, this.#endUsage)
    const usage = readUsage(anthropicUsage(reported))
    return {
      type: 'end',
      stopReason: ANTHROPIC_STOP_REASONS[this.#stopReason ?? ''] ?? 'error',
      ...(usage && { usage }),
      ...(this.#stopReason !== undefined && { rawStopReason: this.#stopReason }),
      ...(reported !== undefined && { rawUsage: reported }),
    }
  }
}

/** Applies a delta of any kind, including future ones: texts and lists grow, other fields are replaced. */
function extended(fields: Fields, delta: Fields): Fields {
  if (delta.type === 'citations_delta') return grown(fields, 'citations', [delta.citation ?? null])
  // A signature arrives whole and replaces the initial empty one.
  if (delta.type === 'signature_delta') return { ...fields, ...without(delta, 'type') }
  let all = fields
  for (const [name, value] of Object.entries(without(delta, 'type'))) all = grown(all, name, value)
  return all
}

function grown(fields: Fields, name: string, more: Json): Fields {
  const there = fields[name]
  if (more === null) return fields
  if (typeof there === 'string' && typeof more === 'string')
    return { ...fields, [name]: there + more }
  if (Array.isArray(there) && Array.isArray(more)) return { ...fields, [name]: [...there, ...more] }
  return { ...fields, [name]: more }
}

function buildFrame({ fields, json }: OpenBlock, { provider, model }: StreamSource): ModelFrame {
  const ref: ModelRef = `${provider}/${model}`
  const signature = textIn(fields.signature)
  switch (fields.type) {
    case 'text':
      return { type: 'part', part: textPart(fields, provider) }
    case 'thinking':
      return {
        type: 'part',
        part: {
          type: 'thinking',
          thinking: textIn(fields.thinking) ?? '',
          ...(signature && { signature }),
          model: ref,
        },
      }
    case 'redacted_thinking':
      return {
        type: 'part',
        part: { type: 'redacted_thinking', data: textIn(fields.data) ?? '', model: ref },
      }
    case 'tool_use':
      return callFrame(fields, json)
    default:
      return { type: 'part', part: { type: 'native', provider, value: nativeValue(fields, json) } }
  }
}

/** Keeps citations and other fields of a text; nulls carry no information. */
function textPart(fields: Fields, provider: string) {
  const extra = Object.fromEntries(
    Object.entries(without(fields, 'type', 'text')).filter(([, value]) => value !== null),
  )
  return {
    type: 'text' as const,
    text: textIn(fields.text) ?? '',
    ...(Object.keys(extra).length > 0 && { extra: { provider, fields: extra } }),
  }
}

function callFrame(fields: Fields, json: string): ModelFrame {
  const id = textIn(fields.id) ?? ''
  const name = textIn(fields.name) ?? ''
  const given = parsed(json, fields.input ?? {})
  return given === undefined
    ? { type: 'broken-call', id, name, text: json }
    : { type: 'call', id, name, arguments: given }
}

/** The block as it is sent back (VALID-A20). A truncated input stays as it was at the block's start. */
function nativeValue(fields: Fields, json: string): Json {
  const input = json === '' ? undefined : parsed(json, {})
  return input === undefined ? fields : { ...fields, input }
}

function parsed(json: string, whenEmpty: Json): Json | undefined {
  if (json.trim() === '') return whenEmpty
  try {
    return JSON.parse(json) as Json
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
