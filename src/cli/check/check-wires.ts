// The targets of `precis check`: a provider's rules and its writer.
import { PrecisError } from '../../core/errors.ts'
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import type { View } from '../../formats/session-format.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import { wireMessages } from '../../wire/anthropic/write.ts'
import { GEMINI, writeGemini } from '../../wire/gemini/write.ts'
import { type ChatProfile, COMPATIBLE_CHAT, OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import { writeChat } from '../../wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../../wire/openai-responses/items.ts'
import { writeResponses } from '../../wire/openai-responses/write.ts'
import { prepareRequest } from '../../wire/prepare.ts'
import { isWireFormat, WIRE_FORMATS, type WireFormat } from './check-format.ts'

type Note = (problem: string) => void

/** A provider's rules, and the conversion from other formats. */
export interface Target {
  readonly name: string
  readonly profile: Profile
  /** Absent if the input is in the provider's format. */
  readonly write?: (view: View, envelope: Fields, note: Note) => Json
}

/** The format whose documents may be histories, too. */
export const HISTORY_FORMAT = 'anthropic'

export function buildProfile(name: string): Profile {
  const profile: Profile | undefined = Object.entries(PROFILES).find(([id]) => id === name)?.[1]
  if (profile === undefined) throw unknownProvider(name)
  return profile
}

/** Formats `precis check` reads: documents of the wire formats, and session files. */
export const CHECKED_FORMATS: readonly string[] = [
  ...WIRE_FORMATS,
  ...SESSION_FORMATS.map(({ id }) => id).filter((id) => !isWireFormat(id)),
]

/** Throws for an unsupported format. */
export function findInputFormat(name: string): string {
  if (CHECKED_FORMATS.includes(name)) return name
  const near = nearestWord(name, CHECKED_FORMATS)
  throw new PrecisError('unknown-format', `Unknown format: ${name}`, {
    where: '--format',
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known formats: ${CHECKED_FORMATS.join(', ')}.`,
  })
}

export function findTarget(name: string, from: WireFormat): Target {
  const profile = buildProfile(name)
  if (from === profile.wire) return { name, profile }
  return { name, profile, write: buildWriter(name, profile, from) }
}

/** The path of every request: prepare for the provider, then write. */
function buildWriter(
  name: string,
  profile: Profile,
  from: WireFormat,
): NonNullable<Target['write']> {
  switch (profile.wire) {
    case 'anthropic':
      return prepared(profile, 'anthropic', from, (request, note) => ({
        body: anthropicBody(request, note),
      }))
    case 'openai-chat': {
      const chat = buildChatProfile(name, profile)
      return prepared(profile, chat.provider, from, (request, note) =>
        writeChat(request, chat, note),
      )
    }
    case 'openai-responses':
      return prepared(profile, OPENAI_RESPONSES.provider, from, (request, note) =>
        writeResponses(request, OPENAI_RESPONSES, note),
      )
    case 'gemini':
      return prepared(profile, GEMINI.provider, from, (request, note) =>
        writeGemini(request, GEMINI, note),
      )
  }
}

export function buildChatProfile(name: string, { strict, backend }: Profile): ChatProfile {
  if (!strict) return OPENAI_CHAT
  const isChat = backend !== undefined && backend !== 'bedrock'
  return { ...COMPATIBLE_CHAT, provider: name, ...(isChat && { backend }) }
}

function anthropicBody(request: ModelRequest, note: Note): Json {
  const { model, system, messages, tools, maxOutputTokens } = request
  return {
    model,
    max_tokens: maxOutputTokens,
    ...(system.length > 0 && { system: system.map((text) => ({ type: 'text', text })) }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    }),
    messages: wireMessages(messages, note),
  }
}

function prepared(
  profile: Profile,
  provider: string,
  from: WireFormat,
  write: (request: ModelRequest, note: Note) => { readonly body: Json },
): NonNullable<Target['write']> {
  return (view, envelope, note) => {
    const { request, problems } = prepareRequest(requestIn(from, view, envelope), profile, provider)
    for (const problem of problems) note(problem)
    return write(request, note).body
  }
}

function unknownProvider(name: string): PrecisError {
  const known = Object.keys(PROFILES)
  const nearest = nearestWord(name, known)
  const begun = known.filter((each) => each.startsWith(`${name.toLowerCase()}-`))
  const near = begun.length > 0 ? begun.join(' or ') : nearest
  return new PrecisError('usage', `Unknown provider: ${name}`, {
    where: '--provider',
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known providers: ${known.join(', ')}.`,
  })
}

const USUAL_OUTPUT_TOKENS = 4_096

/** The request of a document in any wire format: tools, limit and messages. */
function requestIn(format: WireFormat, view: View, envelope: Fields): ModelRequest {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig } = envelope
  const { maxOutputTokens } = readFields(generationConfig)
  const limit = [max_tokens, max_completion_tokens, max_output_tokens, maxOutputTokens].find(
    (value) => typeof value === 'number',
  )
  return {
    model: readText(envelope.model) ?? 'unknown',
    system: view.system,
    messages: view.messages,
    tools: definitionsIn(format, envelope).flatMap((tool) => buildSchema(format, tool)),
    toolChoice: 'auto',
    maxOutputTokens: typeof limit === 'number' ? limit : USUAL_OUTPUT_TOKENS,
    cache: false,
  }
}

/** Names of the tools the document defines, in order. */
export function toolNamesIn(format: WireFormat, envelope: Json): string[] {
  return definitionsIn(format, readFields(envelope)).flatMap(({ name }) => readText(name) ?? [])
}

/** Where each format names its tools. */
function definitionsIn(format: WireFormat, envelope: Fields): Fields[] {
  const tools = readList(envelope.tools).map(readFields)
  switch (format) {
    case 'openai-chat':
      return [
        ...tools.map((tool) => readFields(tool.function ?? tool.custom)),
        ...readList(envelope.functions).map(readFields),
      ]
    case 'gemini':
      return tools.flatMap((tool) => readList(tool.functionDeclarations).map(readFields))
    default:
      return tools
  }
}

/** Tools the provider runs itself have no schema and no equivalent elsewhere. */
function buildSchema(format: WireFormat, tool: Fields): ToolSchema[] {
  const { name, description, input_schema, parameters, parametersJsonSchema } = tool
  const given = input_schema ?? parametersJsonSchema ?? parameters
  const isOwn = format === 'openai-responses' ? tool.type === 'function' : format !== 'anthropic'
  const schema = given ?? (isOwn ? { type: 'object' } : undefined)
  if (typeof name !== 'string' || schema === undefined) return []
  const isUpper = format === 'gemini' && parametersJsonSchema === undefined
  const inputSchema = isUpper ? withLowerTypes(schema) : schema
  return [{ name, description: readText(description) ?? '', inputSchema }]
}

/** Gemini's own schemas spell JSON Schema types in capitals. */
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
