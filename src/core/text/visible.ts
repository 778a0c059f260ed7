// Makes hidden, moving and disguising characters of foreign text visible

/**
 * Whatever leaves no mark of its own: controls, formats, unassigned and private characters, half
 * characters, blanks that are not the blank, fillers. A line break is seen as one. So is whatever covers
 * other characters: marks that strike out or enclose, and marks piled on one letter, from the fifth on.
 */
const HIDDEN =
  /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|\p{Surrogate}|\p{Me}|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

/**
 * Those that steer a terminal, turn the direction of what follows, or carry an unseen text. What scripts
 * and emoji need stays: joiners, variation selectors, the marks of a direction. So do tabs and line ends.
 */
const STEERING =
  /(?![\n\t]|\r\n)\p{Cc}|[\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** For what someone decides on, a command above all: every character is seen, by its number if need be. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, readNumber)
}

/** For what is read: nothing in it steers the terminal or the page. */
export function escapeSteering(text: string): string {
  return text.replace(STEERING, readNumber)
}

/** Every text in a value, the names of fields included. */
export function escapeTexts<T>(value: T): T {
  return escapedIn(value) as T
}

/** JSON that may be printed: a reader gets the same text, a terminal gets no control. */
export function printableJson(value: unknown, indent?: number): string {
  const text: string | undefined = JSON.stringify(value, undefined, indent)
  return (text ?? 'null').replace(STEERING, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).toLowerCase()}`)
      .join(''),
  )
}

function escapedIn(value: unknown): unknown {
  if (typeof value === 'string') return escapeSteering(value)
  if (Array.isArray(value)) return value.map(escapedIn)
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [escapeSteering(field), escapedIn(inner)]),
  )
}

function readNumber(character: string): string {
  return `[U+${hex(character.codePointAt(0) ?? 0)}]`
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}
