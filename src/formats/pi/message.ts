// The messages of pi: of the user, the model, its tools, and the shell that a user runs beside it.
import type { Json } from '../../core/text/json.ts'
import type { Block, Part, StopReason, TokenUsage, UserContent } from '../../core/view/content.ts'
import type { Conversation, Origin } from '../reading/conversation.ts'
import {
  type Fields,
  fieldsIn,
  keptStatus,
  listIn,
  modelRef,
  textIn,
  usageFrom,
} from '../reading/raw.ts'

/** Type of an entry written for a reminder. */
export const REMINDER = 'precis-reminder'

const STOP_REASONS: { readonly [reason: string]: StopReason } = {
  stop: 'end',
  toolUse: 'tool_use',
  length: 'length',
  error: 'error',
  aborted: 'aborted',
}

/** Whether the model sees it. */
export function readMessage(message: Fields, origin: Origin, to: Conversation): boolean {
  switch (message.role) {
    case 'user':
      to.user(readUserContent(message.content), origin, 'typed')
      return true
    case 'assistant':
      readAnswer(message, origin, to)
      return true
    case 'toolResult':
      readResult(message, origin, to)
      return true
    case 'bashExecution':
      if (message.excludeFromContext === true) return false
      to.user(shellText(message), origin, 'tool')
      return true
    case 'custom':
    case 'hookMessage':
      to.queued(readUserContent(message.content), origin, 'client')
      return true
    case 'developer':
      to.reminder(readTexts(message.content), origin)
      return true
    case 'compactionSummary':
    case 'branchSummary': {
      const summary = textIn(message.summary)
      if (!summary) return false
      to.user(summary, origin, 'model')
      return true
    }
    default:
      return false
  }
}

function readAnswer(message: Fields, origin: Origin, to: Conversation): void {
  const model = modelRef(textIn(message.provider) ?? 'unknown', message.model)
  const stopReason = STOP_REASONS[textIn(message.stopReason) ?? '']
  const usage = readUsage(fieldsIn(message.usage))
  // Every message is a separate answer, identified by its place in the file.
  to.answer(`answer at ${origin.record?.at}`, origin, {
    model,
    ...(stopReason && { stopReason }),
    ...(usage && { tokenUsage: usage }),
  })
  const { content } = message
  if (typeof content === 'string') to.part({ type: 'text', text: content })
  for (const value of listIn(content)) {
    const block = fieldsIn(value)
    if (block.type === 'text') to.part({ type: 'text', text: textIn(block.text) ?? '' })
    else if (block.type === 'thinking') {
      const signature = textIn(block.thinkingSignature)
      const thinking = textIn(block.thinking) ?? ''
      to.part({ type: 'thinking', thinking, ...(signature && { signature }), model })
    } else if (block.type === 'toolCall') {
      const name = textIn(block.name) ?? 'unnamed'
      to.call(textIn(block.id) ?? name, name, block.arguments ?? {})
    } else to.part({ type: 'native', provider: 'pi', value })
  }
}

function readResult(message: Fields, origin: Origin, to: Conversation): void {
  const id = textIn(message.toolCallId)
  const { content } = message
  const blocks: Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content).map(readBlock)
  to.result(
    {
      ...(id !== undefined && { id }),
      content: blocks,
      status: keptStatus(message.details) ?? (message.isError === true ? 'failed' : 'completed'),
    },
    origin,
  )
}

function readBlock(value: Json): Block {
  const block = fieldsIn(value)
  if (block.type === 'text') return { type: 'text', text: textIn(block.text) ?? '' }
  const data = textIn(block.data)
  if (block.type === 'image' && data !== undefined)
    return { type: 'image', data, mimeType: textIn(block.mimeType) ?? 'image/*' }
  return { type: 'native', provider: 'pi', value }
}

export function readUserContent(content: Json | undefined): UserContent {
  if (typeof content === 'string') return content
  return listIn(content).map((value): Part => {
    const block = readBlock(value)
    if (block.type === 'text') return { type: 'text', text: block.text ?? '' }
    if (block.type !== 'image') return { type: 'native', provider: 'pi', value }
    const media = { mimeType: block.mimeType ?? 'image/*', data: block.data ?? '' }
    return { type: 'image', media }
  })
}

export function readTexts(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return listIn(content)
    .map((block) => textIn(fieldsIn(block).text) ?? '')
    .join('\n')
}

function shellText({ command, output, exitCode, cancelled }: Fields): string {
  const ended =
    cancelled === true
      ? ' (cancelled)'
      : typeof exitCode === 'number' && exitCode !== 0
        ? ` (exit code ${exitCode})`
        : ''
  return `The user ran \`${textIn(command) ?? ''}\`${ended}:\n${textIn(output) ?? ''}`
}

function readUsage(usage: Fields): TokenUsage | undefined {
  const { input, output, cacheRead, cacheWrite } = usage
  return usageFrom({ input, output, cacheRead, cacheWrite, inputHoldsCache: false })
}
