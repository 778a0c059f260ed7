// Makes hidden, moving and disguising characters of foreign text visible.

/**
 * Characters without a visible mark: controls, formats, unassigned and private characters, lone surrogates,
 * unusual blanks, fillers. A line break counts as visible. Also marks that strike out or enclose other
 * characters, and the fifth and later marks on one letter.
 */
const HIDDEN =
  /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|\p{Surrogate}|\p{Me}|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

/**
 * Characters that control a terminal, change text direction, or carry hidden text. Keeps what scripts and
 * emoji need: joiners, variation selectors, direction marks, tabs and line ends.
 */
const STEERING =
  /(?![\n\t]|\r\n)\p{Cc}|[\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** For text someone decides on, above all commands: shows every character, if necessary by number. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, readNumber)
}

/** For reading: the text cannot control the terminal or page. */
export function escapeSteering(text: string): string {
  return text.replace(STEERING, readNumber)
}

/** Every string in a value, field names included. */
export function escapeTexts<T>(value: T): T {
  return escapedIn(value) as T
}

/** Printable JSON: the reader gets the same text, the terminal no controls. */
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
