// The kind and cost of each UTF-16 code unit: the data of the estimate.

// The order of kinds lets one comparison test for marks or letters.
export const MARK = 0 // ASCII punctuation and controls
export const SYMBOL = 1
export const CJK_MARK = 2
export const SURROGATE = 3 // half an emoji, mostly
export const JOINER = 4 // joins emoji, or chooses their look
export const DIGIT = 5
export const SPACE = 6
export const NEWLINE = 7
export const LOWER = 8
export const UPPER = 9
export const LATIN = 10 // beyond ASCII
const CYRILLIC = 11
const GREEK = 12
const SEMITIC = 13
const INDIC = 14
const HANGUL = 15
const HIRAGANA = 16
const KATAKANA = 17
const HAN = 18
const RARE = 19

/** Kinds up to this are marks. */
export const LAST_MARK = 4
/** Kinds from this on are letters. */
export const FIRST_LETTER = 8

/** The start and kind of each range of code units. */
const STRETCHES: readonly (readonly [from: number, kind: number])[] = [
  [0x0000, MARK],
  [0x0009, SPACE],
  [0x000a, NEWLINE],
  [0x000b, SPACE],
  [0x000d, NEWLINE],
  [0x000e, MARK],
  [0x0020, SPACE],
  [0x0021, MARK],
  [0x0030, DIGIT],
  [0x003a, MARK],
  [0x0041, UPPER],
  [0x005b, MARK],
  [0x0061, LOWER],
  [0x007b, MARK],
  [0x0080, SYMBOL],
  [0x00a0, SPACE],
  [0x00a1, SYMBOL],
  [0x00aa, LATIN],
  [0x00ab, SYMBOL],
  [0x00b5, LATIN],
  [0x00b6, SYMBOL],
  [0x00ba, LATIN],
  [0x00bb, SYMBOL],
  [0x00c0, LATIN],
  [0x00d7, SYMBOL],
  [0x00d8, LATIN],
  [0x00f7, SYMBOL],
  [0x00f8, LATIN],
  [0x0370, GREEK],
  [0x0400, CYRILLIC],
  [0x0530, SEMITIC],
  [0x0900, INDIC],
  [0x1000, RARE],
  [0x1e00, LATIN],
  [0x1f00, GREEK],
  [0x2000, SPACE],
  [0x200b, SYMBOL],
  [0x200d, JOINER],
  [0x200e, SYMBOL],
  [0x2028, SPACE],
  [0x202a, SYMBOL],
  [0x202f, SPACE],
  [0x2030, SYMBOL],
  [0x205f, SPACE],
  [0x2060, SYMBOL],
  [0x3000, SPACE],
  [0x3001, CJK_MARK],
  [0x3040, HIRAGANA],
  [0x30a0, KATAKANA],
  [0x30fb, CJK_MARK],
  [0x30fc, KATAKANA],
  [0x3100, RARE],
  [0x4e00, HAN],
  [0xa000, RARE],
  [0xac00, HANGUL],
  [0xd7b0, RARE],
  [0xd800, SURROGATE],
  [0xe000, SYMBOL],
  [0xf900, RARE],
  [0xfb00, SYMBOL],
  [0xfe00, JOINER],
  [0xfe10, SYMBOL],
  [0xff00, CJK_MARK],
  [0xff21, RARE],
  [0xff3b, CJK_MARK],
  [0xff41, RARE],
  [0xff5b, CJK_MARK],
  [0xff66, RARE],
  [0xffe0, SYMBOL],
]

/** The kind of every code unit. */
export const KINDS: Uint8Array = fillKinds()

/** What a letter of a script adds to its word, in thousandths of a token. ASCII uses pairs. */
export const LETTER_COST: Uint16Array = fillLetterCosts()

/** The extra cost of a word right after this ASCII mark, which may or may not join it. */
export const PREFIX_COST: Uint16Array = fillPrefixCosts()

/**
 * How likely a token ends between two letters, in tenths: row first letter, column second. Counted over
 * English, code and logs with o200k. Distinguishes words from noise.
 */
const BREAKS: readonly string[] = [
  '20005102010000506000101001', // a
  '23550756127056178024167717',
  '14130560270034036020155614',
  '12600445143445147113144424',
  '13101112352000421000411004', // e
  '14441037064043047020165217',
  '22670620268141179012145526',
  '15740766156345157230244523',
  '10000003310000002000305050', // i
  '25560668455563157503176669',
  '35740624273362279323354728',
  '14500245153064038411126608',
  '10620526275214105613264417', // m
  '16000203251351148600216414',
  '10004103120000007000000114',
  '15330530264025006010154218',
  '85346976699166552343087889', // q
  '14100416181301035100214506',
  '36230440162225114300132625',
  '26230380175336129011253204',
  '10000104021000408000322032', // u
  '16440746177426158246555746',
  '15410550276551059115662339',
  '36342597399446619750879225',
  '46451859386221209303685644', // y
  '27650674387862489773383412',
]

/** `BREAKS` by the low five bits of both letters; 0 means no letter before. */
export const PAIR_BREAKS: Uint8Array = fillPairBreaks()

function fillKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  STRETCHES.forEach(([from, kind], index) => {
    kinds.fill(kind, from, STRETCHES[index + 1]?.[0] ?? 0x10000)
  })
  return kinds
}

function fillLetterCosts(): Uint16Array {
  const costs = new Uint16Array(RARE + 1)
  costs[LOWER] = 220 // among letters of another script
  costs[UPPER] = 220
  costs[LATIN] = 730
  costs[CYRILLIC] = 250
  costs[GREEK] = 350
  costs[SEMITIC] = 330
  costs[INDIC] = 430
  costs[HANGUL] = 580
  costs[HIRAGANA] = 690
  costs[KATAKANA] = 690
  costs[HAN] = 760
  costs[RARE] = 1_900
  return costs
}

function fillPrefixCosts(): Uint16Array {
  const costs = new Uint16Array(128).fill(820)
  for (const mark of '._(\\') costs[mark.charCodeAt(0)] = 120
  for (const mark of '-\t<#') costs[mark.charCodeAt(0)] = 310
  costs['/'.charCodeAt(0)] = 740
  costs[' '.charCodeAt(0)] = 0
  return costs
}

function fillPairBreaks(): Uint8Array {
  const pairs = new Uint8Array(32 * 32)
  BREAKS.forEach((row, first) => {
    for (let second = 0; second < row.length; second += 1) {
      pairs[((first + 1) << 5) | (second + 1)] = row.charCodeAt(second) - 48
    }
  })
  return pairs
}
