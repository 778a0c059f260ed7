// The screen from top to bottom: transcript, queue, activity, editor, footer
import type {
  Component,
  Editor,
  TUI,
  TuiMouseEvent,
  TuiMouseEventResult,
} from '@earendil-works/pi-tui'
import type { Approval, ThreadDetail, ViewStatus } from '../../protocol/index.ts'
import type { Dialogs } from '../dialogs/dialogs.ts'
import { ChoiceBox, EditBox, TextBox } from './boxes.ts'
import { footerLines } from './footer.ts'
import { buildChunk } from './render-block.ts'
import { cut, visibleLine } from './text-lines.ts'
import type { Theme } from './theme.ts'
import type { Transcript } from './transcript.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** The activity line: what runs, for how long, and its progress. */
export const FRAME_MS = 120
/** The wording of the FRESH design. */
const FRESH_MESSAGE = 'Compacting context...'

/** Empty when idle. */
export function activityLines(
  status: ViewStatus,
  nowMs: number,
  width: number,
  theme: Theme,
): string[] {
  const words = activityWords(status, nowMs)
  if (words === undefined) return []
  const frame = FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? ''
  return [cut(`${theme.accent(frame)} ${words} ${theme.dim('(Esc stops it)')}`, width)]
}

function activityWords(status: ViewStatus, nowMs: number): string | undefined {
  const { compaction, activity, isWorking } = status
  const current = compaction ?? activity
  if (current === undefined) return isWorking ? 'Working' : undefined
  const isFresh = compaction?.strategy === 'fresh-session'
  const what = isFresh ? FRESH_MESSAGE : visibleLine(current.what)
  const elapsed = elapsedWords(nowMs - current.since.getTime())
  return [what, buildChunk(current), elapsed].filter((word) => word !== '').join(' · ')
}

function elapsedWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

interface ScreenParts {
  readonly theme: Theme
  readonly transcript: Transcript
  readonly editor: Component
  rows(): number
  nowMs(): number
  status(): ViewStatus
  detail(): ThreadDetail | undefined
  earlierEvents(): number
  isTyping(): boolean
  onWheel(lines: number): void
  onClick(row: number): void
}

const MOST_QUEUED = 3
/** Below this height the footer is dropped and the editor stays. */
const FEWEST_ROWS = 10

export class Screen implements Component {
  readonly #parts: ScreenParts
  #transcriptRows = 0

  constructor(parts: ScreenParts) {
    this.#parts = parts
  }

  /** Exactly as many lines as the terminal has. */
  render(width: number): string[] {
    const { transcript, editor, theme } = this.#parts
    const rows = this.#parts.rows()
    const foot = rows < FEWEST_ROWS ? [] : this.#foot(width)
    const below = [...this.#waiting(width), ...editor.render(width), ...foot]
    const height = Math.max(0, rows - below.length)
    const lines = transcript.render(width, height)
    this.#transcriptRows = height
    if (!transcript.isAtEnd && height > 0)
      lines[height - 1] = theme.dim(cut('↓ more below: Alt+End goes to the end', width))
    if (transcript.isAtStart && this.#parts.earlierEvents() > 0 && height > 1)
      lines[0] = theme.dim(
        cut(`↑ ${this.#parts.earlierEvents()} earlier events: PageUp reads them`, width),
      )
    return [...lines, ...below].slice(-rows)
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === 'wheel') {
      this.#parts.onWheel(event.wheelDelta ?? 0)
      return { handled: true }
    }
    if (event.type !== 'click' || event.y >= this.#transcriptRows) return undefined
    this.#parts.onClick(event.y)
    return { handled: true }
  }

  invalidate(): void {
    this.#parts.editor.invalidate()
  }

  #waiting(width: number): string[] {
    const { theme } = this.#parts
    const { queued, approvals } = this.#parts.status()
    const shown = queued.slice(0, MOST_QUEUED).map(({ text }) => `queued: ${visibleLine(text)}`)
    const left = queued.length - shown.length
    const lines = left > 0 ? [...shown, `… and ${left} more`] : shown
    const asking = this.#parts.isTyping() ? approvals.map(askingWords) : []
    return [
      ...lines.map((line) => theme.dim(cut(line, width))),
      ...asking.slice(0, 1).map((line) => theme.warning(cut(line, width))),
      ...activityLines(this.#parts.status(), this.#parts.nowMs(), width, theme),
    ]
  }

  #foot(width: number): string[] {
    const { detail, status, theme } = this.#parts
    const known = detail()
    const queued = status().queued.length
    return footerLines({ queued, ...(known && { detail: known }) }, width, theme)
  }
}

/** The question itself opens only when it takes no keys from a message. */
function askingWords({ name, subject }: Approval): string {
  return `? Send or empty what you type, then decide: ${visibleLine(`${name} ${subject}`)}`
}

/** Questions over the screen, stacked. */
export function screenDialogs(tui: TUI, theme: Theme): Dialogs {
  /** Shows the result of `make` until it calls `done` or the question is withdrawn. */
  const over = <T>(
    make: (done: (value: T | undefined) => void) => Component,
    signal?: AbortSignal,
  ): Promise<T | undefined> =>
    new Promise((resolve) => {
      const settle = (value: T | undefined) => {
        signal?.removeEventListener('abort', takeBack)
        handle.hide()
        resolve(value)
      }
      const takeBack = () => settle(undefined)
      const handle = tui.showOverlay(make(settle), {
        width: '100%', // it takes its full rows: no transcript beside it
        maxHeight: '100%',
        anchor: 'bottom-center',
      })
      signal?.addEventListener('abort', takeBack, { once: true })
    })
  return {
    choose: (title, choices, signal) =>
      over<string>((done) => new ChoiceBox({ tui, theme, title }, choices, done), signal),
    async show(title, text, form = 'plain') {
      await over<void>(
        (done) => new TextBox({ tui, theme, title }, text, form, () => done(undefined)),
      )
    },
    edit: (title, text, form = 'text') =>
      over<string>((done) => new EditBox({ tui, theme, title }, text, form, done)),
  }
}

/** Detects a half-typed message; dialogs that take keys wait until it is sent. */
interface HalfTyped {
  readonly isThere: boolean
  /** Resolves when the editor is empty. */
  over(): Promise<void>
  /** Called when it becomes empty, or loses more than one character at once. */
  whenCut(work: () => void): void
}

export function watchTyping(editor: Editor): HalfTyped {
  const waiting: (() => void)[] = []
  const each: (() => void)[] = []
  let length = 0
  editor.onChange = (text) => {
    const isCut = text.length < length - 1
    length = text.length
    if (text === '' || isCut) for (const work of each) work()
    if (text !== '') return
    for (const goOn of waiting.splice(0)) goOn()
  }
  return {
    get isThere() {
      return editor.getText() !== ''
    },
    over() {
      if (editor.getText() === '') return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
    whenCut: (work) => {
      each.push(work)
    },
  }
}
