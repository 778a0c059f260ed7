// A model request as the body of a Responses call: nothing is stored there, reasoning is carried along.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import { WireNames } from '../names.ts'
import { readEffort } from '../openai-chat/profile.ts'
import { nativeFields, systemText, type Written } from '../openai-chat/write.ts'
import { wellFormed } from '../prepare.ts'
import type { Note } from '../rounds.ts'
import { inputItems, type ResponsesProfile } from './items.ts'

export function writeResponses(
  request: ModelRequest,
  profile: ResponsesProfile,
  note: Note,
): Written {
  const names = new WireNames(note)
  const tools = request.tools.map((tool) => functionTool(tool, names))
  const instructions = systemText(request.system)
  const body = {
    model: request.model,
    ...(instructions !== '' && { instructions }),
    input: inputItems(request.messages, profile, names, note),
    ...(tools.length > 0 && { tools, tool_choice: request.toolChoice }),
    max_output_tokens: request.maxOutputTokens,
    ...readReasoning(request, profile),
    store: false,
    ...(profile.encryptedReasoning && { include: ['reasoning.encrypted_content'] }),
    ...nativeFields(request, profile.provider),
    stream: true,
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

/** Not strict: the schemas of tools are any JSON Schema, and strict ones must be of a narrower kind. */
function functionTool(tool: ToolSchema, names: WireNames): Json {
  return {
    type: 'function',
    name: names.of(tool.name),
    description: tool.description,
    parameters: tool.inputSchema,
    strict: false,
  }
}

function readReasoning({ thinking }: ModelRequest, profile: ResponsesProfile): Fields {
  if (thinking === undefined || !profile.encryptedReasoning) return {}
  const effort = readEffort(thinking)
  const reasoning = {
    ...(effort && { effort }),
    ...(profile.reasoningSummary && { summary: 'auto' }),
  }
  return Object.keys(reasoning).length === 0 ? {} : { reasoning }
}
