// Dialogs over the screen: a list, a text to read, a text to edit
import {
  type Component,
  Editor,
  type Focusable,
  matchesKey,
  SelectList,
  type TUI,
  visibleWidth,
} from '@earendil-works/pi-tui'
import { type Choice, type EditForm, isMeant } from '../dialogs/dialogs.ts'
import { markdownLines } from './markdown-lines.ts'
import { cut, padded, type Theme, visible, visibleLine, wrapped } from './theme.ts'

/** Rows of a frame that are not its content: borders, hint, and room around it. */
const FRAME_ROWS = 6
const MOST_TITLE_LINES = 6
/** Around a list: what was typed, and where in a long one it is. */
const LIST_ROWS = 2
const COLUMNS = { minPrimaryColumnWidth: 10, maxPrimaryColumnWidth: 40 }
const NOTHING_FOUND = '  Nothing has these words.'

interface BoxParts {
  readonly tui: TUI
  readonly theme: Theme
  readonly title: string
}

abstract class Box implements Component {
  protected readonly parts: BoxParts

  constructor(parts: BoxParts) {
    this.parts = parts
  }

  abstract handleInput(data: string): void
  protected abstract content(width: number, rows: number): readonly string[]
  protected abstract readonly hint: string

  render(width: number): string[] {
    const { theme, title, tui } = this.parts
    const inner = Math.max(1, width - 4)
    const heads = headLines(title, inner)
    const rows = Math.max(1, tui.terminal.rows - FRAME_ROWS - heads.length)
    const lines = [
      ...heads.map(theme.bold),
      ...this.content(inner, rows),
      theme.dim(cut(this.hint, inner)),
    ]
    const side = theme.dim('│')
    return [
      theme.dim(`┌${'─'.repeat(Math.max(0, width - 2))}┐`),
      ...lines.map((line) => `${side} ${padded(line, inner)} ${side}`),
      theme.dim(`└${'─'.repeat(Math.max(0, width - 2))}┘`),
    ]
  }

  invalidate(): void {
    // Nothing is kept from one drawing to the next.
  }
}

/** What is left out of a long title is not left out in silence. */
function headLines(title: string, width: number): string[] {
  const lines = wrapped(visible(title), width)
  if (lines.length <= MOST_TITLE_LINES) return lines
  const shown = lines.slice(0, MOST_TITLE_LINES - 1)
  return [...shown, `… ${lines.length - shown.length} more lines`]
}

export class ChoiceBox extends Box {
  protected readonly hint = 'Enter chooses, typing narrows, Esc leaves it'
  readonly #choices: readonly Choice[]
  readonly #done: (value: string | undefined) => void
  #typed = ''
  #rows = 1
  #found: readonly Choice[]
  #list: SelectList

  constructor(
    parts: BoxParts,
    choices: readonly Choice[],
    done: (value: string | undefined) => void,
  ) {
    super(parts)
    this.#choices = choices
    this.#done = done
    this.#found = choices
    this.#list = this.#listOf(choices)
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'backspace')) this.#narrow(this.#typed.slice(0, -1))
    else if (/^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(data)) this.#narrow(this.#typed + data)
    else this.#list.handleInput(data)
  }

  protected content(width: number, rows: number): readonly string[] {
    this.#fit(rows)
    const typed = this.#typed === '' ? [] : [cut(`/${this.#typed}`, width)]
    const list = this.#found.length > 0 ? this.#list.render(width) : [NOTHING_FOUND]
    return [...typed, ...list]
  }

  /** The window may have another size than when the list was made. */
  #fit(rows: number): void {
    const fitting = Math.max(1, rows - LIST_ROWS)
    if (fitting === this.#rows) return
    const value = this.#list.getSelectedItem()?.value
    this.#rows = fitting
    this.#list = this.#listOf(this.#found)
    this.#list.setSelectedIndex(this.#found.findIndex((choice) => choice.value === value))
  }

  #narrow(typed: string): void {
    this.#typed = typed
    this.#found =
      typed === '' ? this.#choices : this.#choices.filter((each) => isFound(each, typed))
    this.#list = this.#listOf(this.#found)
  }

  #listOf(choices: readonly Choice[]): SelectList {
    const { theme } = this.parts
    const items = choices.map(({ value, label, description }) => ({
      value,
      label: visibleLine(label),
      ...(description !== undefined && { description: visibleLine(description) }),
    }))
    const list = new SelectList(items, Math.min(choices.length, this.#rows), theme.select, COLUMNS)
    list.onSelect = ({ value }) => this.#done(value)
    list.onCancel = () => this.#done(undefined)
    return list
  }
}

function isFound(choice: Choice, typed: string): boolean {
  const { label, description = '', words } = choice
  if (words) return isMeant(choice, typed)
  return `${label} ${description}`.toLowerCase().includes(typed.toLowerCase())
}

export class TextBox extends Box {
  protected readonly hint = 'Up, Down, PageUp, PageDown scroll; Esc closes'
  readonly #text: string
  readonly #form: 'markdown' | 'plain'
  readonly #done: () => void
  #from = 0
  #page = 1
  #drawn: { readonly width: number; readonly lines: readonly string[] } | undefined

  constructor(parts: BoxParts, text: string, form: 'markdown' | 'plain', done: () => void) {
    super(parts)
    this.#text = text
    this.#form = form
    this.#done = done
  }

  handleInput(data: string): void {
    const closes = ['escape', 'enter', 'q', 'ctrl+c'] as const
    if (closes.some((key) => matchesKey(data, key))) this.#done()
    else if (matchesKey(data, 'up')) this.#from -= 1
    else if (matchesKey(data, 'down')) this.#from += 1
    else if (matchesKey(data, 'pageUp')) this.#from -= this.#page
    else if (matchesKey(data, 'pageDown') || matchesKey(data, 'space')) this.#from += this.#page
    else if (matchesKey(data, 'home')) this.#from = 0
    else if (matchesKey(data, 'end')) this.#from = Number.MAX_SAFE_INTEGER
  }

  protected content(width: number, rows: number): readonly string[] {
    const lines = this.#lines(width)
    this.#page = rows
    this.#from = Math.max(0, Math.min(this.#from, lines.length - rows))
    return lines.slice(this.#from, this.#from + rows)
  }

  #lines(width: number): readonly string[] {
    if (this.#drawn?.width === width) return this.#drawn.lines
    const { theme } = this.parts
    const lines =
      this.#form === 'markdown'
        ? markdownLines(this.#text, width, theme)
        : this.#text.split('\n').flatMap((line) => this.#plainLine(line, width))
    this.#drawn = { width, lines }
    return lines
  }

  /** Lines of a diff have their colours; there are none to be mistaken for them elsewhere. */
  #plainLine(line: string, width: number): readonly string[] {
    const { theme } = this.parts
    const text = visible(line)
    const paint = text.startsWith('+') ? theme.good : text.startsWith('-') ? theme.bad : undefined
    const row = visibleWidth(text) > width ? ROW.exec(text) : null
    if (row) return rowLines(row[1] ?? '', row[2] ?? '', width)
    // What was indented, as the rows of a table are, continues under itself.
    const indent = text.startsWith('  ') ? 4 : 0
    const [first = '', ...rest] = wrapped(text, width - indent)
    const lines = [first, ...rest.map((more) => ' '.repeat(indent) + more)]
    return paint ? lines.map(paint) : lines
  }
}

/** A row of a table of two columns. */
const ROW = /^( {2}\S.*?) {2,}(\S.*)$/
const DESCRIPTION_INDENT = 6

/** Where two columns do not fit beside each other, the second stands under the first. */
function rowLines(name: string, description: string, width: number): readonly string[] {
  const under = wrapped(description, width - DESCRIPTION_INDENT)
  return [...wrapped(name, width), ...under.map((line) => ' '.repeat(DESCRIPTION_INDENT) + line)]
}

export class EditBox extends Box implements Focusable {
  protected readonly hint: string
  readonly #form: EditForm
  readonly #editor: Editor
  readonly #done: (text: string | undefined) => void

  constructor(
    parts: BoxParts,
    text: string,
    form: EditForm,
    done: (text: string | undefined) => void,
  ) {
    super(parts)
    this.#form = form
    this.hint = `${form === 'line' ? 'Enter' : 'Ctrl+S'} keeps it, Esc leaves it as it was`
    this.#editor = new Editor(parts.tui, parts.theme.editor)
    this.#editor.setText(text)
    this.#done = done
  }

  get focused(): boolean {
    return this.#editor.focused
  }
  set focused(isFocused: boolean) {
    this.#editor.focused = isFocused
  }

  handleInput(data: string): void {
    const isEnter = matchesKey(data, 'enter')
    if (matchesKey(data, 'ctrl+s') || (isEnter && this.#form === 'line'))
      this.#done(this.#editor.getExpandedText())
    else if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) this.#done(undefined)
    else if (isEnter) this.#editor.insertTextAtCursor('\n')
    else this.#editor.handleInput(data)
  }

  protected content(width: number): readonly string[] {
    return this.#editor.render(width)
  }
}
