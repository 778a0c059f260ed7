// Text of others, as it is shown: characters that would turn the words around them are seen, not obeyed.

/** Embeddings, overrides and isolates of writing direction. Marks that languages need are left alone. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

export function visibleText(text: string): string {
  return text.replace(TURNING, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `[U+${code}]`
  })
}

/** Of a thread in which nothing was said yet, too. */
export function titleText(title: string): string {
  return visibleText(title) || 'Untitled'
}
