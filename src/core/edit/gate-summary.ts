// Checks a model's text: it has content, is not an excuse, and is complete.
import type { Edit } from './change.ts'
import { checkSummaries, EMPTY, REFUSED, type Refusal } from './gate-checks.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'

/** Whether a text is an excuse for not writing a summary: `isExcuse`, which knows many languages. */
export type ExcuseCheck = (text: string) => boolean

/** All checks of a summary. */
export function checkSummary(
  proposal: Proposal,
  edits: readonly Edit[],
  isExcuse: ExcuseCheck,
): Refusal | undefined {
  return checkSummaries(proposal, edits, (written) => checkWritten(written, isExcuse))
}

/** Checks a model's text for content and for the requested sections. */
export function checkWritten(written: WrittenSummary, isExcuse: ExcuseCheck): Refusal | undefined {
  const { text, sections = [], fewestSections = sections.length } = written
  if (saysNothing(withoutHeadings(text))) return EMPTY
  if (isExcuse(text)) return REFUSED
  const missing = missingSections(text, sections)
  if (sections.length - missing.length < fewestSections)
    return incomplete(`The summary lacks required sections: ${missing.join(', ')}.`)
  // One is enough: a conversation may lack constraints, but never a topic.
  if (sections.length > 0 && saysNothing(underHeadings(text, sections)))
    return incomplete('The summary has the headings that were asked for, and nothing under them.')
  return undefined
}

function incomplete(message: string): Refusal {
  return { reason: 'summary-incomplete', message }
}

/**
 * The missing sections, however headings are marked. A text with as many headings as requested has all: in
 * another language they have other names.
 */
export function missingSections(text: string, sections: readonly string[]): string[] {
  const headings = headingsIn(text)
  const missing = sections.filter((section) => !headings.has(plain(section)))
  const isTranslated = missing.length > 0 && countMarked(text) >= sections.length
  return isTranslated ? [] : missing
}

/** Lines marked as headings. */
const MARKED: readonly RegExp[] = [
  /^ {0,3}#{1,6}[ \t]+\S/gm,
  // Bold as a whole, or up to a colon or dash.
  /^ {0,3}(?:\d{1,2}[.)．、][ \t]*)?(?:\*\*|__)[^*_\n]{1,80}(?:(?<=[:：])(?:\*\*|__)|(?:\*\*|__)[ \t]*(?:[:：–—]|$))/gm,
  /^ {0,3}\d{1,2}[.)．、][ \t]*(?!\*\*|__)[^:：\n]{1,60}[:：]/gm,
  // With a final colon, underlined, or in brackets.
  /^[^\s\d\p{P}\p{S}][^:：\n]{0,60}[:：][ \t]*$/gmu,
  /^[^\s#][^\n]{0,80}\n(?:={3,}|-{3,})[ \t]*$/gm,
  /^[ \u3000]*【[^】\n]{1,40}】/gm,
  // In non-Latin scripts: few characters after a number or before a wide colon.
  /^[ \u3000]*(?:\d{1,2}|[一二三四五六七八九十]{1,3})[.)．、][ \t]*[\u0250-\uff19\uff1b-\uffff]{1,20}$/gm,
  /^[ \u3000]*[\u0250-\u300f\u3012-\uff19\uff1b-\uffff]{1,20}：(?=.)/gm,
]

function countMarked(text: string): number {
  const lines = text.replaceAll('\r', '')
  return MARKED.reduce((sum, form) => sum + [...lines.matchAll(form)].length, 0)
}

/** The text below the section headings, or after them on the same line. */
function underHeadings(text: string, sections: readonly string[]): string {
  const wanted = new Set(sections.map(plain))
  return withoutHeadings(text)
    .split('\n')
    .map((line) => {
      const { heading, said } = parted(line)
      return wanted.has(heading) ? said : line
    })
    .filter((said) => !NONE.test(said))
    .join('\n')
}

/** What the prompt asks for in an empty section. */
const NONE = /^[\s\p{P}]*(?:none|n\/a|nil)[\s\p{P}]*$/iu

/** Starts of lines that may be headings, however they are marked. */
function headingsIn(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').map((line) => parted(line).heading))
}

const HEADING_END = /[:：\]】|]|[*_]{2}(?=\s)|\s[–—-]\s/

/** Splits a line into heading and text. */
function parted(line: string): { readonly heading: string; readonly said: string } {
  const bare = line.replace(/^[^\p{L}]+/u, '')
  const end = HEADING_END.exec(bare)
  return end
    ? { heading: plain(bare.slice(0, end.index)), said: bare.slice(end.index + end[0].length) }
    : { heading: plain(bare), said: '' }
}

/** Without surrounding marks and numbers, in the singular. */
function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/^[^\p{L}]+/u, '')
    .replace(/^(?:[a-h]|[ivx]{1,4})[.)]\s+/, '')
    .replace(/[^\p{L}\p{N}]+$/u, '')
    .replace(/s$/, '')
    .replaceAll('&', 'and')
}

/** Without a letter or digit a text has no content. */
export function saysNothing(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(seenText(text))
}

/** The text without heading lines. */
export function withoutHeadings(text: string): string {
  return text.replace(/^ {0,3}#{1,6}(?:[ \t].*)?$/gm, '')
}

/** Without invisible characters, fences and tags. */
export function seenText(text: string): string {
  return text.replace(UNSEEN, '').replace(FENCES, '').replace(TAGS, '')
}

/** Zero-width or control characters; some of them count as letters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|[^\P{Cc}\s]/gu
const FENCES = /^\s*(?:`{3,}|~{3,})[\w-]*\s*$/gm
const TAGS = /<\/?[\w-]{1,40}>/g
