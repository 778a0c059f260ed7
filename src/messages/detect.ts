// Which format an array of messages has
import { PrecisError } from '../core/errors.ts'
import { isRecord } from '../core/text/json.ts'
import { aiSdkMessages } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic.ts'
import type { AnyMessage, Dialect, FormatId } from './dialect.ts'
import { langchainMessages } from './langchain.ts'
import { openaiChatMessages } from './openai-chat.ts'
import { openaiResponsesMessages } from './openai-responses.ts'

/** Messages that several formats write in the same way are read by the first of these. */
const DIALECTS: readonly Dialect[] = [
  langchainMessages,
  openaiChatMessages,
  anthropicMessages,
  aiSdkMessages,
  openaiResponsesMessages,
]

export const FORMATS: readonly FormatId[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'ai-sdk',
  'langchain',
]

/** The dialect of a format that was named, or of the messages. */
export function dialectOf(messages: readonly unknown[], format?: string): Dialect {
  if (format !== undefined) {
    const named = DIALECTS.find(({ id }) => id === format)
    if (named) return named
    throw new PrecisError('unknown-format', `Unknown format of messages: ${format}.`, {
      where: 'format',
      hint: `Formats: ${FORMATS.join(', ')}.`,
    })
  }
  let left = DIALECTS
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) throw notAMessage(index)
    const found = left.filter((dialect) => dialect.matches(message) !== 'no')
    if (found.length === 0) throw mixed(index, message)
    left = found
  }
  const certain = left.find((dialect) =>
    messages.some((message) => dialect.matches(message as AnyMessage) === 'yes'),
  )
  return certain ?? (left[0] as Dialect)
}

function notAMessage(index: number): PrecisError {
  return new PrecisError('invalid-input', `messages[${index}] is not an object.`, {
    where: `messages[${index}]`,
    hint: 'Pass the array of messages that you send to the model.',
  })
}

function mixed(index: number, { role, type }: AnyMessage): PrecisError {
  const named = [role, type].filter((each) => typeof each === 'string').join(', ')
  return new PrecisError(
    'unknown-format',
    `messages[${index}]${named === '' ? '' : ` (${named})`} fits no format that the messages before it have.`,
    {
      where: `messages[${index}]`,
      hint: `Convert it, or leave it out: one array has one format. If all are of one format, name it, as in { format: '${FORMATS[0]}' }: ${FORMATS.join(', ')}.`,
    },
  )
}
