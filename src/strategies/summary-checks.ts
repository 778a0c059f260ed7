// What a model's summary claims and the conversation does not say: names are marked, invented requests go.

export interface CheckedSummary {
  readonly text: string
  /** Names that the source does not have. A planned file is not there yet, so they stay. */
  readonly unverified: readonly string[]
  /** Lines in the voice of the user that the user never said. */
  readonly stripped: number
}

const MAX_NAMES = 100
const MAX_NAME_CHARS = 160

/** `source` is everything that the summary may speak of, in full. */
export function checkAgainstSource(summary: string, source: string): CheckedSummary {
  const words = flat(source)
  const { text, stripped } = withoutInventedRequests(summary, words)
  return { text, unverified: unverifiedNames(text, words), stripped }
}

const NOTE = 'Unverified (named above, and nowhere in the conversation): '
const NOTE_AT_END = new RegExp(`\n\n${NOTE.replace(/[()]/g, '\\$&')}[^\n]*$`)

/** The names in a line of their own: the text stays as it was written. */
export function withNote({ text, unverified }: CheckedSummary): string {
  return unverified.length === 0 ? text : `${text}\n\n${NOTE}${unverified.join(', ')}`
}

/** The text with the note, and nothing struck out of it. */
export function markedAgainst(text: string, source: string): CheckedSummary {
  const unverified = unverifiedNames(text, flat(source))
  return { text: withNote({ text, unverified, stripped: 0 }), unverified, stripped: 0 }
}

export function withoutNote(text: string): string {
  return text.replace(NOTE_AT_END, '')
}

function unverifiedNames(text: string, words: string): string[] {
  const names = new Set(NAMES.flatMap((form) => [...text.matchAll(form)].map(nameIn)))
  return [...names]
    .filter((name) => name.length > 1 && name.length <= MAX_NAME_CHARS)
    .slice(0, MAX_NAMES)
    .filter((name) => !words.includes(flat(name)))
}

/** What can be checked: addresses, paths, file names, hashes, and whatever stands in backticks. */
const NAMES: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s)>\]"'`]{1,200}/g,
  /(?:\.{0,2}\/)?(?:[\w@.-]{1,80}\/){1,12}[\w@-]{1,80}\.[A-Za-z]\w{0,7}\b/g,
  /(?<![\w/.@-])[\w-]{1,80}\.(?:[jt]sx?|[cm]js|json|md|py|rs|go|java|rb|c|h|cpp|css|html|sql|sh|ya?ml|toml|txt|lock)\b/g,
  /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g,
  /`([^`\n]{2,120})`/g,
]

function nameIn([whole, inner]: RegExpMatchArray): string {
  return (inner ?? whole).replace(/[.,;:]+$/, '').trim()
}

/** A line that speaks as the user, as a transcript has it. */
const AS_USER =
  /^[ \t]*(?:>[ \t]*)?(?:\*\*)?[[(]?(?:user|human)[\])]?(?:\*\*)?:(?:\*\*)?[ \t]*(.*)$/i

/** Requests that nobody made get carried out: only what the user really said may stand as said. */
function withoutInventedRequests(
  summary: string,
  words: string,
): { readonly text: string; readonly stripped: number } {
  let stripped = 0
  const lines = summary.split('\n').filter((line) => {
    const said = AS_USER.exec(line)?.[1]
    if (said === undefined) return true
    const quote = flat(said.replace(/^["“”'*]+|["“”'*]+$/g, ''))
    if (quote === '' || words.includes(quote)) return true
    stripped += 1
    return false
  })
  return { text: lines.join('\n'), stripped }
}

/** Line breaks, blanks and how JSON writes them do not make another name. */
function flat(text: string): string {
  return text
    .replaceAll('\\"', '"')
    .replace(/(?:\s|\\n)+/g, ' ')
    .trim()
}
