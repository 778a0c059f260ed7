// Text of a transcript made harmless for a terminal: nothing in it may move the cursor, hide or disguise.

// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are made visible here
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g
/** Marks that turn the direction of what follows, and one that nobody sees. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const PICTURES_START = 0x2400
const DELETE = 0x7f
const TAB = '    '

/** Colours and the like go; other controls are shown as what they are; lines stay lines. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(SEQUENCES, '')
    .replace(DIRECTIONS, '')
    .replace(CONTROLS, pictureOf)
    .toWellFormed()
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ')
}

function pictureOf(character: string): string {
  if (character === '\t') return TAB
  if (character === '\u2028' || character === '\u2029') return '\n'
  const code = character.charCodeAt(0)
  if (code === DELETE) return '\u2421'
  return code < 0x20 ? String.fromCharCode(PICTURES_START + code) : '\ufffd'
}
