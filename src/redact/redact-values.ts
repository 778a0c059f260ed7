// Secrets out of messages, documents and reports: every text in them, by the name of its field, too.
import { secretKindOf } from './assignments.ts'
import type { Secret } from './known.ts'
import { redactText } from './redact.ts'
import { type Counted, Placeholders, type Replace } from './replace.ts'

export interface RedactedValue<T> {
  /** The same one where nothing was found in it. */
  readonly value: T
  readonly found: readonly Counted[]
}

/** Bytes, signatures and names: a changed one is refused or leads nowhere. */
const UNTOUCHED: ReadonlySet<string> = new Set([
  'data',
  'signature',
  'encrypted_content',
  'id',
  'call_id',
  'tool_use_id',
  'tool_call_id',
])

/** What a model or a program gave to a tool: no name in it is the provider's. */
const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'input', 'args'])

/** The shape stays: only texts change. Values that are no JSON are left as they are. */
export function redactValues<T>(value: T, secrets: readonly Secret[] = []): RedactedValue<T> {
  const placeholders = new Placeholders()
  const clean = redactedAt('', value, secrets, placeholders.replace) as T
  return { value: clean, found: placeholders.found }
}

function redactedAt(
  name: string,
  value: unknown,
  secrets: readonly Secret[],
  replace: Replace,
  isArgument = false,
): unknown {
  if (typeof value === 'string') {
    if (UNTOUCHED.has(name) && !isArgument) return value
    const clean = redactText(value, secrets, replace)
    const kind = clean === value ? secretKindOf(name, value) : undefined
    return kind === undefined ? clean : replace(kind)
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => redactedAt(name, item, secrets, replace, isArgument))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isPlainObject(value)) return value
  const fields = Object.entries(value).map(([field, inner]) => {
    // A list of that name holds messages.
    const isGiven = isArgument || (ARGUMENTS.has(field) && isPlainObject(inner))
    return [field, redactedAt(field, inner, secrets, replace, isGiven)] as const
  })
  const isChanged = fields.some(([field, inner]) => inner !== value[field])
  return isChanged ? Object.fromEntries(fields) : value
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
