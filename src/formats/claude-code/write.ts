// Writes a context as Claude Code lines: old lines stay, followed by a boundary and the current content.
import type { Json } from '../../core/text/json.ts'
import type { ToolStatus } from '../../core/view/content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { isSendable, wireBlock } from '../../wire/anthropic/write-blocks.ts'
import {
  lastModel,
  type Note,
  opened,
  type RecordWriter,
  readRecords,
  writeLines,
} from '../outgoing.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  listIn,
  type RawRecord,
  rawEnvelope,
  recordValue,
  STATUS,
  textIn,
} from '../reading/raw.ts'
import { chooseWorkplace } from '../reading/workplace.ts'
import type { Exported, Outgoing, SessionFormat, WriteOptions } from '../session-format.ts'
import { THOUGHTS } from './message.ts'
import { CLAUDE_CODE, isClaudeCode, readClaudeCode } from './read.ts'

/** The version whose format is written. */
const VERSION = '2.1.56'

function writeClaudeCode(outgoing: Outgoing, options: WriteOptions): Exported {
  const writer = buildWriter(outgoing, options)
  const around = rawEnvelope(CLAUDE_CODE, outgoing.events ?? [])
  return isFields(around)
    ? writeDocument(outgoing, writer, around)
    : writeLines(CLAUDE_CODE, outgoing, writer)
}

/** Sessions of the web page: the same lines in one document. */
function writeDocument(outgoing: Outgoing, writer: RecordWriter, around: Fields): Exported {
  const { records, ...facts } = readRecords(CLAUDE_CODE, outgoing, writer)
  const { loglines: _, ...others } = around
  const rest = JSON.stringify(others).slice(1, -1)
  const items = records.map(({ raw }) => raw).join(',\n')
  return { text: `{"loglines":[\n${items}\n]${rest === '' ? '' : `,${rest}`}}\n`, ...facts }
}

function buildWriter(outgoing: Outgoing, options: WriteOptions): RecordWriter {
  return {
    fresh: ({ view }, note) => {
      if (view.system.length > 0) note('the system prompt has no place in a Claude Code session')
      const lines = new Lines(options, outgoing, note)
      for (const message of view.messages) lines.message(message)
      lines.end()
      return lines.done
    },
    changed: (changed, old, note) => {
      const lines = new Lines(options, outgoing, note, old)
      const { summary, rest } = opened(changed, note)
      lines.boundary(summary)
      for (const message of rest) lines.message(message)
      lines.end()
      return lines.done
    },
  }
}

/** Fields of a line for a failed result, next to its block. */
const MARKS: { readonly [status in ToolStatus]?: Fields } = {
  denied: { toolDenialKind: 'user-rejected' },
  aborted: { [STATUS]: 'aborted' },
}

/** The end of a sub-agent: if the line is marked, Claude Code tells its model that no user wrote it. */
const NOTIFICATION = /^\s*<task-notification>/

class Lines {
  readonly done: Json[] = []
  readonly #options: WriteOptions
  readonly #note: Note
  readonly #model: string
  readonly #shared: Fields
  readonly #timestamp: string
  readonly #isFresh: boolean // a new file, in which no old record has the thinking
  readonly #waiting: Fields[] = [] // thinking of an answer without other content, for the next one
  #parent: string | null = null

  constructor(
    options: WriteOptions,
    outgoing: Outgoing,
    note: Note,
    old: readonly RawRecord[] = [],
  ) {
    this.#options = options
    this.#note = note
    this.#model = lastModel(outgoing).model
    this.#timestamp = options.now.toISOString()
    this.#isFresh = old.length === 0
    const last = old.findLast((record) => textIn(recordValue(record).uuid) !== undefined)
    const before = last === undefined ? {} : recordValue(last)
    this.#parent = textIn(before.uuid) ?? null
    this.#shared = {
      isSidechain: false,
      userType: 'external',
      cwd: textIn(before.cwd) ?? chooseWorkplace(outgoing, options),
      sessionId: textIn(before.sessionId) ?? options.newId(),
      version: textIn(before.version) ?? VERSION,
      gitBranch: textIn(before.gitBranch) ?? '',
    }
  }

  boundary(summary: string): void {
    const logicalParentUuid = this.#parent
    this.#parent = null
    this.#add({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      ...(logicalParentUuid !== null && { logicalParentUuid }),
      compactMetadata: { trigger: 'manual' },
    })
    const message = { role: 'user', content: summary }
    this.#add({ type: 'user', isCompactSummary: true, isVisibleInTranscriptOnly: true, message })
  }

  message({ role, parts }: Message): void {
    const sendable = parts.filter((part) => this.#isSendable(part, role))
    if (role === 'assistant') this.#answer(sendable)
    else {
      this.end()
      this.#user(sendable)
    }
  }

  /** Claude Code sends all thinking it finds, and the newest models reject it after another prefix. */
  #isSendable(part: MessagePart, role: Message['role']): boolean {
    if (part.type !== 'thinking' && part.type !== 'redacted_thinking')
      return isSendable(part, role, this.#note)
    this.#note('thinking is not sent by Claude Code: its signature holds in its own session alone')
    return part.type === 'thinking' && part.thinking !== '' && this.#isFresh
  }

  /** One block per line with a shared message id; thinking goes with the block after it, or the last one. */
  #answer(parts: readonly MessagePart[]): void {
    const id = `msg_${this.#options.newId()}`
    const isCall = parts.some(({ type }) => type === 'tool_call')
    const thoughts = this.#waiting.splice(0)
    const before = this.done.length
    for (const part of parts) {
      if (part.type === 'thinking') {
        thoughts.push({ thinking: part.thinking, model: part.model })
        continue
      }
      this.#add({
        type: 'assistant',
        ...(thoughts.length > 0 && { [THOUGHTS]: thoughts.splice(0) }),
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: this.#model,
          content: [this.#block(part)],
          stop_reason: isCall ? 'tool_use' : 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      })
    }
    if (thoughts.length === 0) return
    if (this.done.length === before) {
      this.#waiting.push(...thoughts)
      return
    }
    const last = fieldsIn(this.done.pop())
    this.done.push({ ...last, [THOUGHTS]: [...listIn(last[THOUGHTS]), ...thoughts] })
  }

  /** The answer its thinking led to is missing. */
  end(): void {
    if (this.#waiting.splice(0).length > 0)
      this.#note('thinking without anything else in its answer was left out')
  }

  /** Each result on its own line, reminders as lines of the client. */
  #user(parts: readonly MessagePart[]): void {
    const said: MessagePart[] = []
    for (const part of parts) {
      if (part.type === 'tool_result') this.#said([this.#block(part)], MARKS[part.status])
      else if (part.type === 'text' && NOTIFICATION.test(part.text))
        this.#said(part.text, { origin: { kind: 'task-notification' } })
      else if (part.type !== 'system_reminder') said.push(part)
    }
    const [only] = said
    if (said.length === 1 && only?.type === 'text' && !only.extra) this.#said(only.text)
    else if (said.length > 0) this.#said(said.map((part) => this.#block(part)))
    for (const part of parts)
      if (part.type === 'system_reminder') this.#said(part.text, { isMeta: true })
  }

  #said(content: Json, more: Fields = {}): void {
    this.#add({ type: 'user', ...more, message: { role: 'user', content } })
  }

  #block(part: MessagePart): Json {
    if (part.type === 'checkpoint') this.#note('a checkpoint was written as text')
    if (part.type === 'tool_call' && !isFields(part.arguments))
      this.#note('arguments that are no object were wrapped in one')
    return wireBlock(part, (id) => id, this.#note)
  }

  #add(line: Fields): void {
    const uuid = this.#options.newId()
    const timestamp = this.#timestamp
    this.done.push({ parentUuid: this.#parent, ...this.#shared, ...line, uuid, timestamp })
    this.#parent = uuid
  }
}

export const claudeCode: SessionFormat = {
  id: CLAUDE_CODE,
  title: 'Claude Code',
  losses: [
    'system',
    'thinking',
    'foreign-thinking',
    'sealed-thinking',
    'natives',
    'extras',
    'checkpoints',
    'arguments',
  ],
  detect: isClaudeCode,
  read: readClaudeCode,
  write: writeClaudeCode,
}
