// Refusals that a smaller request avoids: features that a model or account lacks.
import { isFields } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import type { ResponsesProfile } from '../../wire/openai-responses/items.ts'
import type { Note } from '../../wire/rounds.ts'
import { readFailure } from '../failures/failure.ts'

/** What is known about how to ask a model. */
export interface Terms {
  readonly profile: ResponsesProfile
  /** Reasoning the server could not decrypt: made by another model or account (VALID-R5). */
  readonly sealed: ReadonlySet<string>
}

interface Concession {
  readonly pattern: RegExp // matches the code or the message
  /** Undefined if the feature was not requested, so it cannot be the reason. */
  apply(terms: Terms, messages: readonly Message[]): Terms | undefined
}

const CONCESSIONS: readonly Concession[] = [
  {
    // A model without reasoning.
    pattern: /encrypted content is not supported with this model/i,
    apply: ({ profile, sealed }) =>
      profile.encryptedReasoning
        ? { profile: { ...profile, encryptedReasoning: false }, sealed }
        : undefined,
  },
  {
    // An account without access to reasoning summaries.
    pattern: /must be verified to generate reasoning summar/i,
    apply: ({ profile, sealed }) =>
      profile.reasoningSummary
        ? { profile: { ...profile, reasoningSummary: false }, sealed }
        : undefined,
  },
  {
    pattern: /invalid_encrypted_content|encrypted content .*could not be (?:verified|decrypted)/is,
    apply({ profile, sealed }, messages) {
      const sent = messages.flatMap(({ parts }) => parts.map((part) => readName(part, profile)))
      const fresh = sent.filter((name) => name !== undefined && !sealed.has(name))
      return fresh.length === 0 ? undefined : { profile, sealed: new Set(sent.filter(isName)) }
    },
  },
]

/** What to ask instead; undefined if nothing can be dropped. Each can happen once. */
export function concession(
  thrown: unknown,
  terms: Terms,
  messages: readonly Message[],
): Terms | undefined {
  const { status, codes, message } = readFailure(thrown)
  if (status !== 400) return undefined
  const said = [...codes, message]
  const fitting = CONCESSIONS.find(({ pattern }) => said.some((text) => pattern.test(text)))
  return fitting?.apply(terms, messages)
}

/** The messages without reasoning the server cannot decrypt. */
export function openable(
  messages: readonly Message[],
  { profile, sealed }: Terms,
  note: Note,
): readonly Message[] {
  if (sealed.size === 0) return messages
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.filter((part) => {
      const name = readName(part, profile)
      if (name === undefined || !sealed.has(name)) return true
      note(`the reasoning ${name} was sealed by another model or account; it was left out`)
      return false
    }),
  }))
}

function readName(part: MessagePart, { provider }: ResponsesProfile): string | undefined {
  if (part.type !== 'native' || part.provider !== provider || !isFields(part.value))
    return undefined
  const { type, id, encrypted_content: content } = part.value
  if (type !== 'reasoning') return undefined
  return [id, content].find(isName)
}

function isName(value: unknown): value is string {
  return typeof value === 'string'
}
