// Secrets out of a text that leaves the machine: exports, logs, error pages, prompts for another provider.
// Never for the store: what is lost there is lost.
//
// Written by hand. @secretlint/core finds secrets in files to be committed: it answers later instead of
// at once, knows 9 of the 16 kinds asked for, and marks where a finding starts rather than all of the
// secret (of `aws_secret_access_key = …` it marks 40 characters from the name on, and half the key stays).
import { redactAssignments } from './assignments.ts'
import { redactKnown, type Secret } from './known.ts'
import { redactPrivateKeys } from './private-keys.ts'
import { redactRandomRuns } from './random-runs.ts'
import { type Counted, Placeholders, type Replace } from './replace.ts'
import { redactStructures } from './structures.ts'
import { redactTokens } from './tokens.ts'

export interface Redacted {
  readonly text: string
  /** What was taken out, by kind, in the order of their names. */
  readonly found: readonly Counted[]
}

/**
 * Each secret becomes `[redacted:aws-key]` or the like; the words around it stay. Takes time in proportion
 * to the text, whatever it is, and finds nothing more in what it gives back.
 */
export function redact(text: string, secrets: readonly Secret[] = []): Redacted {
  const placeholders = new Placeholders()
  return { text: redactText(text, secrets, placeholders.replace), found: placeholders.found }
}

/** What stood directly behind a secret may only now be seen as one: it is looked at again. */
const MOST_PASSES = 10

/** `by: 'form'` leaves runs that are merely random: ids and signatures are. */
export function redactText(
  text: string,
  secrets: readonly Secret[],
  replace: Replace,
  by: 'form' | 'entropy' = 'entropy',
): string {
  let clean = text
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = clean
    const known = redactKnown(before, secrets, replace)
    const tokens = redactTokens(redactPrivateKeys(known, replace), replace)
    const named = redactStructures(redactAssignments(tokens, replace), replace)
    clean = by === 'entropy' ? redactRandomRuns(named, replace) : named
    if (clean === before) break
  }
  return clean
}
