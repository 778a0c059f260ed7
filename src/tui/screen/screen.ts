// The screen from top to bottom: transcript, queue, activity, editor, footer
import type { Component, TuiMouseEvent, TuiMouseEventResult } from '@earendil-works/pi-tui'
import type { Approval, ThreadDetail, ViewStatus } from '../../protocol/index.ts'
import { activityLines } from './activity-line.ts'
import { footerLines } from './footer.ts'
import { cut } from './text-lines.ts'
import type { Theme } from './theme.ts'
import type { Transcript } from './transcript.ts'
import { visibleLine } from './visible.ts'

export interface ScreenParts {
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
/** Below this many rows the foot goes, and the editor stays. */
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

/** The question itself comes when it takes nobody's keys. */
function askingWords({ name, subject }: Approval): string {
  return `? Send or empty what you type, then decide: ${visibleLine(`${name} ${subject}`)}`
}
