// A short name for a long text, the same every time: for keys of what was done already, not for secrets.

/** Two hashes of 32 bits and the length: two texts of one thread do not meet by chance. */
export function fingerprint(...texts: readonly string[]): string {
  let [one, other, length] = [0x811c9dc5, 0x9747b28c, 0]
  for (const text of texts) {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul((other << 7) ^ (other >>> 25) ^ unit, 0x5bd1e995)
    }
    // Where one text ends and the next begins is a part of it.
    one = Math.imul(one ^ text.length, 0x01000193)
    other = Math.imul(other ^ text.length, 0x5bd1e995)
    length += text.length
  }
  return [one, other, length].map((part) => (part >>> 0).toString(36)).join('-')
}
