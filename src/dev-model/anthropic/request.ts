// An Anthropic request as the assistant sees it.
import type { Fields } from '../../core/text/json.ts'
import { type Block, messagesOf } from '../../validate/anthropic/conversation.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../../validate/walk.ts'
import { type Asked, type AskedPart, type ToolChoice, textOfContent } from '../asked.ts'

export function readAnthropic(body: Fields): Asked {
  const messages = messagesOf(body)
  const { max_tokens, thinking, tool_choice, compaction } = body
  const instructions = textOf(fieldsOf(compaction).instructions)
  const thinkingType = fieldsOf(thinking).type
  return {
    wire: 'anthropic',
    model: textOf(body.model) ?? '',
    system: [
      textOfContent(body.system),
      ...messages.flatMap(({ role, fields }) =>
        role === 'system' ? [textOfContent(fields.content)] : [],
      ),
    ].join('\n'),
    turns: messages.flatMap(({ role, blocks }) =>
      role === 'user' || role === 'assistant' ? [{ role, parts: blocks.flatMap(partOf) }] : [],
    ),
    tools: listOf(body.tools).map((tool) => {
      const { name, input_schema } = fieldsOf(tool)
      return { name: textOf(name) ?? '', schema: input_schema ?? {} }
    }),
    toolChoice: choiceOf(fieldsOf(tool_choice)),
    parallelCalls: fieldsOf(tool_choice).disable_parallel_tool_use !== true,
    thinking: thinkingType === 'enabled' || thinkingType === 'adaptive',
    stream: body.stream === true,
    stopSequences: listOf(body.stop_sequences).flatMap((each) => textOf(each) ?? []),
    ...(typeof max_tokens === 'number' && { maxOutputTokens: max_tokens }),
    ...(isGiven(compaction) && {
      compaction: { ...(instructions !== undefined && { instructions }) },
    }),
  }
}

function choiceOf({ type, name }: Fields): ToolChoice {
  if (type === 'none' || type === 'any') return type
  const wanted = textOf(name)
  return type === 'tool' && wanted !== undefined ? { name: wanted } : 'auto'
}

function partOf({ type, fields }: Block): readonly AskedPart[] {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: textOf(fields.text) ?? '' }]
    case 'compaction':
      return [{ type: 'text', text: textOf(fields.content) ?? '' }]
    case 'tool_use': {
      const [id, name] = [textOf(fields.id) ?? '', textOf(fields.name) ?? '']
      return [{ type: 'call', id, name, arguments: fields.input ?? {} }]
    }
    case 'tool_result': {
      const id = textOf(fields.tool_use_id) ?? ''
      const text = textOfContent(fields.content)
      return [{ type: 'result', id, text, failed: fields.is_error === true }]
    }
    default:
      return []
  }
}
