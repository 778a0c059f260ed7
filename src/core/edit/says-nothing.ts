// Whether a text says anything at all, whatever marks are around it

/** Nothing is said without a letter or a digit, whatever else is there to be seen or not. */
export function saysNothing(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(seenText(text))
}

/** The text without the lines that are marked as headings: what stands under them is left. */
export function withoutHeadings(text: string): string {
  return text.replace(/^ {0,3}#{1,6}(?:[ \t].*)?$/gm, '')
}

/** Without what has no width, fences and tags. */
export function seenText(text: string): string {
  return text.replace(UNSEEN, '').replace(FENCES, '').replace(TAGS, '')
}

/** Of no width, or for terminals only. Some of them count as letters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|[^\P{Cc}\s]/gu
const FENCES = /^\s*(?:`{3,}|~{3,})[\w-]*\s*$/gm
const TAGS = /<\/?[\w-]{1,40}>/g
