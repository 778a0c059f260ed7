// Statements of others in a user's sentence: quotes, reports, observations.
import { OWN } from './pasted.ts'

/** Output of a tool or a text, after a colon. */
const REPORTED =
  /(\b(?:docs?|documentation|manual|readme|wiki|guide|spec(?:ification)?|standard|rfc|ticket|issue|linter|compiler|tests?|error|message|log|warning|it|he|she|they|reviewer|colleague|boss) (?:\w+ )?(?:says?|said|claims?|complains?|wrote|reads?|told me|reports?|prints?))\s*[:,] .*$/i

/** “Drivers must check the brakes, officials said on Monday.” */
export const SAID_BY =
  /, (?!(?:as )?(?:i|we|like|and|but|or|so|my|our) |(?:the )?(?:(?:team|tech|project|product|engineering) )?(?:boss|lead|leads|manager|management|owner|team|client|customer|security|legal|compliance|ops|cto|ceo|qa) )(?:the |an? )?[\p{L}.'-]+(?: [\p{L}.'-]+){0,2} (?:said|says|added|warned|wrote|noted|explained|told \S+)(?: (?:on|in|at) [\p{L}\d ]{2,24})?[.!]*$/iu

/** “It must return text, but it returns nothing”, “that has to be rebuilt, which took an hour”. */
export const TELLS =
  /, which (?:took|takes|made|cost|explains|is why)\b|\b(?:must|should|has to) [^?]{2,60},? but (?:it|they|he|she|that|this) (?:\w+s|are|do|did|were)\b/i

/** People whose wishes the user passes on. */
const CLIENTS =
  '\\b(?:customers?|(?:our|my) clients?|teams?|management|managers?|lead|legal|(?:product )?owner|kunden?|kundin|le client|cliente|équipe|equipo)(?: (?:has|have|just|always|already|also|\\w+ly)){0,2} (?=(?:says?|said|sagt|dit|dice) ?:)'
const DOCUMENT = String.raw`\b(?:docs?|documentation|readme|wiki|manual|guide|page|ticket|issue|review|log|changelog|faq)\b`

/** Statements of others after a colon: `CI prints: …`, `According to the wiki: …`. */
const ATTRIBUTED = new RegExp(
  [
    String.raw`((?:^|(?<=[,;] )(?<!\b(?:rules?|polic(?:y|ies)|conventions?|guidelines?)\b.*))`,
    `(?:according to|laut|selon|d'après|según|from the (?=[^:]*${DOCUMENT})|`,
    String.raw`(?:review )?comments? (?:by|from|of) (?!(?:default|now|here|today|then)\b)|`,
    String.raw`answer(?:ed)? (?:by|from) (?!(?:default|now|here|today|then)\b))[^,;:]{2,60}|`,
    `(?<!${OWN} |${CLIENTS})(?<= )(?:says?|said|claims?|complains?|wrote|prints?|printed|replied|answered|recommends?|suggests?|reported|sagt|schreibt|meldet|dit|écrit|affiche|dice|escribe)) ?: .*$`,
  ].join(''),
  'i',
)

/** Without what others say, with plain apostrophes. */
export function withApostrophes(sentence: string): string {
  const plain = sentence
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(
      /"[^"]{2,}"|“[^“”]{2,}”|„[^„“”]{2,}[“”]|«[^«»]{2,}»|»[^«»]{2,}«|「[^「」]{2,}」|『[^『』]{2,}』|`[^`]* [^`]*`|(?<!\p{L})'[^']{3,}'(?!\p{L})/gu,
      'it',
    ) // statements of others
    .replaceAll('`', '')
    .replace(REPORTED, '$1 it')
  // The pattern looks back from every place, so use it only with a colon.
  return (plain.includes(':') ? plain.replace(ATTRIBUTED, '$1 it') : plain).replaceAll(
    /\b(do|ca|wo|is|are|should|must|does|did|could|would|have)nt\b/gi,
    "$1n't",
  )
}
