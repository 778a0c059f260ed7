// Text of others, written so that no reader takes it for structure: tags, refs, turns
import { visibleAhead } from './visible-text.ts'

/** The same words to a reader; only what would be read as structure is written another way. */
export function asData(text: string): string {
  return withoutMarks(text.replace(TURNS, '$1($2)').replace(REFS, '($1)'), 'turns too')
}

/** What a model wrote, for the place between tags: no tag of ours ends in it, and no ref begins. */
export function asProse(text: string): string {
  return withoutMarks(text.trim().replace(REFS, '($1)'), 'tags and refs')
}

/** Whatever a reader takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g

/** What a tool or a model gave out: each line is marked as a quotation, so that none stands as one of ours. */
export function quoted(text: string): string {
  return `> ${text.replace(LINE_ENDS, '$&> ')}`
}

/** The same behind a label of ours, which marks its first line. */
export function quotedBehind(label: string, text: string): string {
  return `${label} ${text.replace(LINE_ENDS, '$&> ')}`
}

/** As quoted, for texts in which no line of ours begins with a blank: it costs no token before a word. */
export function indented(text: string): string {
  return ` ${indentedBehind(text)}`
}

/** The same behind a label of ours. */
export function indentedBehind(text: string): string {
  return text.replace(LINE_ENDS, '$& ')
}

/** On one line, whatever ended the lines before. */
export function oneLine(text: string): string {
  return asData(text.replace(LINE_ENDS, ' ').replace(/\s+/g, ' '))
}

/** The headings under which `serializeConversation` puts what each side said, as it writes them. */
const TURNS =
  /^([ \t]*)\[((?:User|Assistant|Tool result|Earlier summary|Files|Chunk|System)[^\]\n]{0,40})\](?=:)/gim
const REFS = /\[(ref:? ?[ec]\d{1,15}(?:\.\d{1,9})?(?:@\d{1,15})?)\]/gi

/** What a tag, a heading or a ref begins with, also in other widths and as HTML writes it. */
const OPENERS = /[<＜﹤[［]|&(?:amp;){0,4}(?:lt|lsqb|lbrack|#0{0,8}(?:60|91)|#x0{0,8}(?:3c|5b));?/gi

/** Behind an opener, as far as it can be seen. Tags are those of prompts, summaries and agents. */
const TAG =
  /^\s*[/⁄∕\\]?\s*(?:conversation|code[-_ ]part|previous[-_ ]summary|conversation[-_ ]summary|summary|turn[-_ ]prefix|user[-_ ]messages|read[-_ ]files|modified[-_ ]files|system[-_ ]reminder|system|instructions|checkpoint)(?![\p{L}\p{N}_])/u
const REF = /^\s*ref\s*[:=]?\s*[ec]\d/
const TURN =
  /^\s*(?:user|assistant|tool\s+result|earlier\s+summary|files|chunk|system)[^\]\n]{0,40}\]\s*:/

/** Blanks, characters of no width and entities make no tag another one: a model reads over them. */
function withoutMarks(text: string, which: 'turns too' | 'tags and refs'): string {
  return text.replace(OPENERS, (opener, at: number) => {
    const ahead = visibleAhead(text, at + opener.length)
    if (/[<＜﹤]|lt|60|3c/i.test(opener)) return TAG.test(ahead) ? '‹' : opener
    const isTurn = which === 'turns too' && TURN.test(ahead) && isLineStart(text, at)
    return isTurn || REF.test(ahead) ? '(' : opener
  })
}

/** Whether nothing that can be seen precedes it on its line. Looks no further than it has to. */
function isLineStart(text: string, at: number): boolean {
  for (let end = at; end > 0; ) {
    const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 && end > 1
    const start = end - (isPair ? 2 : 1)
    const sign = text.slice(start, end)
    if (sign === '\n') return true
    if (!UNSEEN.test(sign)) return false
    end = start
  }
  return true
}

const UNSEEN = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]$/u
