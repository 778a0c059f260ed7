// Whom `precis check` asks: a provider's rules, and the form in which it would be sent the document.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { ModelRequest, ToolSchema } from '../core/model.ts'
import { nearestWord } from '../core/nearest-word.ts'
import type { View } from '../formats/format.ts'
import { PROFILES } from '../validate/profiles.ts'
import type { Profile } from '../validate/rule.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../validate/walk.ts'
import { GEMINI } from '../wire/gemini/profile.ts'
import { writeGemini } from '../wire/gemini/write.ts'
import { COMPATIBLE_CHAT, OPENAI_CHAT } from '../wire/openai-chat/profile.ts'
import { writeChat } from '../wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../wire/openai-responses/profile.ts'
import { writeResponses } from '../wire/openai-responses/write.ts'
import { prepareRequest } from '../wire/prepare.ts'
import { isWireFormat, WIRE_FORMATS, type WireFormat } from './check-format.ts'

type Note = (problem: string) => void

/** Who is asked, and in which form they are sent a history of ours. */
export interface Target {
  readonly name: string
  readonly profile: Profile
  /** Absent where the input has the provider's own format already. */
  readonly write?: (view: View, envelope: Fields, note: Note) => Json
}

/** The format that can be converted for other providers, and repaired. */
export const HISTORY_FORMAT = 'anthropic'

export function profileOf(name: string): Profile {
  const profile: Profile | undefined = Object.entries(PROFILES).find(([id]) => id === name)?.[1]
  if (profile === undefined) throw unknownProvider(name)
  return profile
}

export function formatOf(name: string): WireFormat {
  if (isWireFormat(name)) return name
  const near = nearestWord(name, WIRE_FORMATS)
  throw new PrecisError('unknown-format', `Unknown format: ${name}`, {
    where: '--from',
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known formats: ${WIRE_FORMATS.join(', ')}.`,
  })
}

export function targetOf(name: string, from: WireFormat): Target {
  const profile = profileOf(name)
  if (from === profile.wire) return { name, profile }
  const write = from === HISTORY_FORMAT ? writerOf(name, profile) : undefined
  if (write === undefined) throw notConvertible(name, from, profile)
  return { name, profile, write }
}

/** On the way that every request takes: prepared for its provider, then written. */
function writerOf(name: string, profile: Profile): Target['write'] {
  const { wire, strict, backend } = profile
  switch (wire) {
    case 'anthropic':
      return undefined
    case 'openai-chat': {
      const isChat = backend !== undefined && backend !== 'bedrock'
      const own = { ...COMPATIBLE_CHAT, provider: name, ...(isChat && { backend }) }
      const chat = strict ? own : OPENAI_CHAT
      return prepared(profile, chat.provider, (request, note) => writeChat(request, chat, note))
    }
    case 'openai-responses':
      return prepared(profile, OPENAI_RESPONSES.provider, (request, note) =>
        writeResponses(request, OPENAI_RESPONSES, note),
      )
    case 'gemini':
      return prepared(profile, GEMINI.provider, (request, note) =>
        writeGemini(request, GEMINI, note),
      )
  }
}

function prepared(
  profile: Profile,
  provider: string,
  write: (request: ModelRequest, note: Note) => { readonly body: Json },
): NonNullable<Target['write']> {
  return (view, envelope, note) => {
    const { request, problems } = prepareRequest(requestOf(view, envelope), profile, provider)
    for (const problem of problems) note(problem)
    return write(request, note).body
  }
}

const USUAL_OUTPUT_TOKENS = 4_096

function requestOf({ system, messages }: View, envelope: Fields): ModelRequest {
  const { model, max_tokens: limit } = envelope
  return {
    model: textOf(model) ?? 'unknown',
    system,
    messages,
    tools: listOf(envelope.tools).flatMap(toolOf),
    toolChoice: 'auto',
    maxOutputTokens: typeof limit === 'number' ? limit : USUAL_OUTPUT_TOKENS,
    cache: false,
  }
}

/** Tools that the provider runs itself have no schema, and no other provider has them. */
function toolOf(value: Json): ToolSchema[] {
  const { name, description, input_schema: inputSchema } = fieldsOf(value)
  if (typeof name !== 'string' || inputSchema === undefined) return []
  return [{ name, description: textOf(description) ?? '', inputSchema }]
}

function unknownProvider(name: string): PrecisError {
  const known = Object.keys(PROFILES)
  const near = nearestWord(name, known)
  return new PrecisError('usage', `Unknown provider: ${name}`, {
    where: '--provider',
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known providers: ${known.join(', ')}.`,
  })
}

function notConvertible(name: string, from: WireFormat, { wire }: Profile): PrecisError {
  const own = Object.entries(PROFILES).flatMap(([id, { wire: its }]) => (its === from ? [id] : []))
  const message = `a document in the format ${from} cannot be converted for ${name} yet`
  return new PrecisError('usage', message, {
    where: '--provider',
    hint: `Check one in its own format, ${wire}, or take one of ${own.join(', ')}.`,
  })
}
