// Escapes foreign text so that no reader takes it for structure: tags, refs, turns.
import { visibleAhead } from './visible-text.ts'

/** Reads the same; only what looks like structure is written differently. */
export function asData(text: string): string {
  return withoutMarks(text.replace(TURNS, '$1($2)').replace(REFS, '($1)'), 'turns too')
}

/** A model's text between tags: cannot close ours or start a ref. */
export function asProse(text: string): string {
  return withoutMarks(text.trim().replace(REFS, '($1)'), 'tags and refs')
}

/** Everything a reader may take for a line end. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g

/** Tool or model output: each line is marked as a quotation, so none looks like ours. */
export function quoted(text: string): string {
  return `> ${text.replace(LINE_ENDS, '$&> ')}`
}

/** The same after a label of ours, which marks the first line. */
export function quotedBehind(label: string, text: string): string {
  return `${label} ${text.replace(LINE_ENDS, '$&> ')}`
}

/** Quoted by indentation, where no line of ours starts with a blank: costs no token before a word. */
export function indented(text: string): string {
  return ` ${indentedBehind(text)}`
}

/** The same after a label of ours. */
export function indentedBehind(text: string): string {
  return text.replace(LINE_ENDS, '$& ')
}

/** On one line. */
export function oneLine(text: string): string {
  return asData(text.replace(LINE_ENDS, ' ').replace(/\s+/g, ' '))
}

/** The headings `serializeConversation` writes before each side's text. */
const TURNS =
  /^([ \t]*)\[((?:User|Assistant|Tool result|Earlier summary|Files|Chunk|System)[^\]\n]{0,40})\](?=:)/gim
const REFS = /\[(ref:? ?[ec]\d{1,15}(?:\.\d{1,9})?(?:@\d{1,15})?)\]/gi

/** The start of a tag, heading or ref, also in other widths and as HTML entities. */
const OPENERS = /[<＜﹤[［]|&(?:amp;){0,4}(?:lt|lsqb|lbrack|#0{0,8}(?:60|91)|#x0{0,8}(?:3c|5b));?/gi

/** After an opener, as far as visible. The tags of prompts, summaries and agents. */
const TAG =
  /^\s*[/⁄∕\\]?\s*(?:conversation|code[-_ ]part|previous[-_ ]summary|conversation[-_ ]summary|summary|turn[-_ ]prefix|user[-_ ]messages|read[-_ ]files|modified[-_ ]files|system[-_ ]reminder|system|instructions|checkpoint)(?![\p{L}\p{N}_])/u
const REF = /^\s*ref\s*[:=]?\s*[ec]\d/
const TURN =
  /^\s*(?:user|assistant|tool\s+result|earlier\s+summary|files|chunk|system)[^\]\n]{0,40}\]\s*:/

/** Blanks, zero-width characters and entities do not change a tag for a model. */
function withoutMarks(text: string, which: 'turns too' | 'tags and refs'): string {
  return text.replace(OPENERS, (opener, at: number) => {
    const ahead = visibleAhead(text, at + opener.length)
    if (/[<＜﹤]|lt|60|3c/i.test(opener)) return TAG.test(ahead) ? '‹' : opener
    const isTurn = which === 'turns too' && TURN.test(ahead) && isLineStart(text, at)
    return isTurn || REF.test(ahead) ? '(' : opener
  })
}

/** Whether only invisible text precedes it on its line. */
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
