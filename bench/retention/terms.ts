// What counts as an identifier in a text, and as a word beside one. Written apart from the product's own rules.

export interface Token {
  readonly term: string
  readonly isIdentifier: boolean
  readonly start: number
  readonly end: number
}

/** A URL, or a run of the characters that names, paths and numbers are made of. */
const RUN = /https?:\/\/[^\s"'`<>()[\]{}\\]+|[\p{L}\p{M}\p{N}_$@#%./:~+-]+/gu
/** `./a`, `../a` and `.folder/a` keep their dots; a sentence, `...args` and `$name` lose theirs. */
const LEAD = /^(?!\.{1,2}\/|\.[\w-]+\/)[.:+%$-]+/
const TRAIL = /[.:+@#/~-]+$/
const LINE_AND_COLUMN = /(?::\d+){1,2}$/
const FLAG = /^--?[A-Za-z][\w-]*$/

const IDENTIFIERS: readonly RegExp[] = [
  /^https?:\/\/\w/,
  /^[\w.@~+-]*\/[\w.@~+%-]+(?:\/[\w.@~+%-]+)+$/, // a path of some depth
  /^(?:\.{1,2}|~|@[\w.-]+)\/[\w.@+-]+$/, // one that begins like a path
  /^[\w.-]+\/[\w.-]*\.[A-Za-z]\w{0,7}$/, // folder/file.ext
  /^[\p{L}_$][\p{L}\p{N}_$-]+(?:\.[\p{L}_$][\p{L}\p{N}_$-]+)+$/u, // file.ext, object.member
  /^[\p{L}\p{N}$]*_[\p{L}\p{N}_$]*[\p{L}\p{N}]$/u, // snake_case, CONSTANT_CASE
  /^[\p{L}_$][\p{L}\p{N}_$]*\p{Ll}\p{Lu}[\p{L}\p{N}_$]*$/u, // camelCase, PascalCase
  /^[a-z][a-z0-9]*(?:-(?!(?:to|by|of|in|on|the|and|or|a)-)[a-z0-9]+){2,}$/, // kebab-case-names
  /^#\d+$/,
  /^[A-Z]{1,8}-?\d{2,}$/, // TS2322, ABC-123
  /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/, // a hash
  /^(?:v\d+(?:\.\d+)*|\d+(?:\.\d+){2,3})(?:-[\w.]+)?$/, // a version
  /^\d+(?:\.\d+)?(?:ns|µs|us|ms|s|min|h|d|[kKMGT]i?B?|B|px|r?em|vh|vw|%|x|[kMG]?Hz|fps|dpi)$/,
]
/** What an agent knows without being told. */
const EVERYDAY =
  /^(?:\/(?:dev|proc|bin|etc|usr\/(?:local\/)?bin)\/.*|GitHub|GitLab|JavaScript|TypeScript|macOS|OpenAI|[Nn]ode\.js|README\.md|package\.json)$/
const SHORTEST_TERM = 3
const LONGEST_TERM = 300

const WORD = /^\p{L}[\p{L}\p{M}]{3,}$/u
const STOP_WORDS = new Set(
  `about after again also always another been before being below between both cannot could does done
  down each else even every first from have here into just like made make many more most much must need
  none only other over same should since some such than that their them then there these they this those
  through true false null under until used using very want well were what when where which while will
  with within without would your text content`.split(/\s+/),
)

/** The identifiers and the telling words of one line, in order. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: run, index } of line.matchAll(RUN)) {
    if (run.length < SHORTEST_TERM || run.length > LONGEST_TERM) continue
    const lead = FLAG.test(run) ? 0 : (LEAD.exec(run)?.[0].length ?? 0)
    const term = run.slice(lead).replace(LINE_AND_COLUMN, '').replace(TRAIL, '')
    const read = readTerm(term)
    if (read) tokens.push({ ...read, start: index + lead, end: index + lead + term.length })
  }
  return tokens
}

function readTerm(term: string): Pick<Token, 'term' | 'isIdentifier'> | undefined {
  if (term.length < SHORTEST_TERM) return undefined
  const word = term.toLowerCase()
  if (FLAG.test(term) || EVERYDAY.test(term)) return { term: word, isIdentifier: false }
  if (IDENTIFIERS.some((pattern) => pattern.test(term))) return { term, isIdentifier: true }
  return WORD.test(term) && !STOP_WORDS.has(word) ? { term: word, isIdentifier: false } : undefined
}

const QUOTED = /(["`])((?:(?!\1)[^\n\\]){12,120})\1/g

/** What a line quotes: several words between quotation marks, as error messages are told. */
export function quotesIn(line: string): string[] {
  return [...line.matchAll(QUOTED)].flatMap(([, , said = '']) =>
    /\p{L}\s+\p{L}/u.test(said) ? [said.trim()] : [],
  )
}
