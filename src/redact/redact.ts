// Secrets out of a text that leaves the machine: exports, logs, error pages, prompts for another provider.
// Never for the store: what is lost there is lost.
//
// Written by hand. @secretlint/core finds secrets in files to be committed: it answers later instead of
// at once, knows 9 of the 16 kinds asked for, and marks where a finding starts rather than all of the
// secret (of `aws_secret_access_key = …` it marks 40 characters from the name on, and half the key stays).
import { redactAssignments } from './assignments.ts'
import { redactPrivateKeys } from './private-keys.ts'
import type { Replace } from './replace.ts'
import { redactTokens } from './tokens.ts'

/** A value that is known to be secret, under the name by which people know it. */
export interface Secret {
  readonly name: string
  readonly value: string
}

export interface Redacted {
  readonly text: string
  /** What was taken out, by kind, in the order of their names. */
  readonly found: readonly { readonly kind: string; readonly count: number }[]
}

/**
 * Each secret becomes `[redacted:aws-key]` or the like; the words around it stay. Takes time in proportion
 * to the text, whatever it is, and finds nothing more in what it gives back.
 */
export function redact(text: string, secrets: readonly Secret[] = []): Redacted {
  const counts = new Map<string, number>()
  const replace: Replace = (kind) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `[redacted:${kind}]`
  }
  const known = redactKnown(text, secrets, replace)
  const clean = redactAssignments(redactTokens(redactPrivateKeys(known, replace), replace), replace)
  const kinds = [...counts.keys()].sort()
  return { text: clean, found: kinds.map((kind) => ({ kind, count: counts.get(kind) ?? 0 })) }
}

const SECRET_NAME =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|_pass|_pwd|_auth|_dsn)$/i

/** The secrets of an environment, by the names that people give them. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [{ name, value }] : [],
  )
}

/** Shorter values are switches and placeholders (`true`, `none`, `ollama`), and parts of other words. */
const SHORTEST_CHARS = 8

/** The longest first: one may be the beginning of another. */
function redactKnown(text: string, secrets: readonly Secret[], replace: Replace): string {
  return secrets
    .flatMap(({ name, value }) => formsOf(value.trim()).map((form) => ({ name, form })))
    .sort((a, b) => b.form.length - a.form.length)
    .reduce((rest, { name, form }) => rest.replaceAll(form, () => replace(kindOf(name))), text)
}

/** As it is, as JSON writes it, and as an address does. */
function formsOf(value: string): string[] {
  if (value.length < SHORTEST_CHARS) return []
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
  ]
  return [...new Set(forms)]
}

function kindOf(name: string): string {
  return name.replace(/[^\w-]/g, '_')
}
