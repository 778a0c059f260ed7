// What binds after each user message: new sentences and answers, minus what was retracted.

import { cutHead } from '../window/tokens/cut.ts'
import { findConstraints, isOneOff } from './find-constraints.ts'
import { findSentences } from './sentences.ts'
import { findSuperseded } from './supersede.ts'
import { findTopics, topicsIn } from './topics.ts'

export interface Settled {
  /** What binds in the message. */
  readonly binding: readonly string[]
  /** Earlier sentences that no longer bind. */
  readonly gone: ReadonlySet<string>
}

/** `before` is what bound so far, newest last; `asked` is the agent's last text. */
export function settle(text: string, asked: string, before: readonly string[]): Settled {
  const found = findConstraints(text)
  const answer = settledAnswer(text, asked)
  const taking = before.length === 0 ? [] : findSentences(text).filter((each) => TAKES.test(each))
  const takenBack = taking.flatMap((sentence) =>
    (NAMELESS.test(sentence)
      ? before.slice(-1)
      : before.filter((each) => isAbout(each, sentence))
    ).map((gone) => ({ gone, by: sentence })),
  )
  const by = takenBack.map((each) => each.by).filter((each) => !NAMELESS.test(each))
  const own = answer === undefined ? found : [answer]
  const binding = [...new Set([...own, ...by])]
  const replaced = findSuperseded(own, before)
  return { binding, gone: new Set([...takenBack.map(({ gone }) => gone), ...replaced]) }
}

/** Says that something no longer applies. */
const TAKES =
  /\b(?:forget|scrap|scratch|drop|ignore|disregard|nix|strike|cancel|lift) (?:(?:about )?(?:what|that|the|my|it)\b|rule)|\b(?:no longer|not) (?:needed|required|necessary|valid|a rule|the rule|applies|apply|true)\b|\b(?:doesn't|does not|don't|do not|need not|needn't) (?:apply|hold|matter)(?: any ?more)?\b|\b(?:rule|limit|restriction|requirement|ban|thing|freeze)\b[^.]{0,60} (?:is|has been|was) (?:gone|off|lifted|dropped|over|history|void)\b|\bafter all\b|\bon second thoughts?\b|\b(?:i (?:have |'ve )?changed my mind|i take (?:that|it) back|never ?mind (?:the|about|what))\b|\b(?:is|are) (?:fine|ok|okay|allowed) (?:now|again)\b|\byou (?:can|may) (?:\S+ ){1,8}(?:again|now)\b|(?<![\p{L}])(?:vergiss|gilt nicht mehr|nicht mehr nötig|doch (?:erlaubt|ok|okay|in ordnung)|oublie|finalement|ne s'applique plus|plus nécessaire|olvida|ya no (?:aplica|hace falta|es necesario)|esquece|não precisa mais|já não vale|забудь|больше не нужно)(?![\p{L}])|不用再|不再需要|取消|忘了|もう(?:いら|必要|不要)|やっぱり|取り消|忘れて/iu
/** Without a name it means the last one. */
const NAMELESS =
  /^(?:(?:ok|okay|actually|no|hm+|wait)[,. ]+)*(?:(?:scratch|forget|ignore|drop|strike) (?:that|it|what i (?:just )?said)|i take (?:that|it) back)(?: (?:rule|one|again))?[.!]*$/i

/** The later sentence contains half of the earlier one's topics. */
const SAME_SHARE = 0.5

function isAbout(earlier: string, later: string): boolean {
  const [about, after] = [findTopics(earlier), findTopics(later)]
  const [name, other] = [namesIn(about), namesIn(after)]
  // «You may touch fixtures-1 now» does not concern fixtures-2.
  if (name.size > 0 && other.size > 0 && topicsIn(name, other) === 0) return false
  return about.size > 0 && topicsIn(about, after) / about.size >= SAME_SHARE
}

/** Files, versions, identifiers. */
function namesIn(topics: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...topics].filter((each) => /[\d_./-]/.test(each)))
}

const SHORT_ANSWER_CHARS = 160
const REFERENT_CHARS = 160
const MOST_REFERENTS = 8
const MOST_CHARS = 480

/** What a short answer refers to, and whether it chose list items. */
interface Referent {
  readonly text: string
  readonly isListed: boolean
}

/** What a short answer refers to: the items it names by number, or the last question. */
export function referentOf(words: string, asked: string): string | undefined {
  return findReferent(words, asked)?.text
}

function findReferent(words: string, asked: string): Referent | undefined {
  if (words.length > SHORT_ANSWER_CHARS || asked === '') return undefined
  const lines = asked.split('\n', 400).map((line) => line.trim())
  const named = namedItems(words)
  const items = lines.filter((line) => {
    const name = ITEM.exec(line)?.[1]
    return name !== undefined && named.has(name.toUpperCase())
  })
  const question = lines.findLast((line) => /[?？][*_)"'`]*$/.test(line))
  const found = items.length > 0 ? items.slice(0, MOST_REFERENTS) : question ? [question] : []
  if (found.length === 0) return undefined
  const text = found.map((line) => shortened(line, REFERENT_CHARS)).join(' / ')
  return { text: shortened(text, MOST_CHARS), isListed: items.length > 0 }
}

function shortened(line: string, most: number): string {
  return line.length > most ? `${cutHead(line, most)}…` : line
}

const ITEM = /^(?:[-*#>|]+ *)?\**\(?(?:Option |Step )?(\d{1,2}|[A-H])\**[.):—|-](?!\d)/i
const NAME = String.raw`(?:\d{1,2}|[A-H])(?![\w%-]|\.\d)`
const NAMES = String.raw`${NAME}(?:(?:\s*[,&+/]\s*|\s+)(?:(?:and|or|und|oder|et|y|e|и|和|と)\s+)?(?:options?\s+)?${NAME})*`
const KINDS = '(?:options?|variants?|steps?|items?|points?|numbers?|nr\\.?|no\\.|punkte?|schritte?)'
/** The items an answer names: capitals anywhere, small letters only if unambiguous. */
const CAPITALS = new RegExp(`(?<![\\w.#-])(?:${KINDS} )?(${NAME})`, 'g')
const SMALL = new RegExp(`^(?:${KINDS} )?([a-h])(?=[\\s]*[,.;:!)—–-]|$)|${KINDS} ([a-h])\\b`, 'gi')

function namedItems(words: string): ReadonlySet<string> {
  return new Set(
    [...words.matchAll(CAPITALS), ...words.matchAll(SMALL)].map(([, one, other]) =>
      (one ?? other ?? '').toUpperCase(),
    ),
  )
}

/** Numbers that name items instead of counting. */
const CHOOSES = new RegExp(
  String.raw`(?:^|\b(?:skip|drop|without|except|not|only|ignore|omit|leave out|do|take|pick|choose|with|prefer|just|nur|ohne|nimm|au[sß]er|lass|sauf|sans|prends|solo|sin|sem|só|${KINDS})\s+)(?:${KINDS}\s+)?(?:the\s+)?${NAMES}(?!\s+(?:seconds?|minutes?|hours?|days?|times?|tests?|files?|lines?|more|px|ms|[MG]B|of)\b)`,
  'i',
)
const ALTERNATIVES =
  /\b(?:or|o|which|either|oder|welche[rsnm]?|ou|quel(?:le)?s?|cu[aá]l(?:es)?|qual|или)\b|还是|哪|どちら|どっち|それとも/iu
const ASKS_FOR_WORK =
  /\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:do you want|would you like|want) me to\b|\b(?:soll|darf|kann) ich\b/i
const GOES_ON =
  /\b(?:continue|proceed|go on|start|begin|anything else|something else|next|ready|move on|want to|look right|makes? sense|help you with|weitermachen)\b/i
const YES = /^(?:yes|yeah|yep|yup|sure|ok(?:ay)?|fine|ja|oui|sí|si|sim|да|はい|好)(?![\p{L}])/iu
const NO = /^(?:no|nope|nah|nein|nee|non|não|нет|いいえ|不)(?![\p{L}])/iu
/** A yes with a condition. */
const NARROWS =
  /(?<![\p{L}])(?:but|except|only|unless|without|not|never|keep|leave|instead|because|since|until|aber|außer|nur|ohne|sauf|mais|seulement|pero|salvo|excepto|solo|mas|exceto|но|кроме)(?![\p{L}])|但|ただ|除/iu

/** An answer that settles something, with what it refers to. */
function settledAnswer(words: string, asked: string): string | undefined {
  const answer = words.trim().replaceAll(/\s+/g, ' ')
  if (/[?？]$/.test(answer)) return undefined
  const referent = findReferent(answer, asked)
  if (referent === undefined || !settles(answer, referent)) return undefined
  return withReferent(answer, referent.text)
}

/** Brackets and tags in the agent's text could be mistaken for our marks. */
export function withReferent(answer: string, referent: string): string {
  return `${answer} (in answer to: ${referent.replaceAll(/[[\]<>]/g, '')})`
}

/** “(A) a patch or (B) a rewrite?” */
function namesInline(answer: string, asked: string): boolean {
  return [...namedItems(answer)].some((name) =>
    new RegExp(`(?:^|[\\s(])${name}\\)`, 'i').test(asked),
  )
}

/** A choice names the chosen thing. */
function sharesWord(answer: string, asked: string): boolean {
  const words = new Set(splitWords(asked))
  return splitWords(answer).some((word) => words.has(word))
}

const EVERYDAY = /^(?:the|and|you|for|with|that|this|not|are|but|now|want|would|like|should|use)$/

function splitWords(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .match(
        /[\p{Script=Latin}\d]{2,}|(?:(?!\p{Script=Latin})\p{L}){2,}|[\p{Script=Han}\p{Script=Katakana}]/gu,
      ) ?? []
  return words.filter((word) => (word.length > 2 || /\d|[^a-z]/.test(word)) && !EVERYDAY.test(word))
}

function settles(answer: string, { text, isListed }: Referent): boolean {
  if (isListed || namesInline(answer, text)) return CHOOSES.test(answer)
  if (GOES_ON.test(text)) return false
  if (YES.test(answer)) return NARROWS.test(answer)
  if (NO.test(answer)) return ASKS_FOR_WORK.test(text) || NARROWS.test(answer)
  return ALTERNATIVES.test(text) && !isOneOff(answer) && sharesWord(answer, text)
}
