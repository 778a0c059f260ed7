// A short deterministic fingerprint of a text, for cache keys and not for secrets

/** Two hashes of 32 bits and the length: two texts of one thread do not meet by chance. */
export class Fingerprint {
  #one = 0x811c9dc5
  #other = 0x9747b28c
  #length = 0

  /** In whatever pieces a text is added, its value is the same. */
  add(text: string): this {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at))
    this.#length += text.length
    return this
  }

  /** Where one text ends and the next begins is a part of it. */
  end(): this {
    this.#mix(this.#length)
    return this
  }

  get value(): string {
    return [this.#one, this.#other, this.#length].map((part) => (part >>> 0).toString(36)).join('-')
  }

  #mix(unit: number): void {
    this.#one = Math.imul(this.#one ^ unit, 0x01000193)
    this.#other = Math.imul((this.#other << 7) ^ (this.#other >>> 25) ^ unit, 0x5bd1e995)
  }
}

export function fingerprint(...texts: readonly string[]): string {
  const print = new Fingerprint()
  for (const text of texts) print.add(text).end()
  return print.value
}
