// A terminal without a window: what the chat draws goes through a real emulator, and can be read back.
import type { Terminal } from '@earendil-works/pi-tui'
import headless from '@xterm/headless'
import { until, within } from '../wait.ts'

const KEYS = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
  'alt-up': '\u001b[1;3A',
  'alt-down': '\u001b[1;3B',
  'shift-enter': '\u001b[13;2u',
  backspace: '\u007f',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
  'ctrl-g': '\u0007',
  'ctrl-o': '\u000f',
  'ctrl-s': '\u0013',
  'ctrl-u': '\u0015',
  'ctrl-w': '\u0017',
} as const

/** One place of the screen, as it looks. */
export interface Cell {
  readonly text: string
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isItalic: boolean
  readonly color?: number // of the eight
}

export class HeadlessTerminal implements Terminal {
  readonly kittyProtocolActive = false
  /** Everything that was written, as long as nobody empties it. */
  written: string[] = []
  isStarted = false
  readonly #emulator: InstanceType<typeof headless.Terminal>
  #onInput: (data: string) => void = () => undefined
  #onResize: () => void = () => undefined

  constructor(columns = 80, rows = 24) {
    this.#emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  }

  get columns(): number {
    return this.#emulator.cols
  }
  get rows(): number {
    return this.#emulator.rows
  }
  /** Whether the screen of the program is shown, and not that of the shell. */
  get isAlternate(): boolean {
    return this.#emulator.buffer.active.type === 'alternate'
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput
    this.#onResize = onResize
    this.isStarted = true
  }
  stop(): void {
    this.isStarted = false
  }
  async drainInput(): Promise<void> {
    // Nothing is buffered here.
  }
  write(data: string): void {
    this.written.push(data)
    this.#emulator.write(data)
  }
  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`)
  }
  hideCursor(): void {
    this.write('\u001b[?25l')
  }
  showCursor(): void {
    this.write('\u001b[?25h')
  }
  clearLine(): void {
    this.write('\u001b[K')
  }
  clearFromCursor(): void {
    this.write('\u001b[J')
  }
  clearScreen(): void {
    this.write('\u001b[2J\u001b[H')
  }
  setTitle(): void {
    // A window has a title; this has none.
  }
  setProgress(): void {
    // The same for a taskbar.
  }

  /** Resolves when something was drawn for the new size. */
  async resize(columns: number, rows: number): Promise<void> {
    this.#emulator.resize(columns, rows)
    const before = this.written.length
    this.#onResize()
    await until('something drawn for the new size', () => this.written.length > before)
  }

  /** As fingers do it, key by key. */
  type(text: string): void {
    for (const key of text) this.#onInput(key)
  }
  press(...keys: (keyof typeof KEYS)[]): void {
    for (const key of keys) this.#onInput(KEYS[key])
  }
  paste(text: string): void {
    this.#onInput(`\u001b[200~${text}\u001b[201~`)
  }
  /** The mouse wheel, over the first line. */
  wheel(direction: 'up' | 'down'): void {
    this.#onInput(`\u001b[<${direction === 'up' ? 64 : 65};1;1M`)
  }
  click(column: number, row: number): void {
    this.#onInput(`\u001b[<0;${column + 1};${row + 1}M`)
    this.#onInput(`\u001b[<0;${column + 1};${row + 1}m`)
  }
  enter(line: string): void {
    this.type(line)
    this.press('enter')
  }

  /** The screen as text, without the blanks at the ends of its lines. */
  async lines(): Promise<string[]> {
    const drawn = new Promise<void>((resolve) => this.#emulator.write('', resolve))
    await within('the terminal to draw', drawn)
    const { active } = this.#emulator.buffer
    return Array.from(
      { length: this.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
  }
  async screen(): Promise<string> {
    return (await this.lines()).join('\n')
  }

  /** The screen with its styles. */
  async cells(): Promise<Cell[][]> {
    await this.lines()
    const { active } = this.#emulator.buffer
    return Array.from({ length: this.rows }, (_, row) => {
      const line = active.getLine(active.baseY + row)
      return Array.from({ length: this.columns }, (_, column): Cell => {
        const cell = line?.getCell(column)
        return {
          // The second half of a wide letter has none.
          text: cell?.getWidth() === 0 ? '' : cell?.getChars() || ' ',
          isBold: Boolean(cell?.isBold()),
          isDim: Boolean(cell?.isDim()),
          isItalic: Boolean(cell?.isItalic()),
          ...(cell?.isFgPalette() && { color: cell.getFgColor() }),
        }
      })
    })
  }

  /** Waits until the screen has, or has no more, what is looked for. */
  async sees(wanted: string | RegExp, isThere = true): Promise<string> {
    let screen = ''
    const look = async () => {
      screen = await this.screen()
      return (
        isThere === (typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen))
      )
    }
    const what = () =>
      `a screen ${isThere ? 'with' : 'without'} ${wanted}; this is the last one:\n${screen}\n`
    await until(what, look)
    return screen
  }
}
