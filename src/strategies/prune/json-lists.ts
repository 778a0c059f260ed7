// Finds the rows of lists in JSON text in one pass, without parsing.

/** The range of a row, end exclusive. */
type Row = readonly [start: number, end: number]

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]

const [OPEN_LIST, CLOSE_LIST, OPEN_FIELDS, CLOSE_FIELDS] = [91, 93, 123, 125]

/** The text's own list, or those directly inside its object. Empty if brackets do not match. */
export function jsonLists(text: string): Row[][] {
  const start = text.search(/\S/)
  const first = start < 0 ? 0 : text.charCodeAt(start)
  if (first !== OPEN_LIST && first !== OPEN_FIELDS) return []
  const listDepth = first === OPEN_LIST ? 1 : 2
  const lists: Row[][] = []
  let rows: Row[] | undefined
  let rowStart = 0
  let depth = 0
  const endRow = (at: number) => {
    const [from, to] = trimmed(text, rowStart, at)
    if (to > from) rows?.push([from, to])
    rowStart = at + 1
  }
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_FIELDS) {
      depth += 1
      if (depth !== listDepth || code !== OPEN_LIST) continue
      rows = []
      rowStart = at + 1
    } else if (code === CLOSE_LIST || code === CLOSE_FIELDS) {
      if (depth === listDepth && rows) {
        endRow(at)
        lists.push(rows)
        rows = undefined
      }
      depth -= 1
      if (depth === 0) return text.slice(at + 1).trim() === '' ? lists : []
    } else if (code === COMMA && depth === listDepth) endRow(at)
  }
  return []
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function trimmed(text: string, start: number, end: number): Row {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return [from, to]
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}
