// The words of a search index: computed here, so that all stores agree.

/** A folded word and its place in the text. */
export interface WordPlace {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** A search word; with `isPrefix`, all words that start with it. */
export interface QueryWord {
  readonly word: string
  readonly isPrefix: boolean
}

/** Longer ones are data: only their start counts. */
const LONGEST_WORD_CHARS = 64
const MOST_PARTS = 16
const MOST_QUERY_WORDS = 32

/** Scripts without blanks: every two neighbours form a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu
/** `readRow`, `read_row`, `ports.ts`: written without blanks. */
const WRITTEN = /[\p{L}\p{M}\p{N}_$]+(?:\.[\p{L}\p{M}\p{N}_$]+)*/gu
/** A part between dots. */
const NAME = /[\p{L}\p{M}\p{N}_$]+/gu
const PART = /\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+/gu
const PLAIN = /^[a-z]+$/
const ASCII = /^[\0-\x7f]*$/
const ACCENTS = /[\u0300-\u036f]/g

/**
 * Every word, in order. A name is found as a whole in any notation (`parseConfig`, `parse_config`) and by its
 * parts; a file by its name with the dot; `部署方案` by `部署`, `署方` and `方案`. Singular and plural are the same:
 * `configs` is `config`.
 */
export function* findWords(text: string): Generator<WordPlace> {
  for (const match of text.matchAll(WRITTEN)) {
    const [written] = match
    if (PLAIN.test(written)) yield place(written, match.index, written.length)
    else
      for (const found of wordsOfWritten(written, match.index)) if (found.word !== '') yield found // an accent without a letter has none left
  }
}

/** The words of a query, each once. A single character of an unspaced script is the start of a pair. */
export function queryWords(query: string): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  let endOfPair = 0
  for (const { word, start, end } of findWords(query)) {
    if (words.size === MOST_QUERY_WORDS) break
    const isUnspaced = word.search(UNSPACED) === 0
    const isPrefix = isUnspaced && [...word].length === 1
    // After a pair, its last character adds nothing.
    if (!isPrefix || start >= endOfPair) words.set(word, { word, isPrefix })
    if (isUnspaced) endOfPair = end
  }
  return [...words.values()]
}

/** Function words; none is a content word in another of these languages. */
const GRAMMAR = new Set(
  `a an and are at be but by can did do does for from had has have how i if in into is it its me my of on
  or our so than that the their then there these they this to was we were what when where which who why
  will with you your der das dem den des ein eine einen und oder ist sind mit von für auf im zu zum zur
  wie wo wer le la les un une et ou est du de dans sur avec que qui el los las una es del en con por para
  y o`.split(/\s+/),
)

/** A query without words that say nothing about its subject, unless it has no others. */
export function tellingText(query: string): string {
  const bare = (word: string) => word.toLowerCase().replace(/^[("'“¿]+|[)"'”?!.,;:]+$/g, '')
  const telling = query.split(/\s+/).filter((word) => !GRAMMAR.has(bare(word)))
  return telling.some((word) => /[\p{L}\p{N}]/u.test(word)) ? telling.join(' ') : query
}

/** Whether a word of a text is one of those that are looked for. */
export function isAsked(word: string, asked: readonly QueryWord[]): boolean {
  return asked.some((each) => (each.isPrefix ? word.startsWith(each.word) : word === each.word))
}

function* wordsOfWritten(written: string, at: number): Generator<WordPlace> {
  if (written.includes('.')) yield place(fold(written), at, written.length)
  for (const name of written.matchAll(NAME)) yield* wordsOfName(name[0], at + name.index)
}

function* wordsOfName(name: string, at: number): Generator<WordPlace> {
  let end = 0
  for (const match of name.matchAll(UNSPACED)) {
    yield* wordsOfSpaced(name.slice(end, match.index), at + end)
    yield* findPairs(match[0], at + match.index)
    end = match.index + match[0].length
  }
  yield* wordsOfSpaced(end === 0 ? name : name.slice(end), at + end)
}

function* wordsOfSpaced(name: string, at: number): Generator<WordPlace> {
  if (name === '') return
  const parts = [...name.matchAll(PART)]
  if (parts.length !== 1) yield place(fold(name.replace(/[_$]/g, '')), at, name.length)
  for (const part of parts.slice(0, MOST_PARTS))
    yield place(fold(part[0]), at + part.index, part[0].length)
}

/** The last character also stands alone, since nothing else starts with it. */
function* findPairs(run: string, at: number): Generator<WordPlace> {
  const characters = [...run]
  let start = at
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1] ?? ''
    yield place(fold(character + next), start, character.length + next.length)
    start += character.length
  }
}

function place(word: string, start: number, length: number): WordPlace {
  const cut = word.slice(0, LONGEST_WORD_CHARS)
  return { word: singular(cut), start, end: start + length }
}

const PLURAL = /^[a-z]{3,}s$/
/** `class`, `status`, `this` are not plurals. */
const NO_PLURAL = /[isu]s$/

/**
 * An English word without its plural ending. Both forms must become equal, not necessarily a word: `caches`
 * and `cache` are `cach`, and `patches` is `patch`.
 */
function singular(word: string): string {
  const last = word.at(-1)
  if (last !== 's' && last !== 'e') return word // nearly all: this runs for every word of a store
  const one = PLURAL.test(word) && !NO_PLURAL.test(word) ? word.slice(0, -1) : word
  if (one.length < 5 || !/^[a-z]+$/.test(one)) return one
  if (one.endsWith('ie')) return `${one.slice(0, -2)}y`
  return /(?:ch|sh|ss|x)e$/.test(one) ? one.slice(0, -1) : one
}

/** Without case, width and accents of Latin, Greek and Cyrillic; marks of other scripts are letters. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC')
  return plain.toLowerCase().replace(/\s/g, '').replaceAll('ς', 'σ')
}

const RUN = /https?:\/\/[^\s"'`<>()[\]{}\\]+|[\p{L}\p{M}\p{N}_$@#%./:~+-]{3,}/gu
/** `./a`, `../a` and `.folder/a` keep their dots; a sentence and `$name` lose theirs. */
const LEAD = /^(?!\.{1,2}\/|\.[\w-]+\/)[.:+%$~-]+(?!\/)/
const TRAIL = /(?::\d+){0,2}[.:+@#/~-]*$/
/** A host with a port: the number is not a line or a step. */
const ADDRESS =
  /^(?![^:]*\.(?:[cm]?[jt]sx?|json|mdx?|py|rs|go|java|rb|[ch]|cc|[ch]pp|cs|s?css|html?|sql|sh|ya?ml|toml|txt|lock|log|vue|svelte|php|kt|swift|xml|csv|ini|cfg|conf):)(?:localhost|\p{L}[\p{L}\p{N}]*-[\p{L}\p{N}-]+|[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+):\d{4,5}(?=[.:]*$)/iu
/** `a.ts:12:text` and `a.ts-13-`, as `grep` and `rg` write them, name one file. */
const LINE_OF_FILE = /(?<=\.[a-z]{1,6})(?::\d+:.*|-\d+(?:-.*)?)$/i
const LONGEST_CHARS = 160
const SHORTEST_CHARS = 3

const SHAPES: readonly RegExp[] = [
  /[\p{L}\p{N}]\/[\p{L}\p{N}._@-]/u, // a path, a URL, an address
  /^[~.@]{1,2}[\w.-]*\/[\w.-]/,
  /^\/[\w.-]+/,
  /^[\p{L}_$][\p{L}\p{N}_$-]+(?:\.[\p{L}_$][\p{L}\p{N}_$-]*)+$/u, // file.ext, object.member
  /^[\p{L}\p{N}_$]*[\p{L}\p{N}]_[\p{L}\p{N}_$]*$/u, // snake_case
  /^[\p{L}_$][\p{L}\p{N}_$]*\p{Ll}\p{Lu}[\p{L}\p{N}_$]*$/u, // camelCase
  /^[\p{L}][\p{L}\p{N}]*(?:-[\p{L}\p{N}]+){2,}$/u, // names-of-three-parts
  /^#\d+$/,
  /^[A-Z]{1,8}-?\d{2,}$/, // TS2322, ABC-123
  /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/, // a hash
  /^v?\d+(?:\.\d+){1,3}(?:-[\w.]+)?$/, // a version
  /^v\d+$/,
  /^\d+(?:\.\d+)?(?:[a-zµ]{1,3}|[KMGT]i?B?|%)$/i, // 40ms, 10%
]

/** Each once, in text order. */
export function namesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [run] of text.matchAll(RUN)) {
    const bare = run.replace(LEAD, '')
    const address = ADDRESS.exec(bare)?.[0]
    const name = address ?? bare.replace(TRAIL, '').replace(LINE_OF_FILE, '')
    const isLongEnough = name.length >= SHORTEST_CHARS && name.length <= LONGEST_CHARS
    const isName = address !== undefined || SHAPES.some((shape) => shape.test(name))
    if (isLongEnough && isName) names.add(name)
  }
  return [...names]
}
