// The items of a Responses request as the assistant sees them.
import type { Fields } from '../../core/text/json.ts'
import type { Item } from '../../validate/openai-responses/items.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  type AskedTurn,
  type ToolChoice,
  textOfContent,
} from '../asked.ts'
import { unsealed } from '../seal.ts'
import { parsedJson } from './request.ts'

export function readResponses(body: Fields, items: readonly Item[]): Asked {
  const { max_output_tokens: limit, reasoning } = body
  const { effort } = fieldsOf(reasoning)
  const isCompacting = items.at(-1)?.type === 'compaction_trigger'
  return {
    wire: 'openai-responses',
    model: textOf(body.model) ?? '',
    system: [
      textOfContent(body.instructions),
      ...items.filter(isSystem).map(({ fields }) => textOfContent(fields.content)),
    ].join('\n'),
    turns: items.filter((item) => !isSystem(item)).flatMap(turnOf),
    tools: listOf(body.tools).flatMap((tool) => {
      const { type, name, parameters } = fieldsOf(tool)
      return type === 'function' && typeof name === 'string'
        ? [{ name, schema: parameters ?? {} }]
        : []
    }),
    toolChoice: choiceOf(body),
    parallelCalls: body.parallel_tool_calls !== false,
    thinking: isGiven(reasoning) && effort !== 'none',
    stream: body.stream === true,
    stopSequences: [],
    ...(typeof limit === 'number' && { maxOutputTokens: limit }),
    ...(isCompacting && { compaction: {} }),
  }
}

function isSystem({ type, fields }: Item): boolean {
  return type === 'message' && (fields.role === 'system' || fields.role === 'developer')
}

function choiceOf({ tool_choice: choice }: Fields): ToolChoice {
  if (choice === 'none') return 'none'
  if (choice === 'required') return 'any'
  const name = textOf(fieldsOf(choice).name)
  return name === undefined ? 'auto' : { name }
}

/** Each item is a turn of its own; the assistant only looks at their order. */
function turnOf({ type = '', fields }: Item): readonly AskedTurn[] {
  const id = textOf(fields.call_id) ?? ''
  if (type === 'message') {
    const role = fields.role === 'assistant' ? 'assistant' : 'user'
    return [{ role, parts: [{ type: 'text', text: textOfContent(fields.content) }] }]
  }
  if (type === 'compaction') {
    const text = unsealed(type, '', textOf(fields.encrypted_content) ?? '')?.payload ?? ''
    const parts: readonly AskedPart[] = [
      { type: 'text', text: Buffer.from(text, 'base64url').toString('utf8') },
    ]
    return [{ role: 'user', parts }]
  }
  if (type.endsWith('_call')) {
    const given = textOf(fields.arguments) ?? textOf(fields.input) ?? ''
    const name = textOf(fields.name) ?? type
    return [
      { role: 'assistant', parts: [{ type: 'call', id, name, arguments: parsedJson(given) }] },
    ]
  }
  if (!type.endsWith('_output')) return []
  const text = textOfContent(fields.output)
  return [{ role: 'user', parts: [{ type: 'result', id, text, failed: false }] }]
}
