// Reads the lines of users and answers as parts, calls and results.
import type { Part } from '../../core/view/content.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { ANTHROPIC_STOP_REASONS } from '../../wire/answer-facts.ts'
import { readBlock } from '../../wire/anthropic/blocks.ts'
import type { Conversation, Origin } from '../reading/conversation.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  type Fields,
  fieldsIn,
  keptStatus,
  listIn,
  modelRef,
  textIn,
  writtenModelRef,
} from '../reading/raw.ts'
import { writtenBy } from './attachment.ts'
import { hasPartialOutput, readUsage } from './usage.ts'

const PROVIDER = 'anthropic'
/** The author of the client's own messages. */
const SYNTHETIC = '<synthetic>'

/** The model's thinking before this block, which Claude Code does not send. */
export const THOUGHTS = 'precis_thinking'

/** Joins the lines of one answer, which share a message id. */
export class AnswerLines {
  readonly #notes: ReadNotes
  #id = ''
  #saidTokens = 0

  constructor(notes: ReadNotes) {
    this.#notes = notes
  }

  read(line: Fields, origin: Origin, to: Conversation): void {
    const message = fieldsIn(line.message)
    const blocks = readContent(message)
    if (message.model === SYNTHETIC || line.isApiErrorMessage === true) {
      const data = blocks.map((block) => textIn(fieldsIn(block).text) ?? '').join('\n')
      to.aside({ type: 'LOCAL_SYSTEM_MESSAGE', data }, origin)
      return
    }
    const id = textIn(message.id) ?? textIn(line.uuid) ?? `line ${origin.record?.at}`
    if (id !== this.#id) this.#saidTokens = 0
    this.#id = id
    if (!to.isOpenAnswer(id) && to.hasAnswered(id))
      this.#notes.problem('a late line of an answer came in as an answer of its own')
    const model = modelRef(PROVIDER, message.model)
    const isPartial = hasPartialOutput(textIn(line.version))
    const read = blocks.map((block, index) => {
      if (isPartial) this.#saidTokens += estimateTokens(said(fieldsIn(block)))
      const path = `message.content[${index}]`
      return readBlock(block, path, 'assistant', model, { problems: [], cacheMarks: 0 })
    })
    const usage = readUsage(fieldsIn(message.usage), textIn(line.version), this.#saidTokens)
    const stopReason = ANTHROPIC_STOP_REASONS[textIn(message.stop_reason) ?? '']
    to.answer(id, origin, {
      model,
      ...(stopReason && { stopReason }),
      ...(usage && { tokenUsage: usage }),
    })
    for (const thought of listIn(line[THOUGHTS])) {
      const { thinking, model: author } = fieldsIn(thought)
      const by = writtenModelRef(author)
      to.part({ type: 'thinking', thinking: textIn(thinking) ?? '', model: by })
    }
    for (const block of read) {
      if (block.kind === 'part') to.part(block.part)
      else if (block.kind === 'call') to.call(block.call.id, block.call.name, block.call.arguments)
      else this.#notes.problem(`a block that an answer cannot hold was left out of the context`)
    }
  }
}

export function readUserLine(
  line: Fields,
  origin: Origin,
  to: Conversation,
  notes: ReadNotes,
): void {
  const message = fieldsIn(line.message)
  const parts: Part[] = []
  let left: Origin = origin
  for (const [index, value] of readContent(message).entries()) {
    const path = `message.content[${index}]`
    const block = readBlock(value, path, 'user', modelRef(PROVIDER, undefined), {
      problems: [],
      cacheMarks: 0,
    })
    if (block.kind === 'result') {
      const status = typeof line.toolDenialKind === 'string' ? 'denied' : keptStatus(line)
      to.result({ ...block.result, ...(status && { status }) }, left)
      const { record: _, ...rest } = left
      left = rest // keep the record once
    } else if (block.kind === 'part') parts.push(block.part)
    else notes.problem('a block that a user cannot send was left out of the context')
  }
  if (parts.length === 0 && left !== origin) return
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const isText = parts.every(({ type }) => type === 'text')
  if (line.isMeta === true && isText) to.reminder(text, left)
  else if (line.isCompactSummary === true) to.user(parts, left, 'summary')
  else to.user(parts, left, writtenBy(line))
}

function readContent({ content }: Fields) {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
}

function said({ text, thinking, input }: Fields): string {
  return textIn(text) ?? textIn(thinking) ?? (input === undefined ? '' : JSON.stringify(input))
}
