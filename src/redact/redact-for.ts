// Decides whether a prompt leaves its provider, so that secrets must be removed.
import type { ModelRef } from '../core/view/content.ts'
import { redactKnown, type Secret } from './known.ts'
import { redactText } from './redact.ts'
import { aroundPlaceholders, Placeholders } from './replace.ts'

/** `others`: prompts to another provider than the conversation's, or if that is unknown. */
export type RedactionPolicy = 'others' | 'always' | 'never'

interface Destination {
  /** The model of the conversation's latest answer; absent if unknown. */
  readonly conversation?: ModelRef | undefined
  readonly target: ModelRef
  readonly policy?: RedactionPolicy | undefined
}

/** Whether to redact what is sent to `target`. */
export function redactFor({ conversation, target, policy = 'others' }: Destination): boolean {
  if (policy !== 'others') return policy === 'always'
  return conversation === undefined || readProvider(conversation) !== readProvider(target)
}

function readProvider(model: ModelRef): string {
  return model.slice(0, model.indexOf('/'))
}

/** Texts that look like a key without being known: part of one, or someone else's. */
const LOOKS_LIKE_A_KEY: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|csk|fw|r8|github_pat|key)[-_][\w*.…-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<=\/\/)[^/\s@]{1,300}(?=@)/g, // user and password in a URL
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
]

/**
 * Removes keys from failure messages. Removes rather too much: servers quote partial keys, and nobody
 * processes the text further.
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
