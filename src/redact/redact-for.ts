// Decides whether a prompt leaves its provider, so that secrets must be removed
import type { ModelRef } from '../core/view/content.ts'
import { redactKnown, type Secret } from './known.ts'
import { redactText } from './redact.ts'
import { aroundPlaceholders, Placeholders } from './replace.ts'

/** `others`: prompts to another provider than that of the conversation, or where that is unknown. */
export type RedactionPolicy = 'others' | 'always' | 'never'

interface Destination {
  /** Who has seen the conversation: the model of its latest answer. Absent: nobody knows. */
  readonly conversation?: ModelRef | undefined
  readonly target: ModelRef
  readonly policy?: RedactionPolicy | undefined
}

/** True if secrets are to be taken out of what is sent to `target`. */
export function redactFor({ conversation, target, policy = 'others' }: Destination): boolean {
  if (policy !== 'others') return policy === 'always'
  return conversation === undefined || readProvider(conversation) !== readProvider(target)
}

function readProvider(model: ModelRef): string {
  return model.slice(0, model.indexOf('/'))
}

/** What looks like a key although nobody named it: a part of one, or that of someone else. */
const LOOKS_LIKE_A_KEY: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|csk|fw|r8|github_pat|key)[-_][\w*.…-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<=\/\/)[^/\s@]{1,300}(?=@)/g, // user and password in an address
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
]

/**
 * Keys out of what is said about a failure. There a word too many is taken out rather than one too
 * few: servers quote keys in part, and nobody works on with the text.
 */
export function redactFailure(text: string, secrets: readonly Secret[]): string {
  const { replace } = new Placeholders()
  const known = redactText(redactKnown(text, secrets, replace), [], replace)
  return LOOKS_LIKE_A_KEY.reduce(
    (rest, pattern) =>
      aroundPlaceholders(rest)
        .map((piece, at) => (at % 2 === 0 ? piece.replace(pattern, () => replace('key')) : piece))
        .join(''),
    known,
  )
}
