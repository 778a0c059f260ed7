// Tool calls that need approval, asked one after the other.
import {
  type Approval,
  asPrecisError,
  escapeHidden,
  inputText,
  type ToolBlock,
} from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'

/** Typing a word that matches no choice selects nothing, so a typo cannot allow a call. */
const CHOICES = [
  {
    value: 'allow',
    label: 'Allow',
    description: 'y: this once',
    words: ['yes', 'allow'],
  },
  {
    value: 'deny',
    label: 'Deny',
    description: 'n or Esc: skip this call',
    words: ['no', 'deny'],
  },
  {
    value: 'show',
    label: 'Show',
    description: 's: see the whole call',
    words: ['show'],
    showsTitle: true,
  },
  {
    value: 'always',
    label: 'Always',
    description: 'this command, until exit',
    words: ['always'],
  },
]

export class Approvals {
  readonly #chat: Pick<OpenChat, 'ports' | 'blocks'>
  readonly #onError: (error: Error) => void
  readonly #asked = new Map<string, AbortController>()
  /** Calls allowed for good, word for word. */
  readonly #always = new Set<string>()
  #line: Promise<void> = Promise.resolve()

  constructor(chat: Pick<OpenChat, 'ports' | 'blocks'>, onError: (error: Error) => void) {
    this.#chat = chat
    this.#onError = onError
  }

  /** Asks about new calls, and closes questions that another interface has answered. */
  follow(threadId: string, waiting: readonly Approval[]): void {
    const ids = new Set(waiting.map(({ callId }) => callId))
    for (const [callId, question] of this.#asked) {
      if (ids.has(callId)) continue
      question.abort()
      this.#asked.delete(callId)
    }
    for (const approval of waiting) {
      if (this.#asked.has(approval.callId)) continue
      const question = new AbortController()
      this.#asked.set(approval.callId, question)
      this.#line = this.#line.then(() => this.#ask(threadId, approval, question.signal))
    }
  }

  close(): void {
    for (const question of this.#asked.values()) question.abort()
  }

  async #ask(threadId: string, approval: Approval, signal: AbortSignal): Promise<void> {
    const { ports } = this.#chat
    try {
      const isKnown = this.#always.has(this.#callKey(approval))
      if (!isKnown) await ports.whenUntyped?.()
      const decision = isKnown ? 'allow' : await this.#decide(approval, signal)
      if (signal.aborted) return
      await ports.client.decide(threadId, approval.callId, decision)
    } catch (thrown) {
      if (!signal.aborted) this.#onError(asPrecisError(thrown))
    }
  }

  async #decide(approval: Approval, signal: AbortSignal): Promise<'allow' | 'deny'> {
    const { dialogs } = this.#chat.ports
    while (!signal.aborted) {
      const edit = this.#editOf(approval)
      const question = buildQuestion(approval, edit)
      const chosen = await dialogs.choose(question, choicesFor(approval, edit), signal)
      if (chosen === 'always') this.#always.add(this.#callKey(approval))
      if (chosen !== 'show') return chosen === 'allow' || chosen === 'always' ? 'allow' : 'deny'
      await dialogs.show(escapeHidden(approval.name), this.#callText(approval))
    }
    return 'deny'
  }

  #callText(approval: Approval): string {
    const input = this.#inputOf(approval)
    if (input === undefined) return escapeHidden(approval.subject)
    const edit = this.#editOf(approval)
    if (!edit) return escapeHidden(inputText(input))
    // The diff is limited in length, so the full text follows it.
    const whole = approval.diff === undefined ? [] : ['', ...(editIn(input)?.lines ?? [])]
    return escapeHidden([inputText(edit.rest), ...edit.lines, ...whole].join('\n'))
  }

  #editOf(approval: Approval): EditLines | undefined {
    const edit = editIn(this.#inputOf(approval))
    if (approval.diff === undefined) return edit
    return { rest: edit?.rest ?? {}, lines: approval.diff.split('\n') }
  }

  #inputOf({ callId }: Approval): ToolBlock['input'] {
    return this.#chat.blocks.findLast(
      (each): each is ToolBlock => each.kind === 'tool' && each.callId === callId,
    )?.input
  }

  /** The whole call: the display may show only its beginning. */
  #callKey(approval: Approval): string {
    const input = this.#inputOf(approval)
    return JSON.stringify([approval.name, input ?? approval.subject, input === undefined])
  }
}

interface EditLines {
  readonly lines: readonly string[]
  /** The other fields of its input. */
  readonly rest: Exclude<ToolBlock['input'], undefined>
}

const PAIRS = [
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
  ['old', 'new'],
] as const

/** Fields that hold the whole content of a new file. */
const CONTENTS = ['content', 'file_text', 'text'] as const

/** The diff lines of an edit or a new file. */
function editIn(input: ToolBlock['input']): EditLines | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const fields = input as Readonly<Record<string, Exclude<ToolBlock['input'], undefined>>>
  for (const [was, is] of PAIRS) {
    const { [was]: before, [is]: after, ...rest } = fields
    if (typeof before !== 'string' || typeof after !== 'string') continue
    return { lines: [...diffLines('-', before), ...diffLines('+', after)], rest }
  }
  for (const name of CONTENTS) {
    const { [name]: content, ...rest } = fields
    if (typeof content === 'string' && Object.keys(rest).length > 0)
      return { lines: diffLines('+', content), rest }
  }
  return undefined
}

function diffLines(mark: '-' | '+', text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${mark} ${line}`)
}

/** A dialog has little room. What does not fit whole cannot be allowed by the first Enter. */
const SEEN_WHOLE = { chars: 240, lines: 3, edit: 8 }

function choicesFor({ subject }: Approval, edit: EditLines | undefined): typeof CHOICES {
  const isSeen =
    subject.length <= SEEN_WHOLE.chars &&
    subject.split('\n').length <= SEEN_WHOLE.lines &&
    (edit?.lines.length ?? 0) <= SEEN_WHOLE.edit
  if (isSeen) return CHOICES
  return CHOICES.toSorted((a, b) => Number(b.value === 'show') - Number(a.value === 'show'))
}

/** Marks the lines of a command, so none looks like the reason or a choice. */
function buildQuestion({ name, subject, reason }: Approval, edit: EditLines | undefined): string {
  const [first = '', ...rest] = escapeHidden(subject).split('\n')
  const changed = edit?.lines.slice(0, SEEN_WHOLE.edit) ?? []
  const lines = [
    `${escapeHidden(name)}: ${first}`,
    ...[...rest, ...changed.map(escapeHidden)].map((line) => `  │ ${line}`),
  ]
  const left = (edit?.lines.length ?? 0) - changed.length
  const more = left > 0 ? [`  │ … ${left} more lines: Show has them`] : []
  return [...lines, ...more, escapeHidden(reason)].join('\n')
}
