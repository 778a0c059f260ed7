// The COMPACTIONs that strategies without a model make, checked by hand: of a long thread they have thousands of edits.

import { isJson } from '../text/json.ts'
import { isEntryId } from '../view/entry.ts'

type Fields = Readonly<Record<string, unknown>>
/** Whether the data of an entry is as its type wants it. */
type IsData = (type: string, data: unknown) => boolean

const TRIGGERS: ReadonlySet<unknown> = new Set([
  'command',
  'tool',
  'auto',
  'overflow',
  'background',
  'import',
])
const REQUIRED = [
  'basedOn',
  'edits',
  'inverse',
  'runId',
  'strategyId',
  'trigger',
  'originalEventCount',
  'compactedEventCount',
]

/** True only if the schema of a COMPACTION holds, too. */
export function isPlainCompaction(data: Fields, isData: IsData): boolean {
  for (const key in data) if (!isPlainField(key, data[key], isData)) return false
  return REQUIRED.every((key) => data[key] !== undefined)
}

function isPlainField(key: string, value: unknown, isData: IsData): boolean {
  switch (key) {
    case 'edits':
    case 'inverse':
      return Array.isArray(value) && value.every((edit) => isPlainEdit(edit, isData))
    case 'hide':
      return Array.isArray(value) && value.every(isRun)
    case 'runId':
    case 'strategyId':
      return typeof value === 'string'
    case 'trigger':
      return TRIGGERS.has(value)
    case 'basedOn':
    case 'originalEventCount':
    case 'compactedEventCount':
      return Number.isSafeInteger(value) && Number(value) >= 0
    case 'before':
    case 'after':
      return isReading(value)
    case 'metadata':
      return isJson(value)
    default:
      return false
  }
}

function isPlainEdit(edit: unknown, isData: IsData): boolean {
  if (typeof edit !== 'object' || edit === null || Array.isArray(edit)) return false
  const { covers, put } = edit as Fields
  return (
    Array.isArray(covers) &&
    covers.length > 0 &&
    covers.every(isRun) &&
    Array.isArray(put) &&
    put.every((one) => isPlainPut(one, isData))
  )
}

function isPlainPut(put: unknown, isData: IsData): boolean {
  if (typeof put !== 'object' || put === null || Array.isArray(put)) return false
  const fields = put as Fields
  if ('gap' in fields) return fields.gap === true && hasOnly(fields, GAP_KEYS)
  if ('keep' in fields)
    return hasOnly(fields, KEEP_KEYS) && isRun(fields.keep) && isHidden(fields.hide, 'hide' in put)
  if (!hasOnly(fields, ENTRY_KEYS) || !LABELS.has(fields.label)) return false
  if ('of' in fields && !isId(fields.of)) return false
  const { type, data } = fields
  return typeof type === 'string' && ENTRIES.has(type) && isData(type, data)
}

const GAP_KEYS: ReadonlySet<string> = new Set(['gap'])
const KEEP_KEYS: ReadonlySet<string> = new Set(['keep', 'hide'])
const ENTRY_KEYS: ReadonlySet<string> = new Set(['type', 'data', 'label', 'of'])
const ENTRIES: ReadonlySet<string> = new Set([
  'USER_MESSAGE',
  'AGENT_MESSAGE',
  'TOOL_RESULT',
  'SYSTEM_REMINDER',
])
/** Of what no model writes. */
const LABELS: ReadonlySet<unknown> = new Set(['trimmed', 'masked', 'brief', 'pins', 'carried'])

function hasOnly(fields: Fields, keys: ReadonlySet<string>): boolean {
  for (const key in fields) if (!keys.has(key)) return false
  return true
}

function isHidden(hide: unknown, isThere: boolean): boolean {
  if (!isThere) return true
  return Array.isArray(hide) && hide.every((what) => what === 'thinking')
}

function isRun(run: unknown): boolean {
  if (!Array.isArray(run)) return isId(run)
  const [first, last, count] = run
  return (
    run.length === 3 &&
    isOriginal(first) &&
    isOriginal(last) &&
    Number.isSafeInteger(count) &&
    count > 0
  )
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && isEntryId(id)
}

function isOriginal(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith('e') && isEntryId(id)
}

function isReading(reading: unknown): boolean {
  if (typeof reading !== 'object' || reading === null || Array.isArray(reading)) return false
  const { tokens, by } = reading as Fields
  return Number.isFinite(tokens) && (by === 'estimated' || by === 'measured')
}
