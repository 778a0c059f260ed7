// Collects a text of any length in bounded memory: its beginning, its end, and how much was between.
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'
import { notKept } from './limit-output.ts'

export class HeadAndTail {
  readonly #endChars: number // of each end
  #head = ''
  #tail: string[] = []
  #tailChars = 0
  #chars = 0

  constructor(maxChars: number) {
    this.#endChars = Math.floor(maxChars / 2)
  }

  add(text: string): void {
    this.#chars += text.length
    // Once something went to the tail, nothing may follow the head.
    const head = this.#tailChars === 0 ? cutHead(text, this.#endChars - this.#head.length) : ''
    this.#head += head
    this.#addToTail(text.slice(head.length))
  }

  toString(): string {
    const tail = cutTail(this.#tail.join(''), this.#endChars)
    const between = this.#chars - this.#head.length - tail.length
    return between === 0 ? this.#head + tail : `${this.#head}\n${notKept(between)}\n${tail}`
  }

  #addToTail(text: string): void {
    if (text === '') return
    this.#tail.push(text)
    this.#tailChars += text.length
    // Only now and then, so that each character is copied a few times at most.
    if (this.#tailChars <= 2 * this.#endChars + text.length) return
    this.#tail = [cutTail(this.#tail.join(''), this.#endChars)]
    this.#tailChars = this.#tail[0]?.length ?? 0
  }
}
