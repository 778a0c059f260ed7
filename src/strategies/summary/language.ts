// Guesses a text's language by script or common words, to notice an answer in another one.

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Chinese', /\p{Script=Han}/gu],
  ['Cyrillic', /\p{Script=Cyrillic}/gu],
  ['Greek', /\p{Script=Greek}/gu],
  ['Arabic', /\p{Script=Arabic}/gu],
  ['Hebrew', /\p{Script=Hebrew}/gu],
  ['Devanagari', /\p{Script=Devanagari}/gu],
]

/** Words in every paragraph of a language and hardly in the others. */
const WORDS: Readonly<Record<string, RegExp>> = {
  English: /(?<!\p{L})(?:the|and|of|to|is|it|with|that|was|are|not|this|we|you|be)(?!\p{L})/giu,
  German:
    /(?<!\p{L})(?:der|das|und|ist|nicht|ein|eine|mit|auf|wir|wird|wurde|zu|den|es)(?!\p{L})/giu,
  French: /(?<!\p{L})(?:le|les|et|est|une|des|dans|nous|vous|pour|avec|du|sont|il)(?!\p{L})/giu,
  Spanish: /(?<!\p{L})(?:el|los|las|y|está|una|para|con|por|del|hay|su|se ha|lo)(?!\p{L})/giu,
  Portuguese: /(?<!\p{L})(?:não|uma|os|para|com|em|do|da|foi|ou|está|e)(?!\p{L})/giu,
  Italian: /(?<!\p{L})(?:il|gli|è|non|una|per|con|di|che|della|sono|e)(?!\p{L})/giu,
}

/** Code, paths and quotations have no language. */
const QUOTED = /```[\s\S]*?```|`[^`\n]*`/g
const CODE = /[/_\\=<>{}]/
const LEAST_WORDS = 5
/** How much more common the first language's words must be than the second's. */
const CLEARLY = 2
/** Share of letters in a non-Latin script. Japanese text has many Chinese characters. */
const SCRIPT_SHARE = 0.15

/** Undefined if unclear. */
export function detectLanguage(text: string): string | undefined {
  const prose = text.replace(QUOTED, ' ').replace(/\S+/g, (word) => (CODE.test(word) ? ' ' : word))
  const letters = prose.match(/\p{L}/gu)?.length ?? 0
  for (const [name, form] of SCRIPTS)
    if ((prose.match(form)?.length ?? 0) > Math.max(LEAST_WORDS, letters * SCRIPT_SHARE))
      return name
  const counts = Object.entries(WORDS)
    .map(([name, words]) => ({ name, count: prose.match(words)?.length ?? 0 }))
    .sort((a, b) => b.count - a.count)
  const [first, second] = counts
  if (!first || first.count < LEAST_WORDS || first.count < CLEARLY * (second?.count ?? 0))
    return undefined
  return first.name
}
