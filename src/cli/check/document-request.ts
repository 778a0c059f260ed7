// The request that a document of any wire format makes: its tools, its limit, and the messages read from it.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { View } from '../../formats/format.ts'
import { fieldsOf, listOf, textOf } from '../../validate/walk.ts'
import type { WireFormat } from './check-format.ts'

const USUAL_OUTPUT_TOKENS = 4_096

export function requestIn(format: WireFormat, view: View, envelope: Fields): ModelRequest {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig } = envelope
  const { maxOutputTokens } = fieldsOf(generationConfig)
  const limit = [max_tokens, max_completion_tokens, max_output_tokens, maxOutputTokens].find(
    (value) => typeof value === 'number',
  )
  return {
    model: textOf(envelope.model) ?? 'unknown',
    system: view.system,
    messages: view.messages,
    tools: definitionsIn(format, envelope).flatMap((tool) => schemaOf(format, tool)),
    toolChoice: 'auto',
    maxOutputTokens: typeof limit === 'number' ? limit : USUAL_OUTPUT_TOKENS,
    cache: false,
  }
}

/** The names of the tools that the document defines, in their order. */
export function toolNamesIn(format: WireFormat, envelope: Json): string[] {
  return definitionsIn(format, fieldsOf(envelope)).flatMap(({ name }) => textOf(name) ?? [])
}

/** Where each format says what a tool is called. */
function definitionsIn(format: WireFormat, envelope: Fields): Fields[] {
  const tools = listOf(envelope.tools).map(fieldsOf)
  switch (format) {
    case 'openai-chat':
      return [
        ...tools.map((tool) => fieldsOf(tool.function ?? tool.custom)),
        ...listOf(envelope.functions).map(fieldsOf),
      ]
    case 'gemini':
      return tools.flatMap((tool) => listOf(tool.functionDeclarations).map(fieldsOf))
    default:
      return tools
  }
}

/** Tools that the provider runs itself have no schema, and no other provider has them. */
function schemaOf(format: WireFormat, tool: Fields): ToolSchema[] {
  const { name, description, input_schema, parameters, parametersJsonSchema } = tool
  const given = input_schema ?? parametersJsonSchema ?? parameters
  const isOwn = format === 'openai-responses' ? tool.type === 'function' : format !== 'anthropic'
  const schema = given ?? (isOwn ? { type: 'object' } : undefined)
  if (typeof name !== 'string' || schema === undefined) return []
  const isUpper = format === 'gemini' && parametersJsonSchema === undefined
  const inputSchema = isUpper ? withLowerTypes(schema) : schema
  return [{ name, description: textOf(description) ?? '', inputSchema }]
}

/** Gemini's own schemas name the types of JSON Schema in capitals. */
function withLowerTypes(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withLowerTypes)
  if (!isFields(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : withLowerTypes(value),
    ]),
  )
}
