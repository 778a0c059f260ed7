// Decides whether part of a message was typed as an order or is material the message is about.
import { type Line, VERSION } from './listings.ts'
import { pointsAtOrders, pointsIn } from './requests.ts'

/** Consecutive lines. */
interface Block {
  readonly lines: readonly Line[]
  readonly text: string
}

/** The evidence needed to call a text material. */
const ENOUGH = 2

/** Whether a line is a rule. */
type IsRule = (line: string) => boolean

/**
 * Drops the lines that are probably material. A missed rule stays in the text, while a stranger's rule would
 * bind, so in doubt a line does not bind.
 */
export function withoutMaterial(
  text: string,
  lines: readonly Line[],
  isRule: IsRule,
): readonly Line[] {
  const blocks = splitBlocks(lines, isRule)
  if (blocks.flatMap((block) => block.lines).length < 2) return lines
  const { from, to } = ownEnds(text, blocks, isRule)
  const material = blocks.slice(from, to)
  const [own, first, last] = [blocks[from - 1], material[0], material.at(-1)]
  if (first === undefined) return lines
  const adopts = blocks.slice(0, from).some((block) => ADOPTS.test(block.text))
  const orders = isOrders(material, isRule)
  const pointed = Math.max(
    isNextTo(text, own, first) ? pointsAt(own, isRule, orders) : 0,
    isNextTo(text, last, blocks[to]) ? pointsAt(blocks[to], isRule, orders) : 0,
  )
  const points = adopts ? 0 : pointed + (orders ? 0 : contrast(own, first))
  const shape = readShape(text, material, isRule, adopts)
  const doubt = shape < ENOUGH && points < ENOUGH && STARTS_SMALL.test(first.text) ? 1 : 0
  if (shape + points - doubt < ENOUGH) return lines
  const gone = new Set(
    material.filter((block) => !LABEL.test(block.text)).flatMap((block) => block.lines),
  )
  return lines.filter((line) => !gone.has(line))
}

/** People who start without capitals and full stops continue without them. */
function contrast(own: Block | undefined, other: Block): number {
  const isCareless = own !== undefined && STARTS_SMALL.test(own.text) && !/[.:]$/.test(own.text)
  return isCareless && CAREFUL.test(other.text) ? 1 : 0
}

const STARTS_SMALL = /^\p{Ll}/u
const CAREFUL = /^\p{Lu}[^.!?]*\p{Ll}[^.!?]*[.!?]\s+\p{Lu}[\s\S]*[.!?]$/u

/** Nothing set apart is in between; otherwise the request is about that. */
function isNextTo(text: string, above: Block | undefined, below: Block | undefined): boolean {
  const [end, start] = [above?.lines.at(-1), below?.lines[0]]
  if (end === undefined || start === undefined) return false
  return text.slice(end.at + end.text.length, start.at).trim() === ''
}

/** The end and start of the person's own text before and after the material. */
function ownEnds(
  text: string,
  blocks: readonly Block[],
  isRule: IsRule,
): { from: number; to: number } {
  const isOwn = (block: Block | undefined): block is Block =>
    block !== undefined &&
    block.text.length <= LONGEST_OWN &&
    readShape(text, [block], isRule, false) <= 0
  const asks = (at: number) => pointsAt(blocks[at], isRule) >= ENOUGH
  let from = isOwn(blocks[0]) ? 1 : 0
  for (; from > 0 && !asks(from - 1); from += 1) {
    const next = blocks[from]
    if (!isOwn(next) || !isInformal(next)) break
  }
  const end = blocks.length - 1
  const last = blocks[end]
  const isOnly = from === end && asks(from - 1)
  const endsOwn =
    !isOnly &&
    isOwn(last) &&
    last.lines.length <= 2 &&
    (isInformal(last) || pointsAt(last, isRule) > 0)
  return { from, to: endsOwn ? Math.max(from, end) : blocks.length }
}

const LONGEST_OWN = 400
/** Lower case at the start, a question, or an address to the agent. */
function isInformal({ text }: Block): boolean {
  return [STARTS_SMALL, /[?？]\s*$/, TO_AGENT, LABEL].some((look) => look.test(text))
}

const TO_AGENT =
  /\b(?:ask|tell|show|ping|warn|wait for|check with|remind) me\b|\bi(?:'d| would)? (?:want|need|expect|like|prefer) (?:you|it|this|that|to)\b|^(?:please|pls|also|btw|bitte|stp|por favor)\b|(?:frag|zeig)e? mir?ch?|demande-moi|pregúntame|问我|спроси меня/iu
/** A heading or label that marks the user's own orders. */
const ORDERS =
  '(?:(?:my|our|some|these|the|hard|soft|two|three|few|a few|couple of|ground|house|basic|team|project|coding|working|general|additional|important|non-functional|mis|meine|unsere|einige|nos|mes|minhas|le mie|mie) )*(?:rules?|requirements?|constraints?|conventions?|preferences?|limits?|guidelines?|notes?|instructions?|task|tasks|goals?|context|background|must(?: not)?|must-haves?|don.?ts?|dos|do not|never|always|important|remember|reminder|warning|todo|scope|out of scope|non-goals?|deliverables?|acceptance(?: criteria)?|definition of done|done when|deadline|budget|steps?|tests?|style|things|regeln?|vorgaben|anforderungen|aufgabe|ziel|wichtig|hinweise?|règles?|contraintes|consignes|tâche|objectif|exigences|reglas?|normas|restricciones|requisitos|tarea|objetivo|regras?|tarefa|restrições|regole|vincoli|compito|obiettivo|requisiti|правила|требования|ограничения|задача|цель|规则|要求|约束|任务|目标|ルール|制約|要件|タスク|目的|규칙|요구사항|제약|목표)'
const LABEL = new RegExp(
  `^\\s*(?:#{1,4} |\\*\\*)?(?:from now on|for (?:this|the|our) (?:repo|repository|project|session|task|codebase|code base|app)|${ORDERS})(?:\\*\\*)?(?: (?:for|of|du|de|del|do|für|per|pour|para|from)(?: [\\p{L}\\d'-]+){1,5})?(?: \\([^)\\n]{0,40}\\))?(?:\\*\\*)?\\s*(?:[:：]|$)|(?:rules|conventions|ground rules|here is how i want|this is how i want)\\b[^.!?\\n]{0,60}[:：]\\s*$`,
  'imu',
)

/** Adopts what follows as the user's own. */
const ADOPTS =
  /\b(?:implement|build|follow|obey|apply|adopt|respect|heed|stick to|adhere to|create|code up|carry out|work through)\b[^.!?]{0,40}(?:\b(?:this|these|the following|those|below)\b|[:：]\s*$)|\b(?:do|befolge|halte dich an|suis|sigue|siga|segui)\b (?:the following|this|these|diese|ces|estas|essas|queste)\b/iu

/** How strongly a request points at text next to it, which is then its material. */
function pointsAt(block: Block | undefined, isRule: IsRule, atOrders = false): number {
  if (block === undefined || block.text.length > LONGEST_OWN) return 0
  const said = listSentences(block).filter((each) => !isRule(each) && !LABEL.test(each))
  return Math.max(0, ...said.map((each) => (atOrders ? pointsAtOrders(each) : pointsIn(each))))
}

function listSentences({ text }: Block): string[] {
  return text
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n/u)
    .map((each) => each.trim().replace(ITEM, ''))
    .filter((each) => each !== '')
}

const ITEM = /^(?:[-*•+]|\(?\d{1,2}(?:\.\d{1,2})*[.):]?) +/

/** Starts with a rule and is at least half rules: the style of someone giving orders. */
function isOrders(blocks: readonly Block[], isRule: IsRule): boolean {
  const sentences = blocks.flatMap(listSentences).filter((each) => !LABEL.test(each))
  const rules = sentences.filter(isRule)
  return rules[0] !== undefined && rules[0] === sentences[0] && rules.length * 2 >= sentences.length
}

/** Greets a person or a group. */
const GREETS =
  /^(?:(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|hallo|moin|guten (?:tag|morgen)|bonjour|salut|hola|buen[oa]s \p{L}+|olá|oi|ciao|buongiorno|здравствуйте|привет|добрый день)[ ,]+(?!(?:agent|assistant|ai|bot|claude|codex|copilot|gpt|chatgpt|cursor|gemini|opencode|precis|précis|pi|there|again|i|we|can|please|and|this|the|so|wir|ich|je|on|du|kannst|hier|zusammen)(?!\p{L}))\p{L}[\p{L} .'-]{0,40}[,:!：]?\s*$|(?:dear|to whom|to all|attention|liebe[rs]?|sehr geehrte\p{L}*|werte\p{L}*|chère?s?|madame|monsieur|estimad[oa]s?|querid[oa]s?|prezad[oa]s?|car[ioae]|gentil[ei]|egregi[oa]?|уважаем\p{L}+|дорог(?:ой|ая|ие)) (?!(?:agent|assistant|ai|claude)\b)\p{L})|^(?:各位|尊敬的|亲爱的|您好)|^皆(?:様|さん)|お客様各位|여러분/iu
const SIGNS =
  /^(?:(?:kind|best|warm|many) (?:regards|wishes)|regards|sincerely|yours (?:\w+)|respectfully|mit freundlichen grüßen|mit besten grüßen|viele grüße|herzliche grüße|cordialement|bien à vous|sincères salutations|saludos(?: cordiales)?|un saludo|atentamente|atenciosamente|cordiali saluti|distinti saluti|с уважением|此致|敬礼|敬上|以上)[,.!，。]?\s*$/iu
/** Characters no keyboard has. */
const UNTYPED = /[\u2500-\u259f\u25a0-\u25ff\u2605\u2606\u23ba-\u23ff�]|\S · \S/u
/** Characters few keyboards have, but names and headings use. */
const HARDLY_TYPED = /[©®™·【】]/u
const COLUMNS = /\S(?: {3,}|\t)\S/
const CLAUSE =
  /^\s*(?:\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\.?|art(?:icle|ikel|ículo|\.)? ?\d+|§ ?\d+)\s+\p{L}/iu
/** A party of a contract, a law or a standard. */
const PARTY = /\b(?:The|Each|Any|Every) \p{Lu}\p{Ll}+ (?:shall|must|may|will|agrees)\b|\bshall\b/u
/** The start of an unmarked line in a typed list. */
const ORDERED =
  /^(?:use|write|keep|make|put|call|set|ask|answer|work|prefer|follow|treat|stick|log|support|target|name|handle|include|return|show|start|think|stop|add|fix|remove|delete|rename|move|update|create|implement|build|run|test|check|refactor|commit|push|merge|open|read|explain|find|only|just|no|new|all|every|go|do|let|give)\b/i
const THANKS =
  /^(?:thanks?|thank you|thx|ty|cheers|danke|merci|gracias|obrigad[oa]|grazie|спасибо|谢谢|ありがとう\p{L}*|gruß|grüße|lg|vg)\b.{0,40}$|^(?:hi|hey|hello|hallo|bonjour|hola|olá|ciao)[!,. ]*$/iu

/** Whether surrounding lines, already dropped, were not typed. */
function standsInPrint(text: string, { lines }: Block): boolean {
  const [first, last] = [lines[0], lines.at(-1)]
  if (first === undefined || last === undefined) return false
  const above = text.slice(Math.max(0, first.at - NEAR_CHARS), first.at).split(/\n\s*\n/)
  const below = text
    .slice(last.at + last.text.length)
    .slice(0, NEAR_CHARS)
    .split(/\n\s*\n/)
  const around = `${above.at(-1) ?? ''}\n${below[0] ?? ''}`
  const known = new Set(lines.map((line) => line.text))
  return around
    .split('\n')
    .some((line) => !known.has(line) && (UNTYPED.test(line) || USAGE.test(line)))
}

const NEAR_CHARS = 400
const USAGE =
  /^\s*(?:usage|synopsis|options|arguments|positional arguments|commands|flags)\s*:|^\s*-{1,2}\w[\w-]*(?:, ?--[\w-]+)?\s{2,}\S/i

/** How much a text looks like written elsewhere; below 0: typed just now. */
function readShape(
  message: string,
  blocks: readonly Block[],
  isRule: IsRule,
  adopts: boolean,
): number {
  const lines = blocks.flatMap((block) => block.lines.map(({ text }) => text.trim()))
  const thanks = lines.findIndex((line) => THANKS.test(line))
  // The typist's name follows the thanks.
  const spoken = thanks > 0 && thanks >= lines.length - 2 ? lines.slice(0, thanks) : lines
  const bare = spoken.filter((line) => isBare(line, isRule) && !(adopts && line.startsWith('#')))
  const some = (look: RegExp) => lines.some((line) => look.test(line))
  const text = lines.join('\n')
  return (
    (bare.length >= 4 ? 3 : bare.length) -
    (bare.length === 3 ? 1 : 0) +
    (some(GREETS) ? 2 : 0) +
    (some(SIGNS) ? 2 : 0) +
    (some(UNTYPED) ? 2 : some(HARDLY_TYPED) ? 1 : 0) +
    (some(USAGE) ? 2 : 0) +
    (lines.filter((line) => COLUMNS.test(line)).length >= 2 ? 3 : 0) +
    (some(CLAUSE) ? (isOrders(blocks, isRule) ? 1 : 2) : 0) +
    (some(PARTY) ? 1 : 0) +
    (blocks.some((block) => standsInPrint(message, block)) ? 2 : 0) +
    (blocks.some(isWrapped) ? 1 : 0) -
    (TO_AGENT.test(text) ? 1 : 0) -
    (lines.length === 1 && !/[.!?。！？]\s*\S/u.test(text) ? 1 : 0)
  )
}

/** A title, name, figure or button: not a sentence, list item or order. */
function isBare(line: string, isRule: IsRule): boolean {
  return (
    line.length <= 70 &&
    !/[.!?。！？…,;:：；、，]["')\]*]*$/u.test(line) &&
    !/^(?:[-*•+–—]|\(?\d{1,2}[.):、]|\(?[a-z][.)] |@|\/|\p{Ll})/u.test(line) &&
    !/^[\p{L} ]{2,24}: ?(?!.*\b(?:19|20)\d\d$)\S/u.test(line) &&
    !LABEL.test(line) &&
    !ORDERED.test(line) &&
    !VERSION.test(line) &&
    !THANKS.test(line) &&
    !isRule(line)
  )
}

/** Wrapped at a fixed width in mid-sentence. */
function isWrapped({ lines }: Block): boolean {
  const goOn = lines.filter(
    ({ text }, at) =>
      text.length >= 50 && text.length <= 85 && /^\s*[\p{Ll}(]/u.test(lines[at + 1]?.text ?? ''),
  )
  return lines.length >= 3 && goOn.length * 2 >= lines.length - 1
}

/** Splits at blank lines, at dropped lines, and after a first line that asks for something. */
function splitBlocks(lines: readonly Line[], isRule: IsRule): Block[] {
  const groups: Line[][] = [[]]
  let end = 0
  for (const line of lines) {
    const isBlank = line.text.trim() === ''
    if (isBlank || line.at > end + 2) groups.push([])
    if (!isBlank) groups.at(-1)?.push(line)
    end = line.at + line.text.length
  }
  const [first, ...rest] = groups.filter((group) => group.length > 0).map(buildBlock)
  if (first === undefined) return []
  const [head, ...others] = first.lines
  const parts = head !== undefined && others.length > 0 && pointsAt(buildBlock([head]), isRule) > 0
  return parts ? [buildBlock([head]), buildBlock(others), ...rest] : [first, ...rest]
}

function buildBlock(lines: readonly Line[]): Block {
  return { lines, text: lines.map(({ text }) => text.trim()).join('\n') }
}
