// Which statements of the user no longer hold, since a later one takes their place
import { topicsIn, topicsOf } from './topics.ts'

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

/** `before` in the order of the conversation. */
export function findSuperseded(newer: string, before: readonly string[]): ReadonlySet<string> {
  if (before.length === 0 || ASKS.test(newer) || ADDS.test(newer)) return new Set()
  const changes = CHANGES.exec(newer)
  const values = valuesOf(newer)
  const named = NAMED.exec(newer)
  // Most sentences set nothing: those cost nothing for each that was said before.
  if (!changes && values === '' && !named) return new Set()
  const plain = changes ? newer.replace(CHANGES, ' ') : newer
  const now = topicsOf(plain)
  const recent = new Set(before.slice(-RECENT))
  return new Set(
    before.filter((older) => {
      if (older === newer || ASKS.test(older)) return false
      if (values !== '' && setsAnother(newer, values, older)) return true
      if (named && namesAnother(named, older)) return true
      if (!changes || (FORBIDS.test(plain) && FORBIDS.test(older))) return false
      const isRecent = recent.has(older) && SAME_THING.test(plain)
      return isChanged(now, topicsOf(older), isRecent)
    }),
  )
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
function setsAnother(newer: string, values: string, older: string): boolean {
  const old = valuesOf(older)
  if (old === '' || values === old) return false
  if (LOWER_BOUND.test(newer) !== LOWER_BOUND.test(older)) return false
  const [mine = NONE, others = NONE] = [newer, older].map((each) =>
    topicsOf(each.replaceAll(VALUE, (set, value) => set.slice(0, -value.length))),
  )
  const common = topicsIn(mine, others)
  return common >= LEAST_TOPICS && common === mine.size && common === others.size
}

const NONE: ReadonlySet<string> = new Set()

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

function namesAnother([, what = '', name = '']: RegExpExecArray, older: string): boolean {
  const [, before = '', other = ''] = NAMED.exec(older) ?? []
  const isName = (each: string) => /[\d_./:@-]/.test(each)
  return (
    what.toLowerCase() === before.toLowerCase() && name !== other && isName(name) && isName(other)
  )
}
