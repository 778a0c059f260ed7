// An answer in the shape of Responses: the items of its output, and the object around them.
import type { Fields, Json } from '../../core/text/json.ts'
import { fieldsOf, listOf, textOf } from '../../validate/walk.ts'
import { idOf } from '../digest.ts'
import { type ReplyPart, textOfKind } from '../reply.ts'
import { sealed } from '../seal.ts'
import type { Turn } from '../wire-format.ts'
import { isCompactPath, keptMessages } from './responses-body.ts'

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete'

export function wholeResponse(turn: Turn): Fields {
  if (isCompactPath(turn.path)) return compactedResponse(turn)
  return responseObject(turn, statusOf(turn), outputItems(turn))
}

/** The answer of the compact call: the window to continue with. */
function compactedResponse(turn: Turn): Fields {
  return {
    id: idOf('resp_', turn.seed),
    object: 'response.compaction',
    created_at: Math.floor(turn.at.getTime() / 1_000),
    output: [...keptMessages(turn.body), ...outputItems(turn)],
    usage: usageOf(turn),
  }
}

/** What a response looks like while it is made, and at its end. */
export function responseObject(
  turn: Turn,
  status: ResponseStatus,
  output: readonly Fields[],
): Fields {
  const { seed, at, body, asked } = turn
  const isOver = status !== 'in_progress'
  const created = Math.floor(at.getTime() / 1_000)
  return {
    id: idOf('resp_', seed),
    object: 'response',
    created_at: created,
    status,
    completed_at: status === 'completed' ? created : null,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: asked.model,
    output,
    parallel_tool_calls: asked.parallelCalls,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...fieldsOf(body.reasoning) },
    service_tier: 'default',
    store: body.store !== false,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: listOf(body.tools),
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: isOver ? usageOf(turn) : null,
    user: null,
    metadata: body.metadata ?? {},
  }
}

export function statusOf({ reply }: Turn): ResponseStatus {
  return reply.ending === 'length' || reply.ending === 'window' ? 'incomplete' : 'completed'
}

/** Texts next to each other are one message. */
export function outputItems(turn: Turn): readonly Fields[] {
  const { asked, reply } = turn
  if (asked.compaction !== undefined) {
    if (reply.ending !== 'end') return []
    const content = encrypted('compaction', textOfKind(reply, 'text'), asked.model)
    return [{ id: idOf('cmp_', turn.seed), type: 'compaction', encrypted_content: content }]
  }
  return reply.parts.map((part, index) => itemOf(part, turn, index))
}

function itemOf(part: ReplyPart, turn: Turn, index: number): Fields {
  const id = (prefix: string) => idOf(prefix, turn.seed, String(index))
  const isLast = index === turn.reply.parts.length - 1
  const status = isLast ? statusOf(turn) : 'completed'
  switch (part.type) {
    case 'text': {
      const content =
        turn.reply.ending === 'refusal'
          ? { type: 'refusal', refusal: part.text }
          : { type: 'output_text', text: part.text, annotations: [], logprobs: [] }
      return { id: id('msg_'), type: 'message', status, role: 'assistant', content: [content] }
    }
    case 'call':
      return {
        id: id('fc_'),
        type: 'function_call',
        status,
        call_id: part.id.startsWith('call_') ? part.id : `call_${part.id}`,
        name: part.name,
        arguments: part.arguments,
      }
    default: {
      const text = part.type === 'thinking' ? part.thinking : part.data
      return reasoningItem(id('rs_'), text, turn.body)
    }
  }
}

/** What the model thought is shown only if a summary was asked for, and sealed where that was. */
function reasoningItem(id: string, text: string, body: Fields): Fields {
  const { summary } = fieldsOf(body.reasoning)
  const isSealed = listOf(body.include).includes('reasoning.encrypted_content')
  const shown: readonly Json[] =
    textOf(summary) === undefined ? [] : [{ type: 'summary_text', text }]
  return {
    id,
    type: 'reasoning',
    summary: shown,
    ...(isSealed && {
      encrypted_content: encrypted('reasoning', text, textOf(body.model) ?? ''),
    }),
  }
}

function encrypted(kind: string, text: string, model: string): string {
  return sealed(kind, '', { prefix: '', model }, Buffer.from(text).toString('base64url'))
}

function usageOf({ usage }: Turn): Json {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.readTokens, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
