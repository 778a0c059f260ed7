// What binds after each message of the user: new sentences and answers, without what was taken back
import { settledAnswer } from './answers.ts'
import { findConstraints } from './find-constraints.ts'
import { findSentences } from './sentences.ts'
import { findSuperseded } from './supersede.ts'
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
