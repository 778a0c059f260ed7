// Turns the lines of Ollama's stream into frames.
import type { EndFrame, ModelFrame } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { ModelRef, StopReason } from '../../core/view/content.ts'
import { readUsage } from '../../wire/answer-facts.ts'
import { Stretches, ThinkTags } from '../openai/stretches.ts'

interface OllamaSource {
  readonly model: ModelRef
  /** The tool names as the request knows them. */
  toolName(wireName: string): string
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = { stop: 'end', length: 'length' }
const FIGURES = ['prompt_eval_count', 'eval_count', 'total_duration', 'load_duration'] as const

/** Takes lines in order and returns the frames each completes. Calls arrive whole. */
export class OllamaDecoder {
  readonly #source: OllamaSource
  readonly #stretches: Stretches
  readonly #tags = new ThinkTags()
  #calls = 0
  isComplete = false

  constructor(source: OllamaSource) {
    this.#source = source
    this.#stretches = new Stretches(source.model)
  }

  get model(): ModelRef {
    return this.#source.model
  }

  *decode(line: Json): Generator<ModelFrame> {
    if (!isFields(line)) return
    if (isFields(line.message)) yield* this.#extend(line.message)
    if (line.done !== true) return
    for (const { kind, text } of this.#tags.end()) yield* this.#stretches.add(kind, text)
    yield* this.#stretches.close()
    this.isComplete = true
    yield this.#end(line)
  }

  *#extend({ thinking, content, tool_calls: calls }: Fields): Generator<ModelFrame> {
    if (typeof thinking === 'string') yield* this.#stretches.add('thinking', thinking)
    if (typeof content === 'string')
      for (const { kind, text } of this.#tags.push(content)) yield* this.#stretches.add(kind, text)
    if (!Array.isArray(calls)) return
    for (const call of calls) {
      if (!isFields(call) || !isFields(call.function)) continue
      yield* this.#stretches.close()
      yield this.#call(call, call.function)
    }
  }

  /** Older servers give calls no id. */
  #call({ id }: Fields, { name, arguments: given }: Fields): ModelFrame {
    this.#calls += 1
    return {
      type: 'call',
      id: typeof id === 'string' && id !== '' ? id : `call_${this.#calls}`,
      name: this.#source.toolName(typeof name === 'string' ? name : ''),
      arguments: given ?? {},
    }
  }

  #end(line: Fields): EndFrame {
    const raw = typeof line.done_reason === 'string' ? line.done_reason : undefined
    const usage = ollamaUsage(line)
    const reported = FIGURES.filter((name) => typeof line[name] === 'number')
    return {
      type: 'end',
      stopReason: this.#stopReason(raw),
      ...(usage && { usage }),
      ...(raw !== undefined && { rawStopReason: raw }),
      ...(reported.length > 0 && {
        rawUsage: Object.fromEntries(reported.map((name) => [name, line[name] ?? null])),
      }),
    }
  }

  /** Servers before 0.1.45 report the end without a reason. */
  #stopReason(raw = 'stop'): StopReason {
    const reason = STOP_REASONS[raw] ?? 'error'
    return reason === 'end' && this.#calls > 0 ? 'tool_use' : reason
  }
}

/** An old server omits the prompt if all of it was cached: then its size is unknown. */
function ollamaUsage({ prompt_eval_count: input, eval_count: output }: Fields) {
  return readUsage({ input, output, inputHoldsCache: true })
}

/** Ollama publishes no rules, and uses the same templates for requests. */
export function asChat(body: Fields): Fields {
  const { messages, tools } = body
  const list: readonly Json[] = Array.isArray(messages) ? messages : []
  return {
    messages: list.map((message) => (isFields(message) ? asChatMessage(message) : message)),
    ...(tools !== undefined && { tools }),
  }
}

function asChatMessage({ role, content, tool_calls: calls, tool_call_id: id, images }: Fields) {
  const list: readonly Json[] = Array.isArray(calls) ? calls : []
  return {
    role: role ?? null,
    // A message with only images is not empty.
    content: content === '' && images !== undefined ? '(images)' : (content ?? null),
    ...(id !== undefined && { tool_call_id: id }),
    ...(calls !== undefined && { tool_calls: list.filter(isFields).map(asChatCall) }),
  }
}

function asChatCall({ id = null, function: body }: Fields): Json {
  const { name = null, arguments: given = null } = isFields(body) ? body : {}
  return {
    id: id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }
}
