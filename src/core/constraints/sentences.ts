// Splits typed text into sentences, without pasted code, quotations, logs and mails
/** Longer ones are pasted text, not something that a person says in passing. */
const LONGEST_CHARS = 600
/** Beyond this a message is a document; what binds in it is found at its beginning and its end. */
const READ_CHARS = 2_000

/** The end of a sentence: a mark and a blank, or a mark of a script that needs no blank. */
const ENDS = /(?<=[.!?…]["')\]]?)\s+(?=\S)|(?<=[。！？])/

/** Substrings of the text, each as it was typed. */
export function findSentences(text: string): string[] {
  const found: string[] = []
  for (const line of withoutMiddle(typedLines(text), text.length)) {
    for (const piece of line.split(ENDS)) {
      const sentence = piece.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim()
      if (sentence.length >= 3 && sentence.length <= LONGEST_CHARS) found.push(sentence)
    }
  }
  return found
}

interface TypedLine {
  readonly at: number
  readonly text: string
}

function withoutMiddle(lines: readonly TypedLine[], length: number): string[] {
  const isRead = ({ at, text }: TypedLine) =>
    length <= 2 * READ_CHARS || at + text.length <= READ_CHARS || at >= length - READ_CHARS
  return lines.filter(isRead).map(({ text }) => text)
}

// Finds the typed lines of a message: no fences, quotations, tags, listings, logs or mails

/** A line, and where in the text it begins. */
interface Line {
  readonly at: number
  readonly text: string
}

/** More than this is looked at only as far as it goes: what follows it may be anything. */
const MOST_CHARS = 200_000
/** A longer line was not typed. */
const LONGEST_LINE_CHARS = 2_400

const FENCE = /^\s*(`{3,}|~{3,})/
const QUOTED = /^\s*(?:>|\|)/
const INDENTED = /^(?: {4,}|\t)(?!\s*(?:[-*•]|\d{1,2}[.)])\s)/
/** A tag with which a line begins, and whether nothing else is on it. */
const TAG = /^\s*<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>\s*(\S?)/i
const INLINE = /<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>[^\n]*<\/\1>/gi

const WHAT = `(?:log|logs|output|trace|stack ?trace|traceback|error|errors|message|response|reply|answer|result|results|file|files|content|contents|e-?mail|mail|letter|readme|docs?|documentation|page|article|post|issue|ticket|bug report|report|snippet|code|diff|patch|transcript|conversation|chat|comment|comments|review|thread|text|document|ausgabe|fehler|datei|inhalt|nachricht|protokoll|sortie|journal|erreur|fichier|courriel|salida|registro|archivo|correo|saída|arquivo|uscita|messaggio|вывод|лог|файл|письмо|ошибка|日志|输出|错误|文件|邮件|ログ|出力|エラー|ファイル|로그|출력|오류|파일)`
const HERE = `(?:here(?:'s| is| are|’s| you go| comes)|this is|these are|below (?:is|are)|following (?:is|are)|(?:i|we) (?:got|get|see|saw|received|copied|found)|see|look at|paste[ds]?|pasting|attached|hier (?:ist|sind)|voici|aqu[ií] (?:est[áa]|tienes?|están)|ecco|вот|这是|以下是|これは|以下は|여기)`
/** What follows was written elsewhere: to the end, since nothing says where it ends. */
const INTRODUCES = [
  new RegExp(`(?<!\\p{L})${HERE}[^.!?。:：]{0,60}${WHAT}[^.!?。:：]{0,60}[:：]\\s*$`, 'iu'),
  /(?<!\p{L})here(?:'s|’s| is| are)[^.!?:]{0,40}(?:log|output|trace|traceback|e-?mail|response|transcript|readme)s?[^.!?:]{0,40}:/iu,
  new RegExp(`^\\s*(?:the |full |whole |das |die |le |la |el )?(?:\\w+ )?${WHAT}[:：]\\s*$`, 'iu'),
  /\b(?:says?|said|wrote|writes|shows?|prints?|printed|gives?|returned|replied|answered|reads|outputs?|schrieb|schreibt|sagt|dit|écrit|dice|escribió|написал[аи]?)(?: this| the following| back)?\s*[:：]\s*$/iu,
  /^\s*(?:from|subject|date|sent|to|cc|von|betreff|gesendet): \S.*$/i,
  /^-{2,}\s*(?:forwarded|original) message/i,
  /^\s*(?:user|human|assistant|system|tool|model|ai|bot)\s*: ?/i,
  /^\s*(?:diff --git |@@ -\d|--- a\/|\+\+\+ b\/)/,
]

const MACHINE =
  /^\s*(?:at |File "|Traceback|Caused by:|[$#>%] |\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|\[\d|npm (?:ERR|error|warn)|(?:\w*error|\w*exception|warning|fatal|panic)\b ?:|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL)\]?[ :|\]]|\w+\[\d+\]:|\/\/|\/\*|<!--|<[a-z/!]|[{}[\]]\s*$|HTTP\/\d)/i
const MACHINE_CASED = /^\s*(?:PASS|FAIL|OK|ok \d+|not ok \d+|✓|✗|×|●)\s/
const CODE =
  /[{};]\s*$|=>|^\s*(?:import|export|const|let|var|def|class|function|return|public|private)\s.*[({=;:]|^\s*"[^"]+":\s/

/** In order, each as it is in the text. */
function typedLines(text: string): Line[] {
  const lines = readLines(text.slice(0, MOST_CHARS))
  const closings = lastClosings(lines)
  const kept: Line[] = []
  let fence: string | undefined
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line
    const mark = FENCE.exec(line.text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.text.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const tag = TAG.exec(line.text)
    const closed = tag ? (closings.get(tag[1] ?? '') ?? -1) : index
    const end = closed < index && tag?.[2] === '' ? lines.length : closed
    if (end > index) {
      index = end
      continue
    }
    if (
      INTRODUCES.some((pattern) => pattern.test(line.text)) &&
      !isSetApart(lines[index + 1], lines[index + 2])
    )
      break
    if (!isPasted(line.text)) kept.push(line)
  }
  return withoutListings(lines, kept)
}

/** What is introduced is in a fence, a quotation or a tag: then that says where it ends. */
function isSetApart(next: Line | undefined, afterNext: Line | undefined): boolean {
  const line = next?.text.trim() === '' ? afterNext : next
  return (
    line !== undefined && (FENCE.test(line.text) || QUOTED.test(line.text) || TAG.test(line.text))
  )
}

/** By name, the last line that closes a tag, so that nothing inside can close it early. */
function lastClosings(lines: readonly Line[]): Map<string, number> {
  const closings = new Map<string, number>()
  lines.forEach(({ text }, index) => {
    for (const [, name = ''] of text.matchAll(/<\/([a-z][\w-]{0,40})>/gi)) closings.set(name, index)
  })
  return closings
}

function isPasted(line: string): boolean {
  return QUOTED.test(line) || INDENTED.test(line) || isMachineMade(line)
}

/** Logs, stack traces, listings and code: few words, or the look of a machine. */
function isMachineMade(line: string): boolean {
  if (line.length > LONGEST_LINE_CHARS) return true
  if (MACHINE.test(line) || MACHINE_CASED.test(line) || CODE.test(line)) return true
  const letters = line.match(/\p{L}/gu)?.length ?? 0
  // A sign of these scripts says as much as several letters.
  const signs = line.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu)?.length ?? 0
  return (letters + 2 * signs) * 2 < line.trim().length
}

/** A sentence among the lines of a log or of code belongs to them. */
function withoutListings(lines: readonly Line[], kept: readonly Line[]): Line[] {
  const isListed = new Set<number>()
  let paragraph: Line[] = []
  const end = () => {
    const machine = paragraph.filter(({ text }) => isMachineMade(text)).length
    if (machine >= 2 && machine * 3 >= paragraph.length)
      for (const { at } of paragraph) isListed.add(at)
    paragraph = []
  }
  for (const line of lines) {
    if (line.text.trim() === '') end()
    else paragraph.push(line)
  }
  end()
  return kept
    .filter(({ at }) => !isListed.has(at))
    .map(({ at, text }) => ({ at, text: text.replaceAll(INLINE, ' ') }))
}

function readLines(text: string): Line[] {
  const lines: Line[] = []
  let at = 0
  for (const line of text.split('\n')) {
    lines.push({ at, text: line.endsWith('\r') ? line.slice(0, -1) : line })
    at += line.length + 1
  }
  return lines
}
