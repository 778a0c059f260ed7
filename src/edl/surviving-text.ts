// Maps original positions of a file through all edits.

/** Replaces `[start, end)` with the text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The original position lies in a replaced region. */
export interface Replaced {
  readonly from: number
  readonly to: number
}

/** The surviving parts of the original as triples: old place, new place, length. There may be a million. */
type Stretches = Int32Array
const FIELDS = 3

export class SurvivingText {
  readonly #originalLength: number
  #length: number
  #stretches: Stretches

  constructor(length: number) {
    this.#originalLength = length
    this.#length = length
    this.#stretches = Int32Array.from(length === 0 ? [] : [0, 0, length])
  }

  /** Edits refer to the current text, sorted, without overlaps. */
  apply(edits: readonly Edit[]): void {
    const before = this.#stretches
    const kept = new Int32Array(before.length + edits.length * FIELDS)
    let [size, next, shift] = [0, 0, 0]
    for (let index = 0; index < before.length / FIELDS; index += 1) {
      const offset = this.#original(index) - this.#current(index)
      const end = this.#end(index)
      let from = this.#current(index)
      for (let edit = edits[next]; edit && edit.start < end; edit = edits[next]) {
        if (edit.start > from)
          size = put(kept, size, offset + from, from + shift, edit.start - from)
        from = Math.max(from, edit.end)
        // The rest of the edit also affects the next part.
        if (edit.end > end) break
        shift += edit.text.length - (edit.end - edit.start)
        next += 1
      }
      if (end > from) size = put(kept, size, offset + from, from + shift, end - from)
    }
    this.#stretches = kept.slice(0, size)
    for (const { start, end, text } of edits) this.#length += text.length - (end - start)
  }

  /** Maps a start position to the current text. */
  startOf(position: number): number | Replaced {
    const index = this.#lastBeginningAt(position)
    if (index >= 0 && position < this.#originalEnd(index))
      return this.#current(index) + position - this.#original(index)
    const region = this.#regionAfter(index)
    if (position === this.#originalLength && region.from === region.to) return this.#length
    if (position === region.from) return index >= 0 ? this.#end(index) : 0
    return this.#inside(position, region, index)
  }

  /** Maps the end of a non-empty range through its last character. */
  endOf(position: number): number | Replaced {
    const index = this.#lastBeginningAt(position - 1)
    if (index >= 0 && position <= this.#originalEnd(index))
      return this.#current(index) + position - this.#original(index)
    return this.#inside(position, this.#regionAfter(index), index)
  }

  /** The end of a region is the end of its replacement. */
  #inside(position: number, region: Replaced, index: number): number | Replaced {
    if (position !== region.to) return region
    return this.#isLast(index) ? this.#length : this.#current(index + 1)
  }

  /** The missing region after a part (-1: before the first). */
  #regionAfter(index: number): Replaced {
    return {
      from: index >= 0 ? this.#originalEnd(index) : 0,
      to: this.#isLast(index) ? this.#originalLength : this.#original(index + 1),
    }
  }

  /** The last part that starts at or before an original position; -1 if none. */
  #lastBeginningAt(position: number): number {
    let [low, high] = [0, this.#stretches.length / FIELDS]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#original(middle) <= position) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  #isLast(index: number): boolean {
    return (index + 1) * FIELDS === this.#stretches.length
  }

  #original(index: number): number {
    return this.#stretches[index * FIELDS] ?? 0
  }

  #originalEnd(index: number): number {
    return this.#original(index) + (this.#stretches[index * FIELDS + 2] ?? 0)
  }

  #current(index: number): number {
    return this.#stretches[index * FIELDS + 1] ?? 0
  }

  #end(index: number): number {
    return this.#current(index) + (this.#stretches[index * FIELDS + 2] ?? 0)
  }
}

/** Writes a part and returns the next index. */
function put(
  stretches: Stretches,
  at: number,
  original: number,
  current: number,
  length: number,
): number {
  stretches[at] = original
  stretches[at + 1] = current
  stretches[at + 2] = length
  return at + FIELDS
}
