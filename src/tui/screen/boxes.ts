// Dialogs over the screen: a list, a text to read, a text to edit.
import {
  type Component,
  Editor,
  type Focusable,
  matchesKey,
  SelectList,
  type TUI,
} from '@earendil-works/pi-tui'
import { type Choice, type EditForm, isMeant } from '../dialogs/dialogs.ts'
import { markdownLines } from './markdown-lines.ts'
import { plainLines } from './plain-lines.ts'
import { cut, padded, visible, visibleLine, wrapped } from './text-lines.ts'
import type { Theme } from './theme.ts'

const BORDER_ROWS = 2
/** Rows of transcript above a dialog, on terminals of at least this height. */
const ROWS_ABOVE = 3
const ROOMY_ROWS = 18
/** Below this height the hint is dropped. */
const FEWEST_ROWS_FOR_HINT = 8
const MOST_TITLE_LINES = 10
/** A list this short is shown whole even if its title is cut. */
const FEW_CHOICES = 5
/** In lists this narrow the library draws no descriptions, so they follow the labels. */
const NARROW_COLUMNS = 40
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
  /** At most as many lines as there are rows. */
  protected abstract content(width: number, rows: number): readonly string[]
  protected abstract readonly hint: string
  /** Used if the long hint does not fit. */
  protected readonly shortHint: string = ''
  /** Rows the content needs before a long title gets more than one. */
  protected get neededRows(): number {
    return 3
  }
  /** Whether the last drawing cut the title. */
  protected isTitleCut = false

  /** Never more lines than the terminal has rows, so the choices stay visible. */
  render(width: number): string[] {
    const { theme, title, tui } = this.parts
    const inner = Math.max(1, width - 4)
    const all = tui.terminal.rows
    const words = this.hint.length > inner && this.shortHint !== '' ? this.shortHint : this.hint
    const hint = all < FEWEST_ROWS_FOR_HINT ? [] : [theme.dim(cut(words, inner))]
    const room = all - BORDER_ROWS - hint.length - (all < ROOMY_ROWS ? 0 : ROWS_ABOVE)
    const heads = headLines(title, inner, Math.min(MOST_TITLE_LINES, room - this.neededRows))
    this.isTitleCut = heads.isCut
    const rows = Math.max(1, room - heads.lines.length)
    const lines = [...heads.lines.map(theme.bold), ...this.content(inner, rows), ...hint]
    const side = theme.dim('│')
    return [
      theme.dim(`┌${'─'.repeat(Math.max(0, width - 2))}┐`),
      ...lines.map((line) => `${side} ${padded(line, inner)} ${side}`),
      theme.dim(`└${'─'.repeat(Math.max(0, width - 2))}┘`),
    ]
  }

  invalidate(): void {
    // Nothing is cached.
  }
}

/** Marks a title that was cut. */
function headLines(title: string, width: number, most: number) {
  const lines = wrapped(visible(title), width)
  if (lines.length <= Math.max(1, most)) return { lines, isCut: false }
  const [first = ''] = lines
  if (most < 2) return { lines: [cut(`${first} …`, width)], isCut: true }
  const shown = lines.slice(0, most - 1)
  const left = cut(`… ${lines.length - shown.length} more lines`, width)
  return { lines: [...shown, left], isCut: true }
}

export class ChoiceBox extends Box {
  protected readonly hint = 'Enter chooses, Esc leaves it, typing narrows'
  protected override readonly shortHint = 'Enter chooses, Esc leaves it'
  readonly #choices: readonly Choice[]
  readonly #done: (value: string | undefined) => void
  #typed = ''
  #drawn = { rows: 1, isNarrow: false, isTitleCut: false }
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

  protected override get neededRows(): number {
    return Math.min(this.#choices.length, FEW_CHOICES)
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'backspace')) this.#narrow(this.#typed.slice(0, -1))
    else if (matchesKey(data, 'escape') && this.#typed !== '')
      this.#narrow('') // one step back
    else if (/^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(data)) this.#narrow(this.#typed + data)
    else this.#list.handleInput(data)
  }

  protected content(width: number, rows: number): readonly string[] {
    const typed = this.#typed === '' ? [] : [cut(`/${this.#typed}`, width)]
    this.#fit(Math.max(1, rows - typed.length), width <= NARROW_COLUMNS)
    const list = this.#found.length > 0 ? this.#list.render(width) : [cut(NOTHING_FOUND, width)]
    return [...typed, ...list].slice(0, Math.max(rows, 2))
  }

  /** The window may have been resized since the list was made. */
  #fit(room: number, isNarrow: boolean): void {
    // A list that does not fit shows its position in an extra row.
    const rows = this.#found.length <= room ? room : Math.max(1, room - 1)
    const { isTitleCut } = this
    const was = this.#drawn
    if (rows === was.rows && isNarrow === was.isNarrow && isTitleCut === was.isTitleCut) return
    const value = this.#list.getSelectedItem()?.value
    this.#drawn = { rows, isNarrow, isTitleCut }
    this.#list = this.#listOf(this.#found)
    // If another choice is first now, drop the selection.
    if (isTitleCut !== was.isTitleCut) return
    this.#list.setSelectedIndex(
      this.#ordered(this.#found).findIndex((each) => each.value === value),
    )
  }

  /** Puts the choice that shows the whole title first if the title is cut. */
  #ordered(choices: readonly Choice[]): readonly Choice[] {
    if (!this.#drawn.isTitleCut) return choices
    return choices.toSorted((a, b) => Number(b.showsTitle ?? 0) - Number(a.showsTitle ?? 0))
  }

  #narrow(typed: string): void {
    this.#typed = typed
    this.#found =
      typed === '' ? this.#choices : this.#choices.filter((each) => isFound(each, typed))
    this.#list = this.#listOf(this.#found)
  }

  #listOf(choices: readonly Choice[]): SelectList {
    const { theme } = this.parts
    const { rows, isNarrow } = this.#drawn
    const items = this.#ordered(choices).map(({ value, label, description = '' }) => {
      const words = visibleLine(isNarrow && description !== '' ? `${label}  ${description}` : label)
      return {
        value,
        label: words,
        ...(description !== '' && !isNarrow && { description: visibleLine(description) }),
      }
    })
    const list = new SelectList(items, Math.min(choices.length, rows), theme.select, COLUMNS)
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
  protected readonly hint = 'Esc closes; Up, Down, PageUp, PageDown scroll'
  protected override readonly shortHint = 'Esc closes; Up, Down scroll'
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
        : plainLines(this.#text, width, theme)
    this.#drawn = { width, lines }
    return lines
  }
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
    this.hint = `${form === 'line' ? 'Enter' : 'Ctrl+S'} saves, Esc discards the changes`
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

  /** Without room the rules are dropped. */
  protected content(width: number, rows: number): readonly string[] {
    const lines = this.#editor.render(width)
    return lines.length <= rows ? lines : lines.slice(1, -1).slice(-rows)
  }
}
