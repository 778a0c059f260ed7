// Later statements that take the place of earlier ones: the same with another value, name or choice.
import { findTopics, topicsIn } from './topics.ts'

/** Says that something changes. */
const CHANGES =
  /^(?:(?:ok|okay|hm+|wait|sorry|so|and|but|oh)[,. ]+)*(?:(?:no|nope|non|nein|nee|нет)(?=[,.!:;—–])|actually|wait|correction|scratch that|on second thoughts?|change of plans?|i (?:have |'ve )?changed my mind|doch|finalement|en fait|plutôt|mejor|en realidad|na verdade|melhor|лучше|やっぱり|还是|還是)(?![\p{L}'])|\b(?:instead(?! of)|after all|any ?more|switch(?:ed|ing)? (?:back )?to|go(?:ing)? back to|stattdessen|doch lieber|à la place|en su lugar|en vez de eso|em vez disso)(?![\p{L}])|вместо этого|改成|改为|改用|换成|に変更|にして(?:ください)?$/iu
const ASKS = /[?？][\s"'”’)*_`]*$|^(?:what|how|why|is|are|does|did|would|could|should) /i
/** Adds to what was said before. */
const ADDS =
  /(?<![\p{L}])(?:too|also|as well|additionally|besides|auch|ebenfalls|aussi|también|também|тоже|также)(?![\p{L}])|也|还要|も/iu
/** Refers to what was mentioned last. */
const SAME_THING = /\b(?:it|that|them|this)\b/i
const RECENT = 2
/** Two such rules can both hold. */
const FORBIDS = /\b(?:never|no|not|\w+n't|nie|niemals|kein\w*|nicht|jamais|nunca)\b/i

/** Minimum share of the earlier topics in a sentence that announces a change. */
const CHANGING_SHARE = 0.5
const LEAST_TOPICS = 2
/** Of those that speak of a topic, so many of the latest are compared: it keeps the work linear. */
const MOST_HOLDERS = 50

/** The sentences of `before` that newer ones replace, in conversation order. */
export function findSuperseded(
  newest: readonly string[],
  before: readonly string[],
): ReadonlySet<string> {
  const over = new Set<string>()
  if (before.length === 0) return over
  const recent = new Set(before.slice(-RECENT))
  const earlier = once(() => indexEarlier(before, recent))
  for (const newer of newest) {
    const replacing = readReplacing(newer)
    if (!replacing) continue
    for (const older of earlier()(replacing))
      if (
        !over.has(older.text) &&
        older.text !== newer &&
        isReplaced(older, replacing, recent.has(older.text))
      )
        over.add(older.text)
  }
  return over
}

/** A sentence that may take the place of an older one. */
interface Replacing {
  readonly mine: Sentence
  /** Without the word that says that it changes something; absent where none does. */
  readonly changed: Sentence | undefined
}

/** Most sentences set nothing and change nothing. */
function readReplacing(newer: string): Replacing | undefined {
  if (ASKS.test(newer) || ADDS.test(newer)) return undefined
  const mine = readSentence(newer)
  const changed = CHANGES.test(newer) ? readSentence(newer.replace(CHANGES, ' ')) : undefined
  return changed || mine.values !== '' || mine.named ? { mine, changed } : undefined
}

function isReplaced(older: Sentence, { mine, changed }: Replacing, isRecent: boolean): boolean {
  if (mine.values !== '' && setsAnother(mine, older)) return true
  if (mine.named && older.named && namesAnother(mine.named, older.named)) return true
  if (!changed || (changed.forbids && older.forbids)) return false
  const sameThing = SAME_THING.test(changed.text)
  return isChanged(changed.topics(), older.topics(), sameThing && isRecent)
}

/** Looks up the earlier sentences that a newer one may speak of, so that not each is compared with each. */
function indexEarlier(before: readonly string[], recent: ReadonlySet<string>) {
  const all = [...new Set(before)].filter((each) => !ASKS.test(each)).map(readSentence)
  const lately = all.filter(({ text }) => recent.has(text))
  const settings = Map.groupBy(
    all.filter(({ values }) => values !== ''),
    subjectOf,
  )
  const named = Map.groupBy(
    all.filter((each) => each.named),
    nameKeyOf,
  )
  const byTopic = once(() => {
    const holders = new Map<string, Sentence[]>()
    for (const each of all)
      for (const topic of each.topics()) {
        const others = holders.get(topic)
        if (others) others.push(each)
        else holders.set(topic, [each])
      }
    return holders
  })
  return ({ mine, changed }: Replacing): ReadonlySet<Sentence> => {
    const near = new Set<Sentence>()
    const add = (some: readonly Sentence[] = []) => {
      for (const each of some) near.add(each)
    }
    if (mine.values !== '') add(settings.get(subjectOf(mine)))
    if (mine.named) add(named.get(nameKeyOf(mine)))
    if (!changed) return near
    add(lately)
    // Two topics have to be common: one of them is not the most frequent.
    const rare = [...changed.topics()]
      .map((topic) => byTopic().get(topic) ?? [])
      .toSorted((one, other) => one.length - other.length)
    for (const holders of rare.slice(0, 1 - LEAST_TOPICS)) add(holders.slice(-MOST_HOLDERS))
    return near
  }
}

const subjectOf = (sentence: Sentence) => [...sentence.topicsWithoutValues()].toSorted().join(' ')
const nameKeyOf = ({ named }: Sentence) => (named?.[1] ?? '').toLowerCase()

type Sentence = ReturnType<typeof readSentence>

/** The compared properties of a sentence, computed once; topics on demand. */
function readSentence(text: string) {
  return {
    text,
    values: readValues(text),
    named: NAMED.exec(text),
    forbids: FORBIDS.test(text),
    isLowerBound: LOWER_BOUND.test(text),
    topics: once(() => findTopics(text)),
    topicsWithoutValues: once(() =>
      findTopics(text.replaceAll(VALUE, (set, value) => set.slice(0, -value.length))),
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

/** The same thing gets a new name or value. */
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

/** The same statement with another number: the newer one holds. */
function setsAnother(newer: Sentence, older: Sentence): boolean {
  if (older.values === '' || newer.values === older.values) return false
  if (newer.isLowerBound !== older.isLowerBound) return false
  const [mine, others] = [newer.topicsWithoutValues(), older.topicsWithoutValues()]
  const common = topicsIn(mine, others)
  return common >= LEAST_TOPICS && common === mine.size && common === others.size
}

const LOWER_BOUND = /\b(?:min(?:imum)?|at least|above|more than|over)\b/i

/** Numbers that are settings or limits, not names. */
const VALUE =
  /(?:\b(?:max(?:imum)?|min(?:imum)?|at (?:most|least)|limit|under|below|above|within|up to|than|(?:stays?|keep|capped|set) (?:[\w-]+ ){0,3}(?:at|to)|is|are|be|port|version|timeout|=)|上限|最多|最大)\W{0,3}(\d[\w.,]*)/giu

function readValues(sentence: string): string {
  return Array.from(sentence.matchAll(VALUE), ([, value]) => value).join(' ')
}

/** “The branch is called x”: the thing and its name. */
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
