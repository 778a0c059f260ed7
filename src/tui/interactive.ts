// The full-screen chat: reads keys and draws until the user leaves.
import { Editor, type Terminal, TuiAltScreen } from '@earendil-works/pi-tui'
import type { Client, ViewBlock } from '../protocol/index.ts'
import { Chat } from './chat.ts'
import { openCompaction, openCompactions } from './dialogs/compactions.ts'
import { createCompletion } from './dialogs/completion.ts'
import { bindKeys, type KeyAction, keyAction } from './screen/keys.ts'
import { FRAME_MS, Screen, screenDialogs, watchTyping } from './screen/screen.ts'
import { createTheme } from './screen/theme.ts'
import { Transcript } from './screen/transcript.ts'

export interface InteractiveOptions {
  readonly client: Client
  readonly terminal: Terminal
  readonly threadId: string
  readonly hasColor: boolean
  /** Shown once the thread is open. */
  readonly notice?: string
  nowMs(): number
  hasFile(name: string): Promise<boolean>
  saveFile(name: string, text: string): Promise<string>
}

export interface Interactive {
  /** Resolves when the user leaves, with the open thread. The terminal is restored by then. */
  readonly left: Promise<string>
  /** Shows output that would otherwise end up in the middle of the screen. */
  say(text: string): void
  /** Restores the terminal at once, for a process about to end. */
  stop(): void
}

const FIRST_WORDS = 'Type a message. /help lists the commands and the keys.'
const WHEEL_LINES = 3
/** As terminals hand it on, in one piece. */
const PASTE = new RegExp(
  `^${String.fromCharCode(27)}\\[200~([\\s\\S]*)${String.fromCharCode(27)}\\[201~$`,
)
/** Two presses of Ctrl+C within this time quit. */
const TWICE_MS = 1_500
const MOST_PASTES = 20

export function startInteractive(options: InteractiveOptions): Interactive {
  const ui = new InteractiveChat(options)
  return { left: ui.run(), say: (text) => ui.say(text), stop: () => ui.stop() }
}

class InteractiveChat {
  readonly #options: InteractiveOptions
  readonly #tui: TuiAltScreen
  readonly #transcript: Transcript
  #returned = '' // the last text put back into the editor
  readonly #editor: Editor
  readonly #chat: Chat
  #leave: () => void = () => undefined
  #interruptedMs = Number.NEGATIVE_INFINITY
  #isStopped = false
  #reply: string | undefined // the last one drawn
  #isReading = false
  /** Text typed before the chat had the terminal arrives first, in one piece, with newlines for Enter. */
  #isTypedBefore = true
  /** Lines sent before the thread was open; undefined afterwards. */
  #early: (readonly [text: string, pastes: readonly string[]])[] | undefined = []
  /** Into the message that is in the editor. */
  #pastes: string[] = []
  /** Into messages before it: what is put back into the editor may hold them. */
  #sentPastes: readonly string[] = []

  constructor(options: InteractiveOptions) {
    bindKeys()
    this.#options = options
    const { terminal, client, hasColor } = options
    const theme = createTheme(hasColor)
    this.#tui = new TuiAltScreen(terminal, true)
    this.#transcript = new Transcript(theme)
    this.#editor = new Editor(this.#tui, theme.editor, { autocompleteMaxVisible: 8 })
    const halfTyped = watchTyping(this.#editor)
    this.#chat = new Chat({
      client,
      dialogs: screenDialogs(this.#tui, theme),
      hasFile: options.hasFile,
      saveFile: options.saveFile,
      whenUntyped: () => halfTyped.over(),
      onChange: () => this.#draw(),
      onReturned: (text, by) => this.#putBack(text, by),
      onExit: () => this.#leave(),
    })
    const completion = createCompletion({
      preset: () => this.#chat.detail?.preset,
      // Without a folder there is nothing to complete, and no error to show.
      files: (typed) => client.files(this.#chat.threadId, typed).catch(() => []),
    })
    this.#editor.setAutocompleteProvider(completion)
    // The list is for an earlier text; setting the provider again closes it.
    halfTyped.whenCut(() => this.#editor.setAutocompleteProvider(completion))
    this.#editor.onSubmit = (text) => this.#submit(text)
    this.#tui.setLayoutRoot(
      new Screen({
        theme,
        transcript: this.#transcript,
        editor: this.#editor,
        rows: () => terminal.rows,
        nowMs: options.nowMs,
        status: () => this.#chat.status,
        detail: () => this.#chat.detail,
        isTyping: () => halfTyped.isThere,
        earlierEvents: () => this.#chat.earlierEvents,
        onWheel: (lines) => this.#transcript.scrollBy(Math.sign(lines) * WHEEL_LINES),
        onClick: (row) => this.#click(row),
      }),
    )
    this.#tui.setFocus(this.#editor)
    this.#tui.addInputListener((data) => (this.#onKey(data) ? { consume: true } : undefined))
  }

  async run(): Promise<string> {
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve
    })
    this.#tui.start()
    const ticking = setInterval(() => {
      if (this.#chat.isBusy) this.#tui.requestRender()
    }, FRAME_MS)
    try {
      await this.#chat.open(this.#options.threadId)
      if (!this.#chat.blocks.some(({ kind }) => kind !== 'notice')) this.#chat.say(FIRST_WORDS)
      if (this.#options.notice !== undefined) this.#chat.say(this.#options.notice)
      await this.#sendEarly()
      await left
      // Pending keys must not reach the shell.
      await this.#options.terminal.drainInput()
      return this.#chat.threadId
    } finally {
      clearInterval(ticking)
      this.#chat.close()
      this.stop()
    }
  }

  say(text: string): void {
    this.#chat.say(text, 'warning')
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#tui.stop({ preserveScreen: true })
  }

  #draw(): void {
    this.#transcript.show(this.#chat.blocks)
    const last = this.#chat.blocks.at(-1)
    if (last?.kind === 'notice' && last.level === 'reply' && last.key !== this.#reply) {
      this.#reply = last.key
      this.#transcript.beginAt(last.key)
    }
    if (!this.#isStopped) this.#tui.requestRender()
  }

  #submit(text: string): void {
    if (text.trim() === '') {
      const { selected } = this.#transcript
      if (selected) this.#openBlock(selected)
      return
    }
    this.#editor.addToHistory(text)
    this.#transcript.clearSelection()
    const pastes = this.#pastes
    this.#pastes = []
    this.#sentPastes = [...this.#sentPastes, ...pastes].slice(-MOST_PASTES)
    if (this.#early) this.#early.push([text, pastes])
    else void this.#chat.submit(text, pastes)
  }

  /** Each line separately and in order, as if typed now. */
  async #sendEarly(): Promise<void> {
    for (let next = this.#early?.shift(); next !== undefined; next = this.#early?.shift())
      await this.#chat.submit(...next)
    this.#early = undefined
  }

  /** Puts texts back in the order they were typed, before what is typed now. */
  #putBack(text: string, by: 'command' | 'queue'): void {
    const typed = this.#editor.getExpandedText()
    const earlier = this.#returned !== '' && typed.startsWith(this.#returned) ? this.#returned : ''
    const parts = by === 'command' ? [text, earlier] : [earlier, text]
    this.#returned = parts.filter((part) => part !== '').join('\n\n')
    const rest = typed.slice(earlier.length).replace(/^\n+/, '')
    this.#editor.setText(rest === '' ? this.#returned : `${this.#returned}\n\n${rest}`)
    this.#pastes.push(...this.#sentPastes)
  }

  #onKey(data: string): boolean {
    if (data === '\n' && this.#isTypedBefore && !this.#tui.hasOverlay()) {
      this.#editor.handleInput('\r')
      return true
    }
    if (this.#isTypedBefore)
      queueMicrotask(() => {
        this.#isTypedBefore = false
      })
    const pasted = PASTE.exec(data)?.[1]
    if (pasted !== undefined && !this.#tui.hasOverlay()) this.#pastes.push(pasted)
    const action = keyAction(data)
    if (action === undefined || this.#tui.hasOverlay()) return false
    return this.#act(action)
  }

  /** False if the key belongs to the editor. */
  #act(action: KeyAction): boolean {
    switch (action) {
      case 'stop':
        return this.#stopOrDeselect()
      case 'quit':
        this.#interrupt()
        return true
      case 'quit-empty':
        if (this.#editor.getText() !== '') return false
        this.#leave()
        return true
      case 'compactions':
        void this.#chat.attempt(() => openCompactions(this.#chat))
        return true
      case 'redraw':
        this.#tui.requestRender(true)
        return true
      default:
        this.#look(action)
        this.#tui.requestRender()
        return true
    }
  }

  #look(action: KeyAction): void {
    if (action === 'toggle-all') this.#transcript.toggleAll()
    else if (action === 'select-previous') this.#transcript.selectNext(-1)
    else if (action === 'select-next') this.#transcript.selectNext(1)
    else if (action === 'page-down') this.#transcript.scrollPage(1)
    else if (action === 'to-end') this.#transcript.scrollToEnd()
    else if (action === 'page-up') {
      this.#transcript.scrollPage(-1)
      void this.#chat.attempt(() => this.#readEarlier())
    }
  }

  #stopOrDeselect(): boolean {
    if (this.#editor.isShowingAutocomplete()) return false
    this.#transcript.clearSelection()
    if (this.#chat.isBusy) void this.#chat.submit('/abort')
    this.#tui.requestRender()
    return true
  }

  #interrupt(): void {
    const nowMs = this.#options.nowMs()
    if (nowMs - this.#interruptedMs < TWICE_MS) {
      this.#leave()
      return
    }
    this.#interruptedMs = nowMs
    if (this.#chat.isBusy) void this.#chat.submit('/abort')
    else if (this.#editor.getText() !== '') this.#editor.setText('')
    this.#chat.say('Ctrl+C again leaves.')
  }

  async #readEarlier(): Promise<void> {
    if (this.#isReading || !this.#transcript.isAtStart || this.#chat.earlierEvents === 0) return
    this.#isReading = true
    try {
      const earlier = await this.#chat.loadEarlier()
      this.#transcript.show(this.#chat.blocks, earlier)
      this.#tui.requestRender()
    } finally {
      this.#isReading = false
    }
  }

  #click(row: number): void {
    const block = this.#transcript.blockAt(row)
    if (block) this.#openBlock(block)
  }

  #openBlock(block: ViewBlock): void {
    if (block.kind === 'compaction')
      void this.#chat.attempt(() => openCompaction(this.#chat, block))
    else this.#transcript.toggle(block.key)
  }
}
