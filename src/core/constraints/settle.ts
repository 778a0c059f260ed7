// What binds after each message of the user: new sentences and answers, without what was taken back
// Which statements of the user no longer hold, since a later one takes their place
import { settledAnswer } from './answers.ts'
import { findConstraints } from './find-constraints.ts'
import { findSentences } from './sentences.ts'
import { topicsIn, topicsOf } from './topics.ts'

export interface Settled {
  /** What binds in the message. */
  readonly binding: readonly string[]
  /** What was said before and binds no longer. */
  readonly gone: ReadonlySet<string>
}

/** `before` is what bound until now, the newest last; `asked` is what the agent said last. */
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

/** Says that something no longer holds. */
const TAKES =
  /\b(?:forget|scrap|scratch|drop|ignore|disregard|nix|strike|cancel|lift) (?:(?:about )?(?:what|that|the|my|it)\b|rule)|\b(?:no longer|not) (?:needed|required|necessary|valid|a rule|the rule|applies|apply|true)\b|\b(?:doesn't|does not|don't|do not|need not|needn't) (?:apply|hold|matter)(?: any ?more)?\b|\b(?:rule|limit|restriction|requirement|ban|thing|freeze)\b[^.]{0,60} (?:is|has been|was) (?:gone|off|lifted|dropped|over|history|void)\b|\bafter all\b|\bon second thoughts?\b|\b(?:i (?:have |'ve )?changed my mind|i take (?:that|it) back|never ?mind (?:the|about|what))\b|\b(?:is|are) (?:fine|ok|okay|allowed) (?:now|again)\b|\byou (?:can|may) (?:\S+ ){1,8}(?:again|now)\b|(?<![\p{L}])(?:vergiss|gilt nicht mehr|nicht mehr nötig|doch (?:erlaubt|ok|okay|in ordnung)|oublie|finalement|ne s'applique plus|plus nécessaire|olvida|ya no (?:aplica|hace falta|es necesario)|esquece|não precisa mais|já não vale|забудь|больше не нужно)(?![\p{L}])|不用再|不再需要|取消|忘了|もう(?:いら|必要|不要)|やっぱり|取り消|忘れて/iu
/** Without a name: the last one is meant. */
const NAMELESS =
  /^(?:(?:ok|okay|actually|no|hm+|wait)[,. ]+)*(?:(?:scratch|forget|ignore|drop|strike) (?:that|it|what i (?:just )?said)|i take (?:that|it) back)(?: (?:rule|one|again))?[.!]*$/i

/** Half of what the earlier sentence is about is in the later one. */
const SAME_SHARE = 0.5

function isAbout(earlier: string, later: string): boolean {
  const [about, after] = [topicsOf(earlier), topicsOf(later)]
  const [name, other] = [namesIn(about), namesIn(after)]
  // «You may touch fixtures-1 now» says nothing of fixtures-2.
  if (name.size > 0 && other.size > 0 && topicsIn(name, other) === 0) return false
  return about.size > 0 && topicsIn(about, after) / about.size >= SAME_SHARE
}

/** Files, versions, identifiers. */
function namesIn(topics: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...topics].filter((each) => /[\d_./-]/.test(each)))
}

/** Says that something is to be otherwise than before. */
const CHANGES =
  /^(?:(?:ok|okay|hm+|wait|sorry|so|and|but|oh)[,. ]+)*(?:(?:no|nope|non|nein|nee|нет)(?=[,.!:;—–])|actually|wait|correction|scratch that|on second thoughts?|change of plans?|i (?:have |'ve )?changed my mind|doch|finalement|en fait|plutôt|mejor|en realidad|na verdade|melhor|лучше|やっぱり|还是|還是)(?![\p{L}'])|\b(?:instead(?! of)|after all|any ?more|switch(?:ed|ing)? (?:back )?to|go(?:ing)? back to|stattdessen|doch lieber|à la place|en su lugar|en vez de eso|em vez disso)(?![\p{L}])|вместо этого|改成|改为|改用|换成|に変更|にして(?:ください)?$/iu
const ASKS = /[?？][\s"'”’)*_`]*$|^(?:what|how|why|is|are|does|did|would|could|should) /i
/** Comes to what was said before. */
const ADDS =
  /(?<![\p{L}])(?:too|also|as well|additionally|besides|auch|ebenfalls|aussi|también|também|тоже|также)(?![\p{L}])|也|还要|も/iu
/** Another name for what was spoken of last. */
const SAME_THING = /\b(?:it|that|them|this)\b/i
const RECENT = 2
/** Two such rules hold beside each other. */
const FORBIDS = /\b(?:never|no|not|\w+n't|nie|niemals|kein\w*|nicht|jamais|nunca)\b/i

/** Of what was said before: at least so much is spoken of again, in one that says that it changes. */
const CHANGING_SHARE = 0.5
const LEAST_TOPICS = 2

/** Of `before`, in the order of the conversation, what any of the newer sentences takes the place of. */
export function findSuperseded(
  newest: readonly string[],
  before: readonly string[],
): ReadonlySet<string> {
  const olders = once(() =>
    [...new Set(before)].filter((each) => !ASKS.test(each)).map(readSentence),
  )
  const recent = new Set(before.slice(-RECENT))
  const over = new Set<string>()
  if (before.length === 0) return over
  for (const newer of newest) {
    const replaces = replacing(newer, recent)
    if (replaces) for (const older of olders()) if (replaces(older)) over.add(older.text)
  }
  return over
}

/** Whether a sentence takes the place of an older one; most set nothing, and cost nothing for each. */
function replacing(newer: string, recent: ReadonlySet<string>) {
  if (ASKS.test(newer) || ADDS.test(newer)) return undefined
  const changes = CHANGES.test(newer)
  const mine = readSentence(newer)
  if (!changes && mine.values === '' && !mine.named) return undefined
  const plain = readSentence(changes ? newer.replace(CHANGES, ' ') : newer)
  const sameThing = SAME_THING.test(plain.text)
  return (older: Sentence): boolean => {
    if (older.text === newer) return false
    if (mine.values !== '' && setsAnother(mine, older)) return true
    if (mine.named && older.named && namesAnother(mine.named, older.named)) return true
    if (!changes || (plain.forbids && older.forbids)) return false
    return isChanged(plain.topics(), older.topics(), sameThing && recent.has(older.text))
  }
}

type Sentence = ReturnType<typeof readSentence>

/** What is compared of a sentence, read once; its topics when they are asked for. */
function readSentence(text: string) {
  return {
    text,
    values: valuesOf(text),
    named: NAMED.exec(text),
    forbids: FORBIDS.test(text),
    isLowerBound: LOWER_BOUND.test(text),
    topics: once(() => topicsOf(text)),
    topicsWithoutValues: once(() =>
      topicsOf(text.replaceAll(VALUE, (set, value) => set.slice(0, -value.length))),
    ),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Something is said of the same: a name of its own for it, or a value, is new. */
function isChanged(
  now: ReadonlySet<string>,
  then: ReadonlySet<string>,
  isRecent: boolean,
): boolean {
  const common = topicsIn(then, now)
  if (common === then.size || common === now.size) return false
  if (isRecent && common > 0) return true
  return common >= LEAST_TOPICS && common / Math.min(now.size, then.size) >= CHANGING_SHARE
}

/** The same said with another number: the newer one holds. */
function setsAnother(newer: Sentence, older: Sentence): boolean {
  if (older.values === '' || newer.values === older.values) return false
  if (newer.isLowerBound !== older.isLowerBound) return false
  const [mine, others] = [newer.topicsWithoutValues(), older.topicsWithoutValues()]
  const common = topicsIn(mine, others)
  return common >= LEAST_TOPICS && common === mine.size && common === others.size
}

const LOWER_BOUND = /\b(?:min(?:imum)?|at least|above|more than|over)\b/i

/** Numbers that something is set or limited to; others are names. */
const VALUE =
  /(?:\b(?:max(?:imum)?|min(?:imum)?|at (?:most|least)|limit|under|below|above|within|up to|than|(?:stays?|keep|capped|set) (?:[\w-]+ ){0,3}(?:at|to)|is|are|be|port|version|timeout|=)|上限|最多|最大)\W{0,3}(\d[\w.,]*)/giu

function valuesOf(sentence: string): string {
  return Array.from(sentence.matchAll(VALUE), ([, value]) => value).join(' ')
}

/** “The branch is called x”: what it is, and the name. */
const NAMED =
  /^(.{3,80}?\b(?:is|are|is called|are called|named|called|=|heißt|s'appelle|se llama)) [`"']?([\w@./:-]*[\w@/:-])[`"']?[.!]*$/i

function namesAnother(
  [, what = '', name = '']: RegExpExecArray,
  [, before = '', other = '']: RegExpExecArray,
): boolean {
  const isName = (each: string) => /[\d_./:@-]/.test(each)
  return (
    what.toLowerCase() === before.toLowerCase() && name !== other && isName(name) && isName(other)
  )
}
