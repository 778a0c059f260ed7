// The shapes that most events have, checked by hand: several times faster than by a schema.

import { isJson } from '../text/json.ts'
import { isPlainCompaction } from './fast-change-validators.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * True only if the schema of this type holds, too. What is less common, and what is wrong, is left to the
 * schemas: they alone know how to say it.
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
