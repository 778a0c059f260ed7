// The transcript as a window onto its blocks: draws and caches the visible ones.
import type { ViewBlock } from '../../protocol/index.ts'
import { type GrowingLines, growMarkdown } from './markdown-lines.ts'
import { isOpenable, renderBlock } from './render-block.ts'
import type { Theme } from './theme.ts'

interface DrawnBlock {
  readonly width: number
  readonly isOpen: boolean
  readonly lines: readonly string[]
}
/** A line of a block. */
interface Place {
  readonly block: number
  readonly line: number
}

export class Transcript {
  readonly #theme: Theme
  #blocks: readonly ViewBlock[] = []
  #drawn = new WeakMap<ViewBlock, DrawnBlock>()
  #growing: { readonly key: string; readonly made: GrowingLines } | undefined
  #opened = new Set<string>() // those that differ from the default
  #isAllOpen = false
  #top: Place | undefined // undefined: follows the end
  #selected: string | undefined
  #toBegin: string | undefined
  #width = 80
  #height = 20

  constructor(theme: Theme) {
    this.#theme = theme
  }

  get isAtEnd(): boolean {
    return this.#top === undefined
  }

  /** Whether the first line is visible. */
  get isAtStart(): boolean {
    const { block, line } = this.#top ?? this.#endTop()
    return block === 0 && line === 0
  }

  get selected(): ViewBlock | undefined {
    return this.#blocks.find(({ key }) => key === this.#selected)
  }

  /** The same list may come again with more blocks. `earlier` blocks were added in front. */
  show(blocks: readonly ViewBlock[], earlier = 0): void {
    this.#blocks = blocks
    if (this.#top) this.#top = { block: this.#top.block + earlier, line: this.#top.line }
  }

  /** Exactly `height` lines; the last block ends at the bottom. */
  render(width: number, height: number): string[] {
    this.#width = width
    this.#height = height
    if (height <= 0) return []
    if (this.#toBegin !== undefined) this.#beginAt(this.#toBegin)
    const lines = this.#top ? this.#linesFrom(this.#top, height) : this.#lastLines(height)
    if (lines.length < height && this.#top) {
      this.#top = undefined
      return this.render(width, height)
    }
    // A short conversation starts at the top.
    return [...lines, ...Array.from({ length: height - lines.length }, () => '')]
  }

  /** Shows a block taller than the window from its start instead of its end. */
  beginAt(key: string): void {
    if (this.isAtEnd) this.#toBegin = key
  }

  #beginAt(key: string): void {
    this.#toBegin = undefined
    const block = this.#blocks.findLastIndex((each) => each.key === key)
    // Skips the blank line between two blocks.
    if (this.#linesOf(block).length - 1 > this.#height) this.#top = { block, line: 1 }
  }

  /** Up where negative. */
  scrollBy(lines: number): void {
    const top = this.#moved(this.#top ?? this.#endTop(), lines)
    this.#top = this.#isBehind(top, this.#endTop()) ? undefined : top
  }

  scrollPage(direction: 1 | -1): void {
    this.scrollBy(direction * Math.max(1, this.#height - 2))
  }

  scrollToEnd(): void {
    this.#top = undefined
  }

  toggleAll(): void {
    this.#isAllOpen = !this.#isAllOpen
    this.#opened.clear()
  }

  toggle(key: string): void {
    if (!this.#opened.delete(key)) this.#opened.add(key)
  }

  /** The next openable block in a direction; from the end if none is selected. */
  selectNext(direction: 1 | -1): void {
    const at = this.#blocks.findIndex(({ key }) => key === this.#selected)
    let next = at === -1 ? this.#blocks.length + (direction === 1 ? 0 : -1) : at + direction
    while (next >= 0 && next < this.#blocks.length) {
      const block = this.#blocks[next]
      if (block && isOpenable(block)) {
        this.#select(next, block.key)
        return
      }
      next += direction
    }
    if (direction === 1) this.clearSelection()
  }

  clearSelection(): void {
    this.#selected = undefined
    this.#top = undefined
  }

  /** The block at a line of the window. */
  blockAt(row: number): ViewBlock | undefined {
    const place = this.#moved(this.#top ?? this.#endTop(), row)
    return this.#blocks[place.block]
  }

  #select(at: number, key: string): void {
    this.#selected = key
    const from = this.#top ?? this.#endTop()
    const until = this.#moved(from, this.#height - 1)
    const isSeen = at >= from.block && at <= until.block
    if (!isSeen || (at === from.block && from.line > 1)) this.#top = { block: at, line: 0 }
  }

  #linesFrom({ block, line }: Place, count: number): string[] {
    const lines: string[] = []
    for (let at = block; at < this.#blocks.length && lines.length < count; at += 1) {
      const from = at === block ? line : 0
      lines.push(...this.#linesOf(at).slice(from, from + count - lines.length))
    }
    return lines
  }

  #lastLines(count: number): string[] {
    return this.#linesFrom(this.#endTop(), count)
  }

  /** The top of the window when it shows the end. */
  #endTop(): Place {
    let missing = this.#height
    for (let at = this.#blocks.length - 1; at >= 0; at -= 1) {
      const { length } = this.#linesOf(at)
      if (length >= missing) return { block: at, line: length - missing }
      missing -= length
    }
    return { block: 0, line: 0 }
  }

  #moved({ block, line }: Place, by: number): Place {
    let at = block
    let to = line + by
    while (to < 0 && at > 0) {
      at -= 1
      to += this.#linesOf(at).length
    }
    while (at < this.#blocks.length - 1 && to >= this.#linesOf(at).length) {
      to -= this.#linesOf(at).length
      at += 1
    }
    return { block: at, line: Math.max(0, to) }
  }

  #isBehind(one: Place, other: Place): boolean {
    return one.block > other.block || (one.block === other.block && one.line >= other.line)
  }

  #linesOf(at: number): readonly string[] {
    const block = this.#blocks[at]
    if (block === undefined) return []
    const isOpen = this.#isAllOpen !== this.#opened.has(block.key)
    const drawn = this.#drawn.get(block)
    const width = this.#width
    const lines =
      drawn?.width === width && drawn.isOpen === isOpen ? drawn.lines : this.#draw(block, isOpen)
    if (lines !== drawn?.lines) this.#drawn.set(block, { width, isOpen, lines })
    return block.key === this.#selected ? this.#marked(lines) : lines
  }

  #draw(block: ViewBlock, isOpen: boolean): readonly string[] {
    const width = this.#width
    const theme = this.#theme
    if (block.kind !== 'answer' || !block.isStreaming)
      return renderBlock(block, { width, theme, isOpen })
    const known = this.#growing?.key === block.key ? this.#growing.made : undefined
    const isLonger = block.text.length >= (known?.doneUntil ?? 0)
    const made = growMarkdown(block.text, width, theme, isLonger ? known : undefined)
    this.#growing = { key: block.key, made }
    return ['', ...made.lines]
  }

  /** Marks the head of the selected block without relying on colours. */
  #marked(lines: readonly string[]): readonly string[] {
    const head = lines.findIndex((line) => line !== '')
    return lines.map((line, index) => (index === head ? this.#theme.inverse(line) : line))
  }
}
