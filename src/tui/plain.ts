// The chat as plain lines, for screen readers and pipes: no redrawing and no colours.
import { type Client, type EditBlock, renderSizes, type ViewBlock } from '../protocol/index.ts'
import { Chat } from './chat.ts'
import { type Dialogs, isMeant } from './dialogs/dialogs.ts'
import { buildChunk } from './screen/render-block.ts'
import { visible, visibleLine } from './screen/text-lines.ts'

export interface PlainOptions {
  readonly client: Client
  readonly threadId: string
  /** The user's input line by line; ends with the input. */
  readonly lines: AsyncIterable<string>
  /** Shown once the thread is open. */
  readonly notice?: string
  write(text: string): void
  /** Finishes one line before reading the next, for scripted input. */
  readonly isPatient: boolean
  hasFile(name: string): Promise<boolean>
  saveFile(name: string, text: string): Promise<string>
}

/** Resolves when the user leaves, or when the input has ended and the work is done. */
export async function runPlain(options: PlainOptions): Promise<string> {
  const plain = new PlainChat(options)
  return plain.run()
}

class PlainChat {
  readonly #options: PlainOptions
  readonly #chat: Chat
  readonly #lines: AsyncIterator<string>
  readonly #said = new Map<string, string>() // the last printed text of a block
  #isOver = false
  #waiting: ((line: string | undefined) => void) | undefined // gets the next line
  #onQuestion: (() => void) | undefined
  #onBusy: (() => void) | undefined
  #idle: (() => void) | undefined
  #isMeasuring = false
  #isGrowing = false // only more of an answer has arrived

  constructor(options: PlainOptions) {
    this.#options = options
    this.#lines = options.lines[Symbol.asyncIterator]()
    this.#chat = new Chat({
      client: options.client,
      dialogs: this.#dialogs(),
      hasFile: options.hasFile,
      saveFile: options.saveFile,
      onChange: () => {
        if (!this.#isGrowing) this.#tell()
      },
      onItem: (item) => {
        this.#isGrowing = item.kind === 'frame' && item.frame.type.endsWith('-delta')
      },
      onReturned: (text) => this.#line(`Not delivered: ${text}`),
      onExit: () => {
        this.#isOver = true
      },
    })
  }

  async run(): Promise<string> {
    const opening = this.#chat.open(this.#options.threadId)
    try {
      const opened = opening.then(() => {
        this.#tell()
        if (this.#options.notice !== undefined) this.#line(this.#options.notice)
        this.#line('Type a message, or /help. /exit leaves.')
      })
      // In parallel: a question may need an answer before the thread is open.
      await Promise.all([opened, this.#read(opening)])
      if (!this.#isOver) await this.#quiet()
      await this.#settle()
      return this.#chat.threadId
    } finally {
      this.#chat.close()
    }
  }

  /** Line by line; an answer to a question is not sent. */
  async #read(opening: Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const { value, done } = await this.#lines.next()
      await Promise.race([opening, this.#asked()])
      if (this.#waiting) this.#answer(done ? undefined : value)
      else if (!done) await this.#submit(value)
      if (done) return
    }
  }

  #answer(line: string | undefined): void {
    const answer = this.#waiting
    this.#waiting = undefined
    answer?.(line)
  }

  /** The next line may answer a question that this one causes. */
  async #submit(line: string): Promise<void> {
    const { isPatient } = this.#options
    const work = this.#chat.submit(line)
    // A compaction takes time, and a person who types can stop it.
    await Promise.race([work, this.#asked(), ...(isPatient ? [] : [this.#busy()])])
    if (isPatient) await Promise.race([this.#quiet().then(() => this.#settle()), this.#asked()])
  }

  /** Prints everything that happened. */
  async #settle(): Promise<void> {
    if (!this.#chat.isMeasured) await this.#chat.measure()
    this.#tell(true)
  }

  #busy(): Promise<void> {
    return new Promise((resolve) => {
      this.#onBusy = resolve
    })
  }

  /** Resolves when a question waits for a line. */
  #asked(): Promise<void> {
    if (this.#waiting) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onQuestion = resolve
    })
  }

  #quiet(): Promise<void> {
    if (!this.#chat.isBusy) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }

  #tell(isMeasured = this.#chat.isMeasured): void {
    for (const block of this.#chat.blocks) {
      // Its event has an estimate. Print it once and in order, with the window's sizes.
      if (block.kind === 'compaction' && block.state === 'done' && !isMeasured) {
        void this.#measure()
        break
      }
      const words = findWords(block)
      if (words === undefined || this.#said.get(block.key) === words) continue
      this.#said.set(block.key, words)
      this.#line(words)
    }
    if (this.#chat.isBusy) this.#onBusy?.()
    else this.#idle?.()
  }

  async #measure(): Promise<void> {
    if (this.#isMeasuring) return
    this.#isMeasuring = true
    await this.#chat.measure()
    this.#isMeasuring = false
    this.#tell(true)
  }

  #line(text: string): void {
    this.#options.write(`${visible(text)}\n`)
  }

  #dialogs(): Dialogs {
    return {
      choose: async (title, choices, signal) => {
        this.#line(title)
        for (const [index, { label, description = '' }] of choices.entries())
          this.#line(`  ${index + 1}. ${label}${description === '' ? '' : ` – ${description}`}`)
        this.#line('Type a number, or press Enter to cancel.')
        const line = (await this.#ask(signal))?.trim() ?? ''
        const meant = choices.find((choice) => isMeant(choice, line))
        return (meant ?? choices[Number(line || Number.NaN) - 1])?.value
      },
      show: async (title, text) => this.#line(`${title}\n${text}`),
      edit: async (title, text) => {
        this.#line(`${title}\n${text}\nType the text on one line, or press Enter to cancel.`)
        const line = await this.#ask()
        return line === undefined || line.trim() === '' ? undefined : line
      },
    }
  }

  #ask(signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#onQuestion?.()
      signal?.addEventListener('abort', () => {
        if (this.#waiting === resolve) this.#waiting = undefined
        resolve(undefined)
      })
    })
  }
}

/** The text printed for a block; empty while it grows. */
function findWords(block: ViewBlock): string | undefined {
  switch (block.kind) {
    case 'user':
      return `You: ${block.text}`
    case 'answer':
      return block.isStreaming
        ? undefined
        : `Agent: ${block.text}${block.cut ? ` [${block.cut}]` : ''}`
    case 'thinking':
      return block.isStreaming ? undefined : `Thinking: ${visibleLine(block.text)}`
    case 'tool':
      return `Tool ${block.name} ${visibleLine(block.subject)}: ${block.state}`
    case 'compaction':
      return compactionWords(block)
    case 'notice':
      return block.text
  }
}

function compactionWords(block: EditBlock): string {
  const { state, strategy, isFresh, isEmpty, summary, error, hint, note } = block
  const more = note === undefined ? '' : ` ${note}`
  if (isEmpty) return `Nothing to compact.${more}`
  switch (state) {
    case 'running':
      return ['Compacting', isFresh ? 'context' : `by ${strategy}`, buildChunk(block)]
        .filter((word) => word !== '')
        .join(' ')
    case 'failed':
      return [`${isFresh ? 'Compact failed' : 'Compaction failed'}: ${error ?? 'unknown'}`, hint]
        .filter((line) => line !== undefined)
        .join('\n')
    case 'undone':
      return `The compaction by ${strategy} was undone.`
    case 'done':
      return isFresh
        ? `Context compacted. Summary:\n${summary ?? ''}`
        : `Compacted by ${strategy}${printSizes(block)}.${more}${summary === undefined ? '' : ` Summary:\n${summary}`}`
  }
}

function printSizes({ strategy, beforeTokens, afterTokens }: EditBlock): string {
  const sizes = renderSizes({ strategy, beforeTokens, afterTokens })
  return sizes === '' ? '' : `: ${sizes}`
}
