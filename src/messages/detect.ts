// Detects the format of an array of messages.
import { PrecisError } from '../core/errors.ts'
import { isRecord } from '../core/text/json.ts'
import { aiSdkMessages } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic.ts'
import type { AnyMessage, Dialect, FormatId } from './dialect.ts'
import { langchainMessages } from './langchain.ts'
import { openaiChatMessages } from './openai-chat.ts'
import { openaiResponsesMessages } from './openai-responses.ts'

/** Messages that fit several formats are read by the first of these. */
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

/** The dialect of the named format, or of the messages. */
export function chooseDialect(messages: readonly unknown[], format?: string): Dialect {
  if (format !== undefined) {
    const named = DIALECTS.find(({ id }) => id === format)
    if (named === langchainMessages) requireInstances(messages)
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

/** LangChain also accepts tuples and plain objects, but turns them into instances first. */
function requireInstances(messages: readonly unknown[]): void {
  const index = messages.findIndex(
    (message) => isRecord(message) && langchainMessages.matches(message) === 'no',
  )
  if (index < 0) return
  throw new PrecisError('invalid-input', `messages[${index}] is not a message of LangChain.`, {
    where: `messages[${index}]`,
    hint: 'Make an instance of it with `coerceMessageLikeToMessage` of @langchain/core/messages.',
  })
}

/** Roles of all formats, and types of items the server keeps. */
const ROLES: ReadonlySet<unknown> = new Set(
  'user assistant system developer tool function critic discriminator unknown'.split(' '),
)

/** Also for a named format: a message with an unknown role would be kept, and rejected by the provider. */
export function requireRoles(messages: readonly unknown[]): void {
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message) || typeof message.role !== 'string' || ROLES.has(message.role)) continue
    if (langchainMessages.matches(message) === 'no') throw mixed(index, message)
  }
}

function notAMessage(index: number): PrecisError {
  return new PrecisError('invalid-input', `messages[${index}] is not an object.`, {
    where: `messages[${index}]`,
    hint: 'Pass the array of messages that you send to the model.',
  })
}

function mixed(index: number, message: AnyMessage): PrecisError {
  const { role, type } = message
  const named = [role, type].filter((each) => typeof each === 'string').join(', ')
  return new PrecisError(
    'unknown-format',
    `messages[${index}]${named === '' ? '' : ` (${named})`} fits no format${index === 0 ? '' : ' that the messages before it have'}.`,
    {
      where: `messages[${index}]`,
      hint: isStoredLangchain(message)
        ? 'LangChain messages after JSON are no longer messages: revive them with `mapStoredMessagesToChatMessages` of @langchain/core/messages, or `load` of @langchain/core/load.'
        : `Convert it, or leave it out: one array has one format. If all are of one format, name it, as in { format: '${FORMATS[0]}' }: ${FORMATS.join(', ')}.`,
    },
  )
}

/** As `message.toDict()` and `JSON.stringify(message)` write them. */
function isStoredLangchain({ lc, type, data, kwargs }: AnyMessage): boolean {
  return (lc === 1 && isRecord(kwargs)) || (typeof type === 'string' && isRecord(data))
}
