// Finds blocks of lines that people paste rather than type: chats, diffs, numbered lines, data.
import type { Line } from './listings.ts'

/** First names that are not common words: a name and a colon mark that person's text. */
const NAMES =
  /^(?:adam|ahmed|aisha|alex|alexei|ali|alice|alicia|amy|ana|anders|andrea|andrew|angela|anita|anja|anna|anne|antonio|arjun|ben|bernd|bob|boris|brian|camille|carla|carlos|carol|catherine|charlie|chen|chloe|chris|christine|claire|claudia|daniel|dave|david|dan|dana|diego|dmitri|ed|elena|elif|emily|emma|eric|erik|eva|eve|fatima|felix|fernando|francesca|george|giulia|greg|hans|heidi|henry|hiroshi|ines|ingrid|irina|isabel|ivan|jakob|james|jan|jana|jane|jean|jenny|jens|jim|joe|john|jorge|jose|judy|jun|jürgen|karen|karim|kate|katja|ken|kevin|lars|laura|lee|lena|leo|li|linda|lisa|luca|lucia|luis|lukas|mallory|marco|maria|marie|marta|martin|mary|matteo|matt|mehmet|mei|michael|miguel|mike|mohamed|monika|nadia|natasha|nick|nina|oleg|olga|oliver|omar|oscar|pablo|paolo|paul|pedro|peggy|peter|petra|philip|pierre|priya|rachel|rahul|raj|ravi|robert|ryan|sabine|sam|samir|sara|sarah|sergei|simon|sofia|sophie|stefan|steve|susan|sven|sybil|tanja|tim|tom|tomas|trent|ursula|uwe|vera|walter|wei|wendy|yan|yuki|yusuf)$/iu
/** A speaker's label at the start of a line. */
const LABELLED =
  /^\s*(?:[-*•]\s+)?(?:\(?\d{1,2}:\d\d(?::\d\d)?\)?\s+)?\*{0,2}([\p{L}][\p{L}\d_.'-]{0,24}(?: [\p{Lu}][\p{L}.'-]{0,24})?)(?: \([^)\n]{1,24}\))?\*{0,2}\s?(?::\*{0,2}\s+|：\*{0,2}\s*)(\S.*)$/u
/** Small talk, which is never a rule. */
const TALK =
  /^(?:ok|okay|k|yes|yep|yeah|no|nope|hi|hello|hey|hallo|hola|salut|agreed|agree|sure|right|thanks?|thx|ty|cool|great|nice|done|lol|haha|\+1|same|true|exactly|fine|good point|got it|will do|sounds good|ja|nein|genau|oui|non|sí|si|vale|d'accord|да|нет|好的?|はい|👍)[\s.!,…]*$|\?$/iu
/** The user mentions a conversation of others. */
const OF_TALK =
  /\b(?:(?:the|this|that|our|a) (?:chat|conversation|meeting|call|discussion|slack|standup|interview|dialog(?:ue)?)|(?:he|she|they|them|these two|both) (?:mean|means|meant|said|says|say|want|wants|agreed?|right|decided)|do they|does (?:he|she)|who is right|unterhaltung|besprechung|gespräch|réunion|reunión)\b/iu
const TOPIC =
  /^(?:rules?|notes?|constraints?|important|remember|reminder|warning|todo|fyi|ps|me|you|us|must|goal|task|also|step|style|tests?|regel|wichtig|hinweis|règle|regla|importante?)$/iu

/** Lines of a conversation between others. `text` is the whole message. */
export function spokenLines(paragraphs: readonly (readonly Line[])[], text: string): Line[] {
  const turns = paragraphs.flat().flatMap(({ text: line }) => {
    const [, who = '', said = ''] = LABELLED.exec(line) ?? []
    return who === '' || TOPIC.test(who) ? [] : [{ who: who.toLowerCase(), said }]
  })
  const speakers = new Set(turns.map(({ who }) => who))
  if (!isTalk(turns, speakers, text)) return []
  const speaks = ({ text: line }: Line) =>
    speakers.has(LABELLED.exec(line)?.[1]?.toLowerCase() ?? '')
  return paragraphs.flatMap((lines) => {
    const first = lines.findIndex(speaks)
    return first < 0 ? [] : lines.slice(first)
  })
}

function isTalk(
  turns: readonly { who: string; said: string }[],
  speakers: ReadonlySet<string>,
  text: string,
): boolean {
  const names = [...speakers].filter((who) => NAMES.test(who.split(' ')[0] ?? ''))
  if (names.length > 0) return true
  if (speakers.size < 2) return false
  const last = new Map(turns.map(({ who }, at) => [who, at]))
  const comesBack = turns.some(
    ({ who }, at) => turns[at + 1]?.who !== who && (last.get(who) ?? at) > at,
  )
  return comesBack || turns.some(({ said }) => TALK.test(said.trim())) || OF_TALK.test(text)
}

const ADDED = /^\+(?![+\d]|\s*$)/
const REMOVED = /^-(?!-|\s*$)/

/** Diff lines: first-column signs that lists do not use, or two kinds of them. */
export function changedLines(paragraph: readonly Line[]): Line[] {
  const adds = paragraph.filter(({ text }) => ADDED.test(text))
  const removes = paragraph.filter(({ text }) => REMOVED.test(text))
  const isList = removes.length === 0 && adds.every(({ text }) => text.startsWith('+ '))
  if (adds.length === 0 || isList) return []
  return paragraph.filter(({ text }) => /^[-+ ]/.test(text))
}

/** A line number as programs print it; dots and brackets belong to lists. */
const NUMBERED = /^(\s*)(\d{1,6})(?:\s?[:：|│]|-(?=\s))(?!\d)(\s*)(.*)$/
/** Content of a file, not an answer or rule with that number. */
const OF_A_FILE = /^(?:$|#|\/\/|\/\*|[-*+] |["'<{}()[\]]|.*[{};,]$)/
const OF_LINES = /\blines? \d|\bzeilen? \d|\blignes? \d|\blíneas? \d/iu

/** Numbered lines. Up to nine they may be answers to numbered questions, or rules. */
export function numberedLines(paragraph: readonly Line[], text: string): Line[] {
  const numbered = paragraph.filter((line) => NUMBERED.test(line.text))
  const isListing = numbered.some((line) => {
    const [, before = '', number = '', , rest = ''] = NUMBERED.exec(line.text) ?? []
    return Number(number) > 9 || before.length > 1 || OF_A_FILE.test(rest)
  })
  return isListing || (numbered.length > 0 && OF_LINES.test(text)) ? numbered : []
}

const KEY = /^\s*(?:- )?["']?[a-z_$][\w.$/-]{0,40}["']?:(?:\s|$)/
const OPENS = /^\s*(?:- )?["']?[a-z_$][\w.$/-]{0,40}["']?:\s*(?:[|>][-+]?)?\s*$/

const ALIGNED = /^\s*[\w][\w /()-]{0,40}:\s{2,}\S/
const SECTION = /^\s*\[[\w.:"/ -]{1,80}\]\s*$/
const ASSIGNED = /^\s*(?:export )?[\w.-]{1,60}\s?=\s?\S/

/** Keys and values: nested, in columns, or under a section name. */
export function dataLines(paragraph: readonly Line[]): readonly Line[] {
  const aligned = paragraph.filter(({ text }) => ALIGNED.test(text))
  const assigned = paragraph.filter(({ text }) => ASSIGNED.test(text))
  const isSection = paragraph.some(({ text }) => SECTION.test(text))
  return [
    ...nestedLines(paragraph),
    ...(aligned[2] ? paragraph.slice(paragraph.indexOf(aligned[0] ?? aligned[2])) : []),
    ...(assigned.length >= 2 || isSection ? assigned : []),
  ]
}

function nestedLines(paragraph: readonly Line[]): readonly Line[] {
  const first = paragraph.findIndex(({ text }) => KEY.test(text))
  const last = paragraph.findLastIndex(({ text }) => KEY.test(text) || /^\s{2,}\S/.test(text))
  const block = paragraph.slice(first, last + 1)
  const keys = block.filter(({ text }) => KEY.test(text)).length
  const nests = block.some(
    ({ text }, at) => OPENS.test(text) && indent(block[at + 1]) > indent(block[at]),
  )
  return first >= 0 && keys >= 3 && keys * 2 >= block.length && nests ? block : []
}

function indent(line: Line | undefined): number {
  return line === undefined ? 0 : line.text.length - line.text.trimStart().length
}

const FIELD =
  /^\s*\**(?:title|type|priority|severity|status|state|reporter|assignee|assigned to|author|labels?|milestone|description|summary|component|environment|number|comments|created|updated|due|sprint|story points|resolution|fix versions?|when|where|location|organi[sz]er|log name|source|level|título|estado|prioridade?|descripción|descrição|titel|priorität|beschreibung|titre|état|priorité)\**\s?[:：]\**(?:\s+\S.*)?$/iu

/** Whether two ticket fields start here: the rest is that ticket. */
export function isTicket(line: string, next: string | undefined): boolean {
  return FIELD.test(line) && next !== undefined && FIELD.test(next)
}

const DOCUMENT_MENTION =
  /^\s*@(?:[\w.-]*\/)*[\w.-]+\.(?:md|mdx|txt|log|rst|adoc|json|ya?ml|toml|ini|csv|tsv|xml|html?|pdf|docx?|eml|out|org)\s*$/i
/** Typed below a file name: about that file, or a request. */
const ABOUT_IT =
  /^\s*(?:please |can you |could you |now |ok,? )?(?:this|these|that|it|here|above|see|read|look|review|fix|apply|follow|use|update|summari[sz]e|explain|translate|convert|check|add|change|rename|refactor|implement|write|edit|what|why|how|is|are|does|do (?!not)|dies|das|lies|prüf|ce|lis|corrige|este|lee)\b/iu

/** Whether a document is named on its own line and its text seems to follow. */
export function namesDocument(line: string, next: string | undefined): boolean {
  return (
    DOCUMENT_MENTION.test(line) &&
    next !== undefined &&
    !DOCUMENT_MENTION.test(next) &&
    !ABOUT_IT.test(next)
  )
}
