// The visible text from a position: without zero-width characters, entities decoded, widths unified.

/** No mark is longer. */
const NEAR_CHARS = 64

/** With hidden or encoded characters, look further. */
const FAR_CHARS = 160

/** In lower case. Enough to recognise a mark; empty if none is possible. */
export function visibleAhead(text: string, from: number): string {
  const near = text.slice(from, from + NEAR_CHARS)
  if (!SPELLED.test(near)) return near.toLowerCase()
  BEGINNING.lastIndex = from
  if (!BEGINNING.test(text)) return ''
  FAR.lastIndex = from
  return read(FAR.exec(text)?.[0] ?? '').toLowerCase()
}

const UNSEEN_SIGNS = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}`

const SPELLED = new RegExp(`[${UNSEEN_SIGNS}&\\u0080-\\u{10ffff}]`, 'u')

/** The first visible character is a letter, a mark or the start of an entity. */
const BEGINNING = new RegExp(`[\\s${UNSEEN_SIGNS}]*[\\p{L}/⁄∕／\\\\＼#＃&＆]`, 'uy')

const FAR = new RegExp(`(?:[${UNSEEN_SIGNS}]*[^${UNSEEN_SIGNS}]){0,${FAR_CHARS}}`, 'uy')

const ENTITY = /&(?:amp;){0,4}(?:#(\d{1,12})|#x([\da-f]{1,10})|([a-z]{2,8}));?/gi

function read(text: string): string {
  return text
    .replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .normalize('NFKC')
    .replace(new RegExp(`[${UNSEEN_SIGNS}]`, 'gu'), '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
}

const NAMED: Readonly<Record<string, string>> = {
  sol: '/',
  bsol: '\\',
  colon: ':',
  equals: '=',
  hyphen: '-',
  dash: '-',
  lowbar: '_',
  rsqb: ']',
  rbrack: ']',
  nbsp: ' ',
  shy: '',
  zwj: '',
  zwnj: '',
}
