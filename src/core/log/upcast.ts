// Brings rows of older versions up to the present one, a version at a time and each row by itself.
import { isRecord } from '../text/json.ts'
import { EVENT_VERSION } from './event.ts'

type RawRow = Readonly<Record<string, unknown>>
type Upcaster = (data: unknown) => unknown

/**
 * From version 1, before usage was tracked: an answer could be plain text, a call named its answer
 * `message` and its arguments `input`, and a result said only whether it had succeeded.
 */
const FROM_1 = {
  AGENT_MESSAGE: (data: unknown) => {
    if (typeof data === 'string') return { content: data, calls: [] }
    if (!isRecord(data)) return data
    const { toolCalls = [], ...rest } = data
    return { calls: toolCalls, ...rest }
  },
  TOOL_CALL: (data: unknown) => {
    if (!isRecord(data)) return data
    const { input, message, ...rest } = data
    return { arguments: input, answer: message, ...rest }
  },
  TOOL_RESULT: (data: unknown) => {
    if (!isRecord(data)) return data
    const { success, content, ...rest } = data
    return {
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      ...(typeof success === 'boolean' && { status: success ? 'completed' : 'failed' }),
      ...rest,
    }
  },
} satisfies Readonly<Record<string, Upcaster>>

/** The upcasters of each version to the next. A new version adds a line here and a golden file. */
const UPCASTERS = new Map([[1, new Map<unknown, Upcaster>(Object.entries(FROM_1))]])

/** The row in the shape of the present version. What an upcaster does not know it leaves for the check. */
export function upcast(row: RawRow): RawRow {
  let current = row
  for (let version = Number(row.v); version < EVENT_VERSION; version += 1) {
    const upcaster = UPCASTERS.get(version)?.get(row.type)
    const data = upcaster === undefined ? current.data : upcaster(current.data)
    current = { ...current, v: version + 1, data }
  }
  return current
}
