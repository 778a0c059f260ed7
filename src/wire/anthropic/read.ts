// Reads a conversation as events: one event per answer, results before the user's text.
import type { EventDraft } from '../../core/log/event.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import { type Answer, type ModelRef, type Part, textOfParts } from '../../core/view/content.ts'
import { ANTHROPIC_STOP_REASONS, anthropicUsage, readUsage } from '../answer-facts.ts'
import { type Notes, PROVIDER, readBlock } from './blocks.ts'
import { isEmpty, readFields, requireText, without, wrongShape } from './shape.ts'
import { checkTurns, findTurns, type ReadMessage } from './turns.ts'

export function readMessages(
  messages: readonly Json[],
  envelope: { readonly model?: string; readonly hasSystem: boolean },
  notes: Notes,
): EventDraft[] {
  const read = messages.map((value, index) =>
    readMessage(value, `messages[${index}]`, envelope.model, notes),
  )
  const turns = findTurns(read)
  checkTurns(turns, notes)
  return turns.flatMap((turn, index) => {
    if (turn.role === 'assistant') return answerDrafts(turn.messages)
    if (turn.role === 'user') return userDrafts(turn.messages)
    return index === 0 && !envelope.hasSystem
      ? [systemPrompt(turn.messages)]
      : turn.messages.map(reminder)
  })
}

function readMessage(
  value: Json,
  path: string,
  model: string | undefined,
  notes: Notes,
): ReadMessage {
  const message = readFields(value, path, 'a message')
  const role = readRole(message.role, path)
  const author: ModelRef = `${PROVIDER}/${typeof message.model === 'string' ? message.model : (model ?? 'unknown')}`
  const as = role === 'assistant' ? 'assistant' : 'user'
  const blocks = readContent(message.content, `${path}.content`).map((block, index) =>
    typeof message.content === 'string'
      ? readBlock(block, `${path}.content`, as, author, notes)
      : readBlock(block, `${path}.content[${index}]`, as, author, notes),
  )
  return { path, role, blocks, rest: without(message, 'role', 'content'), original: value }
}

function readRole(role: Json | undefined, path: string): ReadMessage['role'] {
  if (role === 'user' || role === 'assistant' || role === 'system') return role
  const foreign = role === 'tool' || role === 'developer' || role === 'function' || role === 'model'
  throw wrongShape(
    `${path}.role`,
    '"user" or "assistant"',
    role,
    foreign
      ? 'These look like the messages of another provider. What can be read so far is the Anthropic Messages format.'
      : undefined,
  )
}

function readContent(content: Json | undefined, path: string): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (Array.isArray(content)) return content
  throw wrongShape(path, 'a string or an array of blocks', content)
}

/** One answer for the whole turn, then its calls. */
function answerDrafts(messages: readonly ReadMessage[]): EventDraft[] {
  const parts: Part[] = []
  const calls: EventDraft[] = []
  const ids: string[] = []
  for (const block of messages.flatMap((message) => message.blocks)) {
    if (block.kind === 'part') parts.push(block.part)
    if (block.kind !== 'call') continue
    parts.push({ type: 'tool_call', callId: block.call.id })
    ids.push(block.call.id)
    const source = isEmpty(block.rest) ? {} : { source: block.rest }
    calls.push({ type: 'TOOL_CALL', data: { ...block.call, answer: 0 }, ...source })
  }
  const data: Answer = {
    content: textOfParts(parts),
    ...(!isPlainText(parts) && { parts }),
    calls: ids,
    ...readMetadata(messages.at(-1)?.rest ?? {}),
  }
  return [{ type: 'AGENT_MESSAGE', data, ...readSource(messages) }, ...calls]
}

function userDrafts(messages: readonly ReadMessage[]): EventDraft[] {
  const results: EventDraft[] = []
  const said: EventDraft[] = []
  for (const message of messages) {
    const parts = message.blocks.flatMap((block) => (block.kind === 'part' ? [block.part] : []))
    for (const block of message.blocks) {
      if (block.kind !== 'result') continue
      const source = isEmpty(block.rest) ? {} : { source: block.rest }
      results.push({ type: 'TOOL_RESULT', data: block.result, ...source })
    }
    const hasResults = message.blocks.some((block) => block.kind === 'result')
    if (parts.length === 0 && hasResults) continue
    const data = isPlainText(parts) ? textOfParts(parts) : parts
    said.push({ type: 'USER_MESSAGE', data, ...readSource([message]) })
  }
  return [...results, ...said]
}

/** A system message that opens the conversation, as in other formats, is the system prompt. */
function systemPrompt(messages: readonly ReadMessage[]): EventDraft {
  const source = messages.map((message) => message.original)
  return { type: 'SYSTEM_PROMPT', data: messages.map(textOfMessage).join('\n\n'), source }
}

/** Instructions in the middle of a conversation, kept as a reminder, which every provider accepts. */
function reminder(message: ReadMessage): EventDraft {
  return { type: 'SYSTEM_REMINDER', data: textOfMessage(message), source: message.original }
}

function textOfMessage({ blocks }: ReadMessage): string {
  return textOfParts(blocks.flatMap((block) => (block.kind === 'part' ? [block.part] : [])))
}

function isPlainText(parts: readonly Part[]): boolean {
  const [only] = parts
  return (
    parts.length === 0 || (parts.length === 1 && only?.type === 'text' && only.extra === undefined)
  )
}

/** The original, if the event does not hold all of it: unsent content is not lost. */
function readSource(messages: readonly ReadMessage[]): { source?: Json } {
  const whole = messages.every(
    ({ rest, blocks }) =>
      isEmpty(rest) &&
      blocks.every(
        (block) => block.kind !== 'misplaced' && (block.kind !== 'part' || isEmpty(block.rest)),
      ),
  )
  if (whole) return {}
  const originals = messages.map((message) => message.original)
  return { source: originals.length === 1 ? (originals[0] as Json) : originals }
}

/** What a saved response says about itself besides role and content. */
function readMetadata(rest: Fields): Pick<Answer, 'model' | 'stopReason' | 'tokenUsage'> {
  const reason =
    typeof rest.stop_reason === 'string' ? ANTHROPIC_STOP_REASONS[rest.stop_reason] : undefined
  const usage = readUsage(anthropicUsage(rest.usage))
  return {
    ...(typeof rest.model === 'string' && { model: `${PROVIDER}/${rest.model}` as const }),
    ...(reason !== undefined && { stopReason: reason }),
    ...(usage !== undefined && { tokenUsage: usage }),
  }
}

/** The system prompt as one text; undefined without one. */
export function readSystem(system: Json | undefined): string | undefined {
  if (system === undefined || system === null) return undefined
  if (typeof system === 'string') return system
  if (!Array.isArray(system))
    throw wrongShape('system', 'a string or an array of text blocks', system)
  const texts = system.map((value: Json, index) => {
    const block = readFields(value, `system[${index}]`, 'a text block')
    if (block.type !== 'text') throw wrongShape(`system[${index}].type`, '"text"', block.type)
    return requireText(block.text, `system[${index}].text`)
  })
  return texts.join('\n\n')
}
