// The requests that `precis check` looks at: as they stand, or written for another provider first.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { ModelRequest, ToolSchema } from '../core/model.ts'
import { nearestWord } from '../core/nearest-word.ts'
import type { View } from '../formats/format.ts'
import { PROFILES } from '../validate/profiles.ts'
import type { Profile } from '../validate/rule.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../validate/walk.ts'
import { COMPATIBLE_CHAT, OPENAI_CHAT } from '../wire/openai-chat/profile.ts'
import { writeChat } from '../wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../wire/openai-responses/profile.ts'
import { writeResponses } from '../wire/openai-responses/write.ts'

type Note = (problem: string) => void

/** Who is asked, and in which form they are sent a history of ours. */
export interface Target {
  readonly name: string
  readonly profile: Profile
  /** Absent where the input has the provider's own format already. */
  readonly write?: (view: View, envelope: Fields, note: Note) => Json
}

/** Reads a history in this format; everything else is checked as it stands. */
export const HISTORY_FORMAT = 'anthropic'

export function targetOf(name: string, from: string): Target {
  const profile: Profile | undefined = Object.entries(PROFILES).find(([id]) => id === name)?.[1]
  if (profile === undefined) throw unknownProvider(name)
  if (from === profile.wire) return { name, profile }
  if (from !== HISTORY_FORMAT) throw unknownFormat(from, name, profile)
  const write = WRITERS[profile.wire]?.(profile)
  if (write === undefined) throw notAvailable(name, profile)
  return { name, profile, write }
}

type Writer = NonNullable<Target['write']>

const WRITERS: Partial<Record<Profile['wire'], (profile: Profile) => Writer>> = {
  'openai-chat': ({ strict, backend }) => {
    const isChat = backend === 'mistral' || backend === 'deepseek' || backend === 'qwen'
    const chat = strict ? { ...COMPATIBLE_CHAT, ...(isChat && { backend }) } : OPENAI_CHAT
    return (view, envelope, note) => writeChat(requestOf(view, envelope), chat, note).body
  },
  'openai-responses': () => (view, envelope, note) =>
    writeResponses(requestOf(view, envelope), OPENAI_RESPONSES, note).body,
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

function unknownFormat(from: string, name: string, { wire }: Profile): PrecisError {
  const formats = [...new Set<string>([HISTORY_FORMAT, wire])].join(', ')
  return new PrecisError('unknown-format', `Unknown format: ${from}`, {
    where: '--from',
    hint: `For ${name} these can be checked: ${formats}.`,
  })
}

function notAvailable(name: string, { wire }: Profile): PrecisError {
  const available = Object.entries(PROFILES).flatMap(([id, { wire: its }]) =>
    its === HISTORY_FORMAT || WRITERS[its] ? [id] : [],
  )
  return new PrecisError('usage', `a history cannot be converted for ${name} yet`, {
    where: '--provider',
    hint: `Check a request of its own with --from ${wire}, or take one of ${available.join(', ')}.`,
  })
}
