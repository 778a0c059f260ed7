// Texts of compactions for readers that cannot read refs: the sentences stay, the refs go
import { MESSAGE_MARK } from '../core/view/refs.ts'

const REF = String.raw`\[ref:(?:[^\s\]]{1,250}:)?[ec]\d[\d.]{0,30}(?:@\d{1,15})?\]`

/** For lines that begin with that mark and yet continue a message. */
const OTHER_MARK = '• '

/** In this order: the last one takes what no sentence before it knows. */
const REWORDED: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /[;.]? ?\brecall reads (?:it|them|the originals) again, by ref(?: \(such as [^)\n]{1,300}\))? or by words/g,
    '',
  ],
  [/ Refs can be read again\./g, ''],
  [/ Refs: recall, or precis show REF --in FILE\./g, ''],
  [new RegExp(`\\[The whole: ${REF}\\]`, 'g'), '[Shortened.]'],
  [new RegExp(`characters left out: ${REF} …`, 'g'), 'characters left out …'],
  [new RegExp(`, ${REF} to ${REF}`, 'g'), ''],
  [new RegExp(`[;.] (?:The whole|here|as they were here|What was written here): ${REF}`, 'g'), ''],
  [
    new RegExp(`The request ${REF} is not answered yet`, 'g'),
    'The last request is not answered yet',
  ],
  [
    new RegExp(`The requests ${REF} to ${REF} are not answered yet`, 'g'),
    'The last requests are not answered yet',
  ],
  [new RegExp(`up to and including ${REF}:`, 'g'), 'up to here:'],
  [new RegExp(`up to and including ${REF} \\(`, 'g'), 'up to and including the last one ('],
  [/, ref [ec]\d[\d.]{0,30}\]/g, ']'],
  [/\[image ref [ec]\d[\d.]{0,30}\]/g, '[image]'],
  [new RegExp(`^${REF} `, 'gm'), MESSAGE_MARK],
  [new RegExp(` ?${REF}`, 'g'), ''],
]

const LISTS = new RegExp(`^${REF} `, 'm')
const MARKED = new RegExp(`^${MESSAGE_MARK}`, 'gm')

export function withoutRefs(text: string): string {
  const quoted = LISTS.test(text) ? text.replaceAll(MARKED, OTHER_MARK) : text
  return REWORDED.reduce((known, [pattern, words]) => known.replaceAll(pattern, words), quoted)
}
