// Detects excuses of models for not writing a summary.

import { saysNothing, seenText, withoutHeadings } from './gate-summary.ts'
import { EXCUSES_ELSEWHERE } from './refusal-phrases.ts'

/** Some models refuse in words and end normally; the refusal would become the only memory. */
export function isExcuse(text: string): boolean {
  const said = spoken(text)
  if (said.length > LONGEST_EXCUSE_CHARS) return false
  const namesFile = FILE_NAME.test(said)
  return LANGUAGES.some(({ openings, refusals, absences }) => {
    const rest = said.replace(openings, '')
    if (!saysNothing(said) && saysNothing(rest)) return true
    const excuses = namesFile ? refusals : [...refusals, ...absences]
    return excuses.some((excuse) => excuse.test(rest))
  })
}

const LINES_IN_BOLD = /^\s*(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__):?\s*$/gm

/** Excuses are short. A long text that starts with an apology has content. */
const LONGEST_EXCUSE_CHARS = 600

/** If nothing was found to summarise there are no file names: missing messages then belong to the work. */
const FILE_NAME =
  /[\p{L}\p{N}-]\.(?:[jt]sx?|[cm]js|json|md|py|rs|go|java|rb|cpp|css|html|sql|sh|ya?ml|toml|txt|csv|lock)\b|(?:^| )\/[\w.-]+\/\w/u

/** Normalises to one line of lower-case words with plain apostrophes, to simplify the patterns. */
function spoken(text: string): string {
  const shown = seenText(withoutHeadings(text))
  const unmarked = shown.replace(LINES_IN_BOLD, '')
  // A bold line is a heading if text follows; otherwise it is the text.
  return (saysNothing(unmarked) ? shown : unmarked)
    .replace(/[‘’ʼ＇`´]/g, "'")
    .replace(/[\s>*_"“”„«»「」]+/g, ' ')
    .normalize('NFKC') // punctuation of all widths
    .replace(/[。､、]/g, (mark) => (mark === '。' ? '.' : ','))
    .trim()
    .toLowerCase()
    .replace(/\bi am\b/g, "i'm")
    .replace(/\b(?:cannot|can not)\b/g, "can't")
    .replace(/\bwill not\b/g, "won't")
    .replace(/\bdo not\b/g, "don't")
    .replace(/\bi'm (?:not able|unable) to\b/g, "i can't")
}

const OPENINGS = [
  'unfortunately',
  'certainly|of course|absolutely|sure|understood',
  '(?:hello|hi)(?: there)?(?=[,.! ]|$)',
  'it (?:looks like|seems|appears)(?: that)?(?= )',
  '(?:conversation )?summary:',
  "i'm (?:very |so |really |truly )?sorry(?: (?:about|for) [^,.;]{1,40})?(?=[,.!;]| but| i\\b|$)",
  'sorry(?: about that)?(?=[,.!;]| but| i\\b|$)',
  '(?:my|our) (?:sincere )?apologies(?: for [^,.;]{1,40})?',
  'i (?:do )?apologi[sz]e(?: for [^,.;]{1,40})?',
  "i'm afraid(?: that)?",
  'i (?:understand|appreciate) [^.;]{1,80}(?=, but)',
  "i'd be (?:happy|glad) to (?:help|summari[sz]e)[^.,!]{0,40}",
  "(?:as|i'm(?: just| only)?) an ai(?: language model| assistant| model)?(?: and)?",
]

/** What precedes the excuse itself; alone it says nothing. */
function findOpenings(openings: readonly string[], but: string): RegExp {
  return new RegExp(`^(?:(?:${openings.join('|')})[-–—,.!; ]*(?:(?:${but}),? ?)?)+`)
}

const END = '(?=[-–—,.!;:)]|$)'
/** Not before a reason: someone who cannot continue because of something reports on the work. */
const STOP = '(?=[.!]|$)'
/** Other impossible things are reports. */
const THIS = `(?:this|that)(?:${END}| (?:\\w+ ){0,2}(?:request|task|conversation|discussion|topic|content|matter|question|summary|information|kind|type|sort)\\b)`
/** The requested task, in forms after `can't` or `not willing to`. */
const THE_TASK = [
  `(?:help|assist)(?:ing)?(?: you)?(?: (?:with|in) (?:${THIS}|(?:this|that) (?:because|since|as|due|for)\\b|your|the request|summar|creat|writ|provid))`,
  `(?:help|assist|comply)(?: you)?(?: here| further)?${END}`,
  `proceed${STOP}`,
  `(?:comply|proceed) with (?:${THIS}|your|the request)`,
  `(?:continu|engag)(?:e|ing)(?: (?:with )?(?:this|that|the|our|your)(?: (?:conversation|discussion|request|topic))?)?${STOP}`,
  `do(?:ing)? (?:this|that|so)${STOP}`,
  `discuss(?:ing)? ${THIS}`,
  `summari[sz](?:e|ing) (?:this|that|the|it|your|our|any|content)`,
  `(?:complet|fulfil)l?(?:e|ing)? (?:(?:this|that|your|the) request\\b|(?:this|that)(?: task| summary)?${STOP})`,
  `(?:provid|creat|writ|generat|produc|giv|shar)(?:e|ing)(?: you)?(?: with)? (?:(?:(?:a|the|any|this|that|such) )?(?:summary|summaries|assistance|help)\\b|${THIS})`,
].join('|')

const CONVERSATION =
  '(?:conversation|messages?|history|transcript|chat|discussion|dialogue)(?: (?:history|log|text|transcript))?'
const ANY = '(?:(?:any|a|the|your|our|this|that|previous|prior|earlier|full|whole|actual) )*'
const ABSENT = `(?:${END}| to (?:summar|work|go|condense)| (?:was |were |has been |have been |is |are )?(?:provided|given|shared|available|included|here|above|yet)\\b)`

/** Each is matched against the text after its opening. */
const REFUSALS: readonly RegExp[] = [
  new RegExp(
    `^i (?:can't|won't|must not|shouldn't) (?:be able to |in good conscience |\\w+ly )?(?:${THE_TASK})`,
  ),
  new RegExp(
    `^i(?:'m unable|(?:'m not| don't feel) (?:able|willing|comfortable|allowed|permitted))(?: to| with)? (?:${THE_TASK}|(?:this|that)${END})`,
  ),
  new RegExp(
    `^i (?:(?:must|have to|need to|will) )?(?:\\w+ly )?decline(?:${END}| (?:${THIS}|your\\b)| to (?:${THE_TASK}))`,
  ),
  new RegExp(
    `^(?:this|that|the) (?:content|conversation|request|text|material) (?:violates|breaches|goes against|is against) (?:(?:my|our|the|your|\\w+'s) )?(?:(?:usage|content|safety|community|ethical|acceptable use|use) )?(?:polic(?:y|ies)|guidelines?|principles)(?:${END}| (?:and|so)\\b)`,
  ),
]

/** These are also matched if the text names no file. */
const ABSENCES: readonly RegExp[] = [
  new RegExp(
    `^i (?:don't|didn't|can't) (?:\\w+ly )?(?:see|have|find|access|view|receive)(?: access to)? ${ANY}${CONVERSATION}${ABSENT}`,
  ),
  new RegExp(
    `^(?:there(?: is| was| are| were|'s) )?(?:no|none of the) ${ANY}${CONVERSATION}${ABSENT}`,
  ),
  new RegExp(
    `^(?:(?:could|can|would) you )?please (?:provide|share|paste|send|give|upload)(?: me)?(?: with)? ${ANY}(?:${CONVERSATION}|text|content)(?:${END}|.{0,40}(?:summar|you'd like|you would like|you want|so (?:that )?i can))`,
  ),
  /^(?:there(?: is| was|'s) )?(?:no content|nothing) (?:here )?to summari[sz]e(?: yet)?(?=[.!,;]|$)/,
  /^the (?:conversation|transcript|record) (?:is|was|seems|appears)(?: to be)? empty(?=[.!,]|$)/,
  new RegExp(
    `^you (?:haven't|have not|didn't|did not) (?:provided?|shared?|included?|sent|send)(?: me)? ${ANY}${CONVERSATION}${ABSENT}`,
  ),
  new RegExp(`^i(?:'d| would)? need ${ANY}${CONVERSATION} (?:in order )?to summar`),
  /^(?:how|what) (?:can|may) i (?:help|assist|do)\b/,
  /^i can (?:help|assist)(?: you)? with (?:this|that)[.!]?$/,
  /^i'm ready to (?:help|assist|summar)/,
]

interface Language {
  readonly openings: RegExp
  readonly refusals: readonly RegExp[]
  readonly absences: readonly RegExp[]
}

/** Excuses may mix languages, so each is matched after its own openings. */
const LANGUAGES: readonly Language[] = [
  { openings: findOpenings(OPENINGS, 'but|however'), refusals: REFUSALS, absences: ABSENCES },
  ...EXCUSES_ELSEWHERE.map(({ openings, but, said, missing }) => ({
    openings: findOpenings(openings, but),
    refusals: said.map(fromTheStart),
    absences: missing.map(fromTheStart),
  })),
]

function fromTheStart(words: string): RegExp {
  return new RegExp(`^(?:${words})`)
}
