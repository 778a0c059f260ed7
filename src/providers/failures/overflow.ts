// Decides whether a failure is a context overflow, from two tables of wordings
import type { Failure } from './failure.ts'
import { NOT_OVERFLOW_ROWS, OUTPUT_LIMIT_ROWS } from './not-overflow-rows.ts'
import { OVERFLOW_ROWS } from './overflow-rows.ts'

type Refusal = Pick<Failure, 'status' | 'codes' | 'message'>

/** Whether the context did not fit into the model's window: then compacting helps, waiting does not. */
export function isOverflow({ status, codes, message }: Refusal): boolean {
  if (status === 429 || NOT_OVERFLOW_ROWS.some(({ pattern }) => pattern.test(message))) return false
  if (isOutputLimit(message)) return false
  return OVERFLOW_ROWS.some(
    ({ code, pattern }) => (code !== undefined && codes.includes(code)) || pattern.test(message),
  )
}

const MESSAGES_AND_COMPLETION =
  /context length is ([\d,]+) tokens.{0,120}?\([\d,]+ in (?:the messages|your prompt)[,;] ([\d,]+) (?:in|for) the completion/is

/** Whether more output was asked for than the model gives, or than its whole window holds. */
export function isOutputLimit(message: string): boolean {
  if (OUTPUT_LIMIT_ROWS.some(({ pattern }) => pattern.test(message))) return true
  const [, window, completion] = MESSAGES_AND_COMPLETION.exec(message) ?? []
  return window !== undefined && numberOf(completion) >= numberOf(window)
}

function numberOf(text = ''): number {
  return Number(text.replaceAll(',', ''))
}

/** A request so large that no waiting lets it through a limit per minute. */
export function isOverLimitAlone(message: string): boolean {
  return /request too large/i.test(message) && /tokens per min/i.test(message)
}
