// Which lines of a file belong to a branch that was left: the tree is known only at its end.
import type { Json } from '../../core/text/json.ts'
import { type Fields, fieldsIn, listIn, textIn } from '../reading/raw.ts'

type Kind = 'prompt' | 'answer' | 'result' | 'other'

interface Node {
  readonly at: number
  readonly kind: Kind
  readonly answer: string | undefined // the id of the message that an answer's line is a part of
  readonly parent: number // an index before its own, or NONE
}

const NONE = -1

export class Branches {
  readonly #nodes: Node[] = []
  readonly #index = new Map<string, number>()
  #side = 0

  /** Without a line outside of sidechains the file is the session of a sub-agent. */
  get isSubAgent(): boolean {
    return this.#side > 0 && !this.#nodes.some(({ kind }) => kind !== 'other')
  }

  add(line: Fields, at: number): void {
    const uuid = textIn(line.uuid)
    if (uuid === undefined) return
    if (line.isSidechain === true) {
      this.#side += 1
      return
    }
    const kind = readKind(line)
    this.#nodes.push({ at, kind, answer: answerId(line), parent: this.#parentOf(line, kind) })
    this.#index.set(uuid, this.#nodes.length - 1)
  }

  /** A parent that is missing, or lies ahead, is taken for the line before. */
  #parentOf(line: Fields, kind: Kind): number {
    const before = this.#nodes.length - 1
    if (line.subtype === 'compact_boundary' || line.isCompactSummary === true) return before
    const parent = textIn(line.parentUuid)
    if (parent === undefined) return line.parentUuid === null && kind === 'prompt' ? NONE : before
    return this.#index.get(parent) ?? before
  }

  /**
   * Places of the lines that hang off the active branch and hold words of their own. A result, or one
   * more block of an answer that is on the branch, belongs to it although no parent link leads there.
   */
  left(): Set<number> {
    const nodes = this.#nodes
    const active = new Set<number>()
    const last = nodes.findLastIndex(({ kind }) => kind !== 'other')
    for (let index = last; index !== NONE; index = nodes[index]?.parent ?? NONE) active.add(index)
    const answers = new Set([...active].map((index) => nodes[index]?.answer))
    const topOf = new Map<number, number>()
    const left = new Set<number>()
    nodes.forEach(({ parent, kind, answer }, index) => {
      if (active.has(index)) return
      const top = topOf.get(parent) ?? index
      topOf.set(index, top)
      if (index > last) return
      if (kind === 'prompt' || (kind === 'answer' && !answers.has(answer))) left.add(top)
    })
    const places = new Set<number>()
    for (const [index, top] of topOf) if (left.has(top)) places.add(nodes[index]?.at ?? NONE)
    return places
  }
}

function readKind({ type, message }: Fields): Kind {
  if (type === 'assistant') return 'answer'
  if (type !== 'user') return 'other'
  const { content } = fieldsIn(message)
  const isResult = listIn(content).some((block) => fieldsIn(block).type === 'tool_result')
  return isResult ? 'result' : 'prompt'
}

function answerId({ type, message, uuid }: Fields): string | undefined {
  return type === 'assistant' ? (textIn(fieldsIn(message).id) ?? textIn(uuid)) : undefined
}

// What Claude Code attaches to a prompt, as the text that the model gets to see, near enough.

/** Only a log, or what the client itself says again in every session: its tools, agents and skills. */
const LOG_ONLY: ReadonlySet<unknown> = new Set([
  'deferred_tools_delta',
  'agent_listing_delta',
  'skill_listing',
  'mcp_instructions_delta',
  'hook_success',
  'hook_system_message',
  'async_hook_response',
  'command_permissions',
  'auto_mode',
])

/** The exact words are not in the file. Undefined: nothing was sent, or nobody knows what. */
export function attachedText(attachment: Fields): string | undefined {
  if (LOG_ONLY.has(attachment.type)) return undefined
  const path = textIn(attachment.displayPath) ?? textIn(attachment.filename) ?? 'a file'
  switch (attachment.type) {
    case 'file':
    case 'already_read_file': {
      const text = textIn(fieldsIn(fieldsIn(attachment.content).file).content)
      return text === undefined ? undefined : `Contents of ${path}:\n${text}`
    }
    case 'edited_text_file': {
      const snippet = textIn(attachment.snippet)
      return snippet === undefined ? undefined : `${path} was changed:\n${snippet}`
    }
    case 'compact_file_reference':
      return `${path} was read before the compaction; read it again if it is needed.`
    case 'date_change':
      return textIn(attachment.newDate) && `The date is now ${textIn(attachment.newDate)}.`
    case 'invoked_skills':
      return joined(listIn(attachment.skills).map((skill) => textIn(fieldsIn(skill).content)))
    default:
      return (
        textIn(attachment.content) ||
        joined([
          ...texts(attachment.content),
          ...texts(attachment.addedLines),
          ...texts(attachment.addedBlocks),
        ])
      )
  }
}

/** Words of the user that waited while the model was busy. */
export function queuedPrompt(attachment: Fields): string | undefined {
  if (attachment.type !== 'queued_command') return undefined
  const { prompt } = attachment
  if (typeof prompt === 'string') return prompt
  return joined(listIn(prompt).map((block) => textIn(fieldsIn(block).text)))
}

/** Whose they are: the client queues its own notices in the same way. */
export function queuedBy({ commandMode, origin }: Fields): 'typed' | 'client' {
  const kind = textIn(fieldsIn(origin).kind)
  const isTyped =
    (commandMode === undefined || commandMode === 'prompt') && (kind ?? 'human') === 'human'
  return isTyped ? 'typed' : 'client'
}

/** What a sub-agent is asked was written by the model that started it. */
const HUMAN: ReadonlySet<string> = new Set(['human', 'typed', 'sdk'])

export function writtenBy(line: Fields): 'typed' | 'client' | 'model' {
  if (line.isSidechain === true) return 'model'
  const kind = textIn(fieldsIn(line.origin).kind) ?? textIn(line.promptSource)
  // `sdk` is the prompt of `claude -p`: whoever gave it is the user, and nothing else speaks for them.
  const isHuman = kind === undefined || HUMAN.has(kind)
  if (isHuman) return 'typed'
  return kind === 'suggestion_accepted' ? 'model' : 'client'
}

function texts(value: Json | undefined): (string | undefined)[] {
  return listIn(value).map((item) => {
    if (typeof item === 'string') return item
    const { subject, content, status } = fieldsIn(item)
    const words = textIn(content) ?? textIn(subject)
    return words === undefined ? undefined : [textIn(status), words].filter(Boolean).join(': ')
  })
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined && part !== '')
  return known.length === 0 ? undefined : known.join('\n')
}
