// Distinguishes machine output from typed lines: logs, code, listings, tables, shell sessions.

/** A line and its start in the text. */
export interface Line {
  readonly at: number
  readonly text: string
}

/** People do not type longer lines. */
export const LONGEST_LINE_CHARS = 2_400

/** A one-character prompt, unless the sentence is about that character. */
const SIGN_PROMPT =
  '[$%] +(?!(?:is|are|was|were|and|or|signs?|means|stands|amounts?|values?|prices?|in|for|not|never|always|per|of|should|must|can|may|will|has|have|at|as|on|only|behind|before|after|instead)\\b)'

/** A shell prompt with a command; the lines below are its output. */
const PROMPT = new RegExp(
  `^\\s*(?:\\([\\w.-]+\\) )?(?:(?:[\\w.-]+@[\\w.-]+[^$#%\\n]{0,80}[$#%]|PS [A-Z]:[^>\\n]{0,120}>|[A-Z]:\\\\[^>\\n]{0,120}>|[➜❯λ]|In \\[\\d+\\]:) +|${SIGN_PROMPT})\\S`,
  'u',
)

/** Says what to run, so there is no output yet. */
const TO_RUN =
  /(?<!\b(?:i|we|you|he|she|they|it)(?: \w+)? )\b(?:run|execute|call|type|use)\b[^.!?]{0,20}$/i

/** A sentence continued after a command. */
const GOES_ON = /^(?:and|or|but|then|before|after|so|und|oder|aber|et|mais|y|pero|e|ma) /

/** Separates a table's header from its rows. */
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$/

const MACHINE =
  /^\s*(?:at |File "|Traceback|Caused by:|[#>] |\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d:\d\d:\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6} +\d{1,2},? (?:\d{4} )?\d\d:\d\d|-- |;; |\[\d|npm (?:ERR|error|warn)|(?:\w*error|\w*exception|warning|fatal|panic)\b ?:|\[(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL)\]|(?:error|warning)\[\w+\]|\w+\[\d+\]:|\d{1,6}[\t→]|\d{1,9},[^\d\s]|\/\/|\/\*|<!--|<[a-z/!]|[{}[\]]\s*$|HTTP\/\d)/i

const MACHINE_CASED =
  /^\s*(?:(?:PASS|FAIL|OK|ok \d+|not ok \d+|✓|✗|×|●)\s|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL)[ :|])/

const CODE =
  /[{};]\s*$|=>|^\s*(?:import|export|const|let|var|def|class|function|return|public|private)\s.*[({=;:]|^\s*"[^"]+":\s|^\s*(?:SELECT .+ FROM \S|INSERT INTO \S+ (?:VALUES|\()|UPDATE \S+ SET |DELETE FROM \S+ WHERE |CREATE TABLE |ALTER TABLE )/

/** Prefixes of compilers, searches and manual pages. */
const LOCATED =
  /^\s*(?:(?:[\w@-]*[./])*[\w@-]+\.\w{1,8}(?:[:-]\d+[:-]|:(?=[^\d\s/:]))|\d+:\d+\s+(?:error|warning|info)\b|-{1,2}\w[\w-]*(?:, ?--[\w-]+)?(?:[ =][<[A-Z]\S*)?\s{2,}\S|[\w.-]{0,40}-\d+ +\| |[EWN]: |(?:TASK|PLAY) \[|On branch \S+$|Your branch is |\(use "|\^?[\da-f]{7,40} .{0,80}\d{4}-\d\d-\d\d .{0,40}\d+\) )/

const MACHINE_SIGN = new RegExp(`^\\s*${SIGN_PROMPT}`)

/** A name and a version: few letters, but typed. */
export const VERSION =
  /^\s*(?:[-*•] )?\p{L}[\p{L}.+#-]*(?: \p{L}[\p{L}.+#-]*){0,3}:? v?\d{1,4}(?:\.\d{1,4}){0,3}\s*$/u

/** Logs, stack traces, listings and code: few words, or machine-like. */
export function isMachineMade(line: string): boolean {
  if (line.length > LONGEST_LINE_CHARS) return true
  if ([MACHINE, MACHINE_CASED, MACHINE_SIGN, LOCATED, CODE].some((look) => look.test(line)))
    return true
  if (VERSION.test(line)) return false
  const letters = line.match(/\p{L}/gu)?.length ?? 0
  // A character of these scripts counts as several letters.
  const signs = line.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu)?.length ?? 0
  return (letters + 2 * signs) * 2 < line.trim().length
}

/** Lines of a paragraph that belong to a log, code, a table, or a shell session. */
export function listedLines(paragraph: readonly Line[]): readonly Line[] {
  const prompt = paragraph.findIndex(({ text }) => PROMPT.test(text))
  const lead = paragraph.slice(0, Math.max(0, prompt))
  if (TO_RUN.test(lead.at(-1)?.text.trim() ?? '') && !lead.some(({ text }) => isMachineMade(text)))
    return paragraph.filter(({ text }) => isMachineMade(text))
  const machine = paragraph.filter(({ text }) => isMachineMade(text)).length
  if (machine >= 2 && machine * 3 >= paragraph.length) return paragraph
  if (paragraph.some(({ text }) => TABLE_RULE.test(text))) return paragraph
  if (prompt < 0) return []
  const printed = paragraph.slice(prompt)
  const onward = prompt === 0 ? -1 : printed.findIndex(({ text }) => GOES_ON.test(text))
  return onward < 0 ? printed : printed.slice(0, onward)
}
