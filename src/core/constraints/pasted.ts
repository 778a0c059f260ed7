// Finds the typed lines of a message: no fences, quotations, tags, listings, logs or mails.
import {
  changedLines,
  dataLines,
  isTicket,
  namesDocument,
  numberedLines,
  spokenLines,
} from './blocks.ts'
import { isMachineMade, type Line, LONGEST_LINE_CHARS, listedLines } from './listings.ts'
import {
  FENCE,
  findPasteStart,
  INLINE,
  isQuoting,
  lastClosings,
  QUOTED,
  TAG,
} from './paste-marks.ts'

/** Only this much is analysed; the rest may be anything. */
const MOST_CHARS = 200_000
const INDENTED = /^(?: {3,}|\t)(?!\s*(?:[-*•]|\d{1,2}[.)])\s)/

const WHAT = `(?:log|logs|output|trace|stack ?trace|traceback|error|errors|message|response|reply|answer|result|results|file|files|content|contents|e-?mail|mail|letter|readme|docs?|documentation|page|article|post|issue|ticket|bug report|report|snippet|code|diff|patch|transcript|conversation|chat|comment|comments|review|thread|text|document|template|prompt|checklist|story|poem|ausgabe|fehler|datei|inhalt|nachricht|protokoll|ergebnis|antwort|sortie|journal|erreur|fichier|courriel|résultats?|réponse|salida|registro|archivo|correo|resultados?|respuesta|saída|arquivo|uscita|messaggio|risultato|вывод|лог|файл|письмо|ошибка|ответ|日志|输出|错误|文件|邮件|ログ|出力|エラー|ファイル|로그|출력|오류|파일)`
const HERE = `(?:here(?:'s| is| are|’s| you go| comes)|this is|these are|below (?:is|are)|following (?:is|are)|(?:i|we) (?:got|get|see|saw|received|copied|found)|see|look at|paste[ds]?|pasting|attached|hier (?:ist|sind|kommt)|das ist|voici|voilà|aqu[ií] (?:est[áa]|tienes?|están)|ecco|вот|这是|以下是|これは|以下は|여기)`
const SAYS = `(?:says?|said|wrote|writes|shows?|prints?|printed|gives?|returned|replied|answered|reads|outputs?|reported|told (?:me|us)|schrieb|schreibt|sagte?|meldete?|antwortete?|zeigt|a écrit|écrit|dit|répond|dice|dijo|escribió|diz|disse|escreveu|scrive|ha scritto|написал[аи]?|пишет|говорит|schreef|skrev)`
/** Speakers that stand for the user, right before a verb of saying. */
export const OWN =
  "\\b(?:i|we|ich|wir|je|yo|rules?|policy|convention|law|contract|regel|règle|regla)(?:'ve|’ve|'d|’d)?(?: (?:have|had|habe|haben|just|always|already|all|also|often|once|before|only|ever|\\w+ly|schon|immer)){0,2}"
/** A short part of a line; a full stop in it belongs to a name. */
const SHORT = '(?:[^.!?。:：]|[.](?=[^\\s])){0,60}'
/** The rest was written elsewhere: to the end, which is unknown. */
const INTRODUCES = [
  new RegExp(`(?<!\\p{L})${HERE}${SHORT}(?<!\\p{L})${WHAT}(?!\\p{L})${SHORT}[:：]\\s*$`, 'iu'),
  /(?<!\p{L})here(?:'s|’s| is| are)[^.!?:]{0,40}(?:log|output|trace|traceback|e-?mail|response|transcript|readme)s?[^.!?:]{0,40}:/iu,
  new RegExp(
    `^(?:the |full |whole |from the |das |die |le |la |el )?(?:\\w+ )?${WHAT}\\s*[:：]\\s*$`,
    'iu',
  ),
  new RegExp(
    `(?<!${OWN} |\\p{L})${SAYS}(?: this| the following| back| folgendes| ceci| (?:on|in|at|via) \\S{1,30})?\\s*[:：]\\s*$`,
    'iu',
  ),
  /^(?:full |the )?(?:contents?|output|log|text|inhalt|ausgabe|contenu|contenido) (?:of|from|von|du|de|del) [^:：]{1,200}[:：]\s*$/iu,
  /\.\w{1,5}[`"')]? (?:contains?|has|enthält|contient|contiene)(?: this| the following)?\s*[:：]\s*$/iu,
  /(?<!\p{L})(?:i|we) (?:just )?(?:got|get|received|saw|see) (?:this|that|these|the following|back)(?!\p{L})[^.!?:：]{0,60}[:：]\s*$/iu,
  /(?<!\p{L})(?:this is|here(?:'s|’s| is)) what (?:\S+ ){1,4}(?:said|says|wrote|printed|prints|shows?|showed|returned|reports?|reported|got|gave|gives)\s*[:.]?\s*$/iu,
  /^[^。！？]{0,20}(?:日志|输出|错误|文件|邮件|ログ|出力|エラー|ファイル|로그|출력|오류|파일)[^。！？]{0,12}[:：]\s*$/u,
  // Mails and messages, as programs quote them.
  new RegExp(
    `^(?:on|am|le|el|em|il|op|den|\\d{1,4}[-./])(?!\\p{L})[^?!]{0,20}\\d[^?!]{4,120}(?<!\\p{L})${SAYS}(?!\\p{L})[^?!]{0,80}[:：]\\s*$`,
    'iu',
  ),
  /^(?:from|subject|date|sent|to|cc|von|betreff|gesendet|datum|de|objet|envoyé|à|asunto|para|assunto|da|oggetto|van|onderwerp|от|кому|тема|дата|发件人|收件人|主题|差出人|宛先|件名) ?[:：] ?\S.*$/iu,
  /^-{2,}\s*(?:forwarded|original|ursprüngliche|weitergeleitete|message (?:transféré|d'origine)|mensaje)/i,
  // A time, or a name and a time; a number after one blank may be a version.
  /^(?:(?:\p{Lu}\S*(?: \p{Lu}\S*){0,3}|[\w.-]{2,30})(?:\s{2,}|\s+(?=\S+\s?[AP]M)))?\d{1,2}:\d\d(?::\d\d)?\s?(?:[AP]M)?\s*$/u,
  /^(?:\p{L}[\p{L}.-]*(?: \p{L}[\p{L}.-]*){0,3} )?\[[^\]]{0,30}\d{1,2}:\d\d[^\]]{0,12}\](?: \p{L}[\p{L}.-]*){0,4}\s*:?\s*$/u,
  /(?<!\p{L})(?:commented|replied|answered|posted|asked) (?:on \S+ )?(?:\d|an? |last |yesterday)[^.!?]{0,20}(?:ago|week|month|year|yesterday|\d)\s*:?\s*$/iu,
  /^(?:answered|asked|posted|reported|commented|comment|review) by (?:\S[^.!?]{0,80}[:：]|(?:@|u\/)[\w.-]{1,40})\s*$/iu,
  /^(?:answered|asked|edited|modified|posted|commented)(?: on)? (?:\p{L}{3,9}\.? \d{1,2}|\d{1,2}\.? \p{L}{3,9}|\d{4}-)(?:[^.!?]|\.\d){0,60}$/iu,
  // A text to work on, which is not a rule for that work.
  /(?<!\p{L})(?:translate|proofread|paraphrase|rephrase|spell-?check|übersetze?|korrigiere|traduis|traduc[ei]|traduza|переведи|翻译|翻訳)(?!\p{L})(?:(?!\b(?:rules?|always|never|must)\b)[^.!?:：]){0,60}[:：]/iu,
  /(?<!\p{L})(?:rewrite|reword|continue|shorten|summari[sz]e|improve|review|edit|explain|grammar of|typos in|tone of) (?:this|these|that|the following|my)(?:(?!\b(?:rules?|always|never|must|so that|such that)\b)[^.!?:：]){0,60}[:：]\s*$/iu,
  /^(?:attached|attachment)s?(?: files?)?\s*[:：]\s*\S{1,200}\s*$/iu,
  // The heading of a release or clause, and the age of a post.
  /^(?:#{1,4} \[?v?\d+\.\d+|§+ ?\d)/,
  /^(?:\S{1,40}(?: \S{1,30})?\s*[·•|,–-]\s*)?(?:\d+|an?) ?(?:[smhdwy]|mo|seconds?|minutes?|hours?|days?|weeks?|months?|years?) ago\s*(?:$|[|·•([])/iu,
  /^\S{1,40} (?:\d+|an?) (?:minute|hour|day|week|month|year)s? ago\s*\|/i,
  /^\d+ ?(?:[mhdwy]|mo|yr) • /,
  /^(?!(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|yesterday)\b)\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?, \d{1,2}:\d\d\s*$/iu,
  // Meeting notes.
  /^\W{0,4}(?:attendees|participants|present|minutes|teilnehmer(?:innen)?|anwesend|protokoll|présents|participants|asistentes)\b(?: of\b[^.!?]{0,40})?\W{0,4}(?:[:：]|\d{4}|\d{1,2}[./]\d)/iu,
  /^(?:answered|asked|posted|reported|commented) by \S[^.!?]{0,60}(?<!\p{L})(?:\d{4}|\d{1,2}:\d\d(?: ?[ap]m)?|ago|yesterday)\s*$/iu,
  /^(?:user|human|assistant|system|tool|model|ai|bot)\s*: ?/i,
  /<\|\w{1,30}\|>|\[\/?INST\]|<<SYS>>/,
  /^>>> /,
  // Prefixes of agents, subtitles, chats and multi-file output.
  /^(?:observation|(?:tool|function|command) (?:results?|output))\s?[:：]/i,
  /^\[(?:tool|function|command|terminal|file|web|search)[ _-](?:outputs?|results?|contents?)[^\]]{0,60}\]/i,
  /^(?:pr|pull request|merge request|issue|ticket|commit)(?: [#!]?\d{1,9})? (?:description|body|message|text)\s?[:：]\s*$/i,
  /^(?:tweet|toot|post|message|note|quote|reply) (?:by|from) \S[^.!?]{0,60}[:：]\s*$/i,
  /^\S[^.!?]{0,40} — (?:today|yesterday|\d)[^.!?]{0,20}\d{1,2}:\d\d/i,
  /^\p{Lu}\S*(?: \S{1,30}){0,3}\s{1,8}\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?,? {1,3}\d{1,2}:\d\d\s?(?:[AP]M)?\s*$/u,
  /^\[?\d{1,2}:\d\d(?::\d\d)?\]? <[\w-]{1,30}> /,
  /^(?:\d\d:)?\d\d:\d\d[.,]\d{3} --> /,
  /^[-=]{0,8} ?(?:begin|start)(?: of)?(?: the)? (?:log|output|file|message|paste|transcript|document|mail)s?\b[^.!?]{0,40}$/i,
  /^(?:==> .{1,200} <==|-{3,} ?[\w./-]{1,100}\.\w{1,8} ?-{3,}|\/\/ ?[\w./-]{1,100}\.\w{1,8})$/,
  /^(?:Copyright|©|\(c\)|SPDX-License-Identifier:)[^.]{0,20}(?:\d{4}|SPDX|MIT|Apache|GPL)/i,
  /^(?:diff --git |@@ -\d|--- a\/|\+\+\+ b\/)/,
]
/** Markup blocks other than tags, with their ends, and whether the line continues. */
const BLOCK =
  /^\s*(?:\[(quote|code)(?:=[^\]]{0,80})?\]|#\+begin_(\w{1,20})[^\n]{0,200}|(?:\/\*)(?!.*\*\/))\s*(\S?)/i
const INLINE_BLOCK = /\[(quote|code)(?:=[^\]\n]{0,80})?\]([^\n]*)\[\/\1\]/gi
/** Code on a line: a name or command, which says nothing alone. */
const FEW_WORDS = /^\s*\S+(?: \S+)?\s*$/

/** In order, exactly as in the text. */
export function typedLines(text: string): Line[] {
  const lines = readLines(text.slice(0, MOST_CHARS))
  const closings = lastClosings(lines.map((line) => line.text))
  const kept: Line[] = []
  const apart = new Set<Line>()
  let fence: string | undefined
  let inQuotation = false
  let above = ''
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line
    const mark = FENCE.exec(line.text)?.[1]
    if (mark !== undefined || fence !== undefined) apart.add(line)
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.text.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      inQuotation = false
      continue
    }
    const end =
      findBlockEnd(line.text, index, closings, lines.length) ??
      findTagEnd(line.text, index, closings, lines.length)
    if (end > index) {
      index = end
      continue
    }
    const next = nextLine(lines, index)
    if (introduces(line.text, next?.text) && !isSetApart(next)) break
    const start = findPasteStart(line.text, above)
    const typed = start === undefined ? line : { ...line, text: line.text.slice(0, start) }
    inQuotation = isQuoting(line.text, inQuotation)
    if (!inQuotation && !isPasted(typed.text)) kept.push(typed)
    if (start !== undefined) break
    if (line.text.trim() !== '') above = line.text
  }
  return withoutListings(splitParagraphs(lines, apart), kept, text)
}

/** The nearest non-empty line below, across at most one blank line. */
function nextLine(lines: readonly Line[], index: number): Line | undefined {
  return lines[index + (lines[index + 1]?.text.trim() === '' ? 2 : 1)]
}

/** The last closing of a tag that opens this line; the line itself without one. */
function findTagEnd(
  line: string,
  index: number,
  closings: ReadonlyMap<string, number>,
  count: number,
): number {
  const tag = TAG.exec(line)
  if (tag === null) return index
  const closed = closings.get(`</${tag[1]}>`.toLowerCase()) ?? -1
  return closed < index && tag[2] === '' ? count : closed
}

/** For a very long line, checks both ends. */
function introduces(text: string, next: string | undefined): boolean {
  if (isTicket(text, next) || namesDocument(text, next)) return true
  const line = text.trim()
  const half = LONGEST_LINE_CHARS / 2
  const seen =
    line.length > LONGEST_LINE_CHARS ? `${line.slice(0, half)} ${line.slice(-half)}` : line
  return seen !== '' && INTRODUCES.some((pattern) => pattern.test(seen))
}

/** The introduced text is in a fence, quotation or tag, which marks its end. */
function isSetApart(line: Line | undefined): boolean {
  return (
    line !== undefined && (FENCE.test(line.text) || QUOTED.test(line.text) || TAG.test(line.text))
  )
}

/** The last closing of a block that opens here; if it is alone on its line, otherwise the end of the text. */
function findBlockEnd(
  line: string,
  index: number,
  closings: ReadonlyMap<string, number>,
  count: number,
): number | undefined {
  const [opened, bracket, begun, more] = BLOCK.exec(line) ?? []
  if (opened === undefined) return undefined
  const closing = bracket ? `[/${bracket}]` : begun ? `#+end_${begun}` : '*/'
  const last = closings.get(closing.toLowerCase()) ?? -1
  if (last > index) return last
  return last === index || more ? undefined : count
}

function isPasted(line: string): boolean {
  return QUOTED.test(line) || INDENTED.test(line) || isMachineMade(line)
}

/** Lines without a blank one in between; text that is set apart also separates. */
function splitParagraphs(lines: readonly Line[], apart: ReadonlySet<Line>): Line[][] {
  const paragraphs: Line[][] = [[]]
  for (const line of lines) {
    if (line.text.trim() === '' || apart.has(line)) paragraphs.push([])
    else paragraphs.at(-1)?.push(line)
  }
  return paragraphs
}

/** A sentence among the lines of a log, code or chat belongs to them. */
function withoutListings(
  paragraphs: readonly (readonly Line[])[],
  kept: readonly Line[],
  text: string,
): Line[] {
  const listed = paragraphs.flatMap((each) => [
    ...listedLines(each),
    ...changedLines(each),
    ...numberedLines(each, text),
    ...dataLines(each),
  ])
  const isListed = new Set([...listed, ...spokenLines(paragraphs, text)].map(({ at }) => at))
  return kept
    .filter(({ at }) => !isListed.has(at))
    .map(({ at, text: line }) => ({ at, text: withoutInline(line) }))
}

function withoutInline(text: string): string {
  return text
    .replaceAll(INLINE, ' ')
    .replaceAll(/\/\*.*?\*\//g, ' ')
    .replaceAll(INLINE_BLOCK, (whole, name: string, inside: string) =>
      name.toLowerCase() === 'code' && FEW_WORDS.test(inside) ? whole : ' ',
    )
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
