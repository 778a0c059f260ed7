// Checks the shapes of most events and of large COMPACTIONs by hand, several times faster than by schema.
import { isJson } from '../text/json.ts'
import { isEntryId } from '../view/entry.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * True only if the schema of this type also holds. Rare and invalid data is left to the schemas, which can
 * describe the error.
 */
export function isPlainData(type: string, data: unknown): boolean {
  if (typeof data === 'string') return TEXTS.has(type)
  if (typeof data !== 'object' || data === null) return false
  switch (type) {
    case 'TOOL_CALL':
      return isPlainCall(data as Fields)
    case 'TOOL_RESULT':
      return isPlainResult(data as Fields)
    case 'AGENT_MESSAGE':
      return isPlainAnswer(data as Fields)
    case 'COMPACTION':
      return isPlainCompaction(data as Fields, isPlainData)
    default:
      return false
  }
}

const TEXTS: ReadonlySet<string> = new Set([
  'USER_MESSAGE',
  'LOCAL_SYSTEM_MESSAGE',
  'SYSTEM_PROMPT',
  'USER_SYSTEM_PROMPT',
  'SYSTEM_REMINDER',
])

function isPlainCall({ id, name, arguments: given, answer }: Fields): boolean {
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    Number.isSafeInteger(answer) &&
    Number(answer) >= 0 &&
    isJson(given)
  )
}

const STATUSES: ReadonlySet<unknown> = new Set(['completed', 'failed', 'aborted', 'denied'])

function isPlainResult(data: Fields): boolean {
  for (const key in data) {
    const value = data[key]
    if (key === 'content') {
      if (!Array.isArray(value) || !value.every(isTextBlock)) return false
    } else if (key === 'id' ? typeof value !== 'string' : key !== 'status') return false
  }
  return STATUSES.has(data.status) && data.content !== undefined
}

function isTextBlock(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return false
  const fields = block as Fields
  for (const key in fields) if (key !== 'type' && key !== 'text') return false
  return fields.type === 'text' && typeof fields.text === 'string'
}

const STOPS: ReadonlySet<unknown> = new Set([
  'end',
  'tool_use',
  'length',
  'refusal',
  'aborted',
  'error',
])

function isPlainAnswer(data: Fields): boolean {
  for (const key in data) if (!isPlainField(key, data[key])) return false
  return data.content !== undefined && data.calls !== undefined
}

function isPlainField(key: string, value: unknown): boolean {
  switch (key) {
    case 'content':
      return typeof value === 'string'
    case 'model':
      return typeof value === 'string' && value.includes('/')
    case 'stopReason':
      return STOPS.has(value)
    case 'calls':
      return Array.isArray(value) && value.every((call) => typeof call === 'string')
    case 'parts':
      return Array.isArray(value) && value.every((part) => isTextBlock(part) || isCallPart(part))
    case 'tokenUsage':
    case 'unfinishedUsage':
      return isPlainUsage(value)
    default:
      return false
  }
}

function isCallPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const { type, callId } = part as Fields
  return type === 'tool_call' && typeof callId === 'string'
}

const REQUIRED_COUNTS = ['promptTokens', 'completionTokens', 'totalTokens']

function isPlainUsage(usage: unknown): boolean {
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return false
  const fields = usage as Fields
  for (const key in fields) if (!Number.isFinite(fields[key])) return false
  return REQUIRED_COUNTS.every((key) => fields[key] !== undefined)
}

/** Checks an entry's data by type. */
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

/** True only if the schema of a COMPACTION also holds. */
function isPlainCompaction(data: Fields, isData: IsData): boolean {
  for (const key in data) if (!isChangeField(key, data[key], isData)) return false
  return REQUIRED.every((key) => data[key] !== undefined)
}

function isChangeField(key: string, value: unknown, isData: IsData): boolean {
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
/** Labels of entries not written by a model. */
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
