// Removes secrets whose name stands in a field, a tag or a word beside them: `name: DB_PASSWORD, value: …`
import { readSecretKind } from './assignments.ts'
import type { Replace } from './replace.ts'

const MARK = String.raw`(?:\\{0,3}["'])?`
const SIGN = String.raw`${MARK}[ \t]{0,4}[:=][ \t]{0,4}${MARK}`
const NAME = String.raw`(?<name>[A-Za-z_][\w.-]{2,80})`
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:name|key)${SIGN}${NAME}${MARK}(?:[\s,]|\\[rn]){1,40}${MARK}value${SIGN}(?<secret>[^\s"'<>,;\\]{6,300})`,
    'gi',
  ),
  new RegExp(
    String.raw`<(?:[\w:-]{1,40} (?:name|key)=["'])?${NAME}["']?>(?<secret>[^\s<>]{6,300})</`,
    'g',
  ),
  // Arguments of a call, a variable with its default, and words of a command.
  new RegExp(
    String.raw`["']${NAME}["'][ \t]{0,4},[ \t]{0,4}["'](?<secret>[^\s"'<>,;\\]{6,300})["']`,
    'g',
  ),
  new RegExp(
    String.raw`\bvariable[ \t]{1,4}["']?${NAME}["']?[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,20}=[ \t]{0,4}["'](?<secret>[^\s"'<>,;\\]{6,300})["']`,
    'g',
  ),
  /\b(?<name>[a-z][a-z_]{0,40}_(?:key|token|secret|password))[ \t]{1,4}(?<secret>[^\s"'<>,;:=\\]{16,300})/gi,
]

export function redactPairs(text: string, replace: Replace): string {
  return PATTERNS.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (match, ...found) => {
        const { name, secret } = found.at(-1) as { name: string; secret: string }
        const kind = secret.includes('[redacted') ? undefined : readSecretKind(name, secret)
        if (kind === undefined) return match
        const start = match.lastIndexOf(secret)
        return match.slice(0, start) + replace(kind) + match.slice(start + secret.length)
      }),
    text,
  )
}

/** The name under which a field `value` is listed, else its own. */
export function readFieldName(field: string, siblings: Readonly<Record<string, unknown>>): string {
  if (field.toLowerCase() !== 'value') return field
  const names = [siblings.name, siblings.Name, siblings.key, siblings.Key]
  return names.find((name) => typeof name === 'string') ?? field
}
