// Reads one JSON document as a stream: the items of its long lists one by one, then the rest.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { parseRecord } from '../../core/text/json-bounds.ts'
import type { Source } from '../session-format.ts'
import { decoded, MAX_RECORD_CHARS } from './lines.ts'
import { isStorable } from './raw.ts'

/** The name of the list if the document itself is one. */
export const ROOT = ''

export type JsonPiece =
  | {
      readonly type: 'item'
      readonly list: string
      readonly index: number
      readonly text: string
      readonly value: Json
    }
  /** An item the log cannot hold, or one cut at the end of the file. */
  | {
      readonly type: 'broken'
      readonly list: string
      readonly index: number
      readonly text: string
      readonly cut: boolean
    }
  /** Everything else, with empty lists in place of the items. Comes last. */
  | { readonly type: 'shell'; readonly value: Json; readonly cut: boolean }

export async function* jsonItems(
  source: Source,
  lists: readonly string[],
  onBytes?: (bytes: number) => void,
): AsyncGenerator<JsonPiece> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const splitter = new Splitter(lists)
  for await (const chunk of source.open()) {
    onBytes?.(chunk.length)
    splitter.push(decoded(decoder, chunk, splitter.line))
    yield* splitter.pieces.splice(0)
  }
  splitter.push(decoded(decoder, undefined, splitter.line))
  splitter.end()
  yield* splitter.pieces
}

/** Finds the bounds of items by counting brackets; each item is then parsed separately. */
class Splitter {
  readonly pieces: JsonPiece[] = []
  line = 1
  readonly #lists: ReadonlySet<string>
  #shell: string[] = []
  #item: string[] = []
  #itemChars = 0
  #depth = 0
  #inString = false
  #escaped = false
  #listDepth = 0
  #key: string[] = [] // the last string at the top level
  #list: string | undefined
  #index = 0

  constructor(lists: readonly string[]) {
    this.#lists = new Set(lists)
  }

  push(text: string): void {
    let from = 0 // everything before is copied
    const copy = (to: number) => {
      if (to > from) this.#copy(text.slice(from, to))
      from = to
    }
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (this.#inString) this.#inText(code)
      else if (code === NEWLINE) this.line += 1
      else if (code === QUOTE) {
        this.#inString = true
        if (this.#depth !== 1 || this.#list !== undefined) continue
        copy(at)
        this.#key = []
      } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
        if (this.#list === undefined && this.#depth <= 1) copy(at)
        const list = this.#listOpenedBy(code)
        if (list !== undefined) {
          copy(at + 1)
          this.#list = list
          this.#listDepth = this.#depth + 1
          this.#index = 0
        }
        this.#depth += 1
      } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
        this.#depth -= 1
        if (this.#list === undefined || this.#depth >= this.#listDepth) continue
        copy(at)
        this.#endItem(false)
        this.#list = undefined
      } else if (code === COMMA && this.#list !== undefined && this.#depth === this.#listDepth) {
        copy(at)
        from = at + 1
        this.#endItem(false)
      }
    }
    copy(text.length)
  }

  #inText(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === BACKSLASH) this.#escaped = true
    else if (code === QUOTE) this.#inString = false
  }

  end(): void {
    const cut = this.#depth > 0 || this.#inString
    if (this.#list !== undefined) this.#endItem(true)
    const shell = this.#shell.join('')
    if (shell.trim() === '') throw emptyInput()
    const closing = cut ? (shell.trimStart().startsWith('[') ? ']' : '}') : ''
    this.pieces.push({ type: 'shell', value: this.#shellValue(shell, closing, cut), cut })
  }

  #listOpenedBy(code: number): string | undefined {
    if (this.#list !== undefined || code !== OPEN_BRACKET || this.#depth > 1) return undefined
    const name = this.#depth === 0 ? ROOT : this.#keyText()
    return name !== undefined && this.#lists.has(name) ? name : undefined
  }

  #keyText(): string | undefined {
    return /"((?:[^"\\]|\\.)*)"\s*:\s*$/.exec(this.#key.join(''))?.[1]
  }

  #copy(text: string): void {
    if (this.#list === undefined) {
      this.#shell.push(text)
      this.#key.push(text)
      return
    }
    this.#item.push(text)
    this.#itemChars += text.length
    if (this.#itemChars > MAX_RECORD_CHARS)
      throw new PrecisError('invalid-input', 'an item is longer than 200 million characters', {
        where: `${this.#list}[${this.#index}]`,
        hint: 'A session record cannot be that long. Check that the file is a session.',
      })
  }

  #endItem(cut: boolean): void {
    const text = this.#item.join('').trim()
    this.#item = []
    this.#itemChars = 0
    if (text === '') return
    const place = { list: this.#list ?? ROOT, index: this.#index }
    this.#index += 1
    const value = cut ? undefined : this.#parsed(text, `${place.list}[${place.index}]`)
    if (isStorable(value)) this.pieces.push({ type: 'item', ...place, text, value })
    else this.pieces.push({ type: 'broken', ...place, text, cut })
  }

  #parsed(text: string, where: string): unknown {
    try {
      return parseRecord(text)
    } catch (thrown) {
      if (PrecisError.is(thrown)) return undefined // beyond its bounds: kept as text
      throw notJson(`${where}, before line ${this.line + 1}`, thrown)
    }
  }

  #shellValue(shell: string, closing: string, cut: boolean): Json {
    try {
      const value: unknown = parseRecord(shell.replace(/^\uFEFF/, '') + closing)
      if (isStorable(value)) return value
    } catch (thrown) {
      if (!cut && !PrecisError.is(thrown)) throw notJson(`line ${this.line}`, thrown)
    }
    return {}
  }
}

const QUOTE = 34
const BACKSLASH = 92
const NEWLINE = 10
const COMMA = 44
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

function emptyInput(): PrecisError {
  return new PrecisError('invalid-input', 'the input is empty', {
    hint: 'Give it a session file, or a JSON document with the messages of a conversation.',
  })
}

function notJson(where: string, cause: unknown): PrecisError {
  const reason = cause instanceof Error ? cause.message.slice(0, 100) : String(cause)
  return new PrecisError('invalid-input', `the input is not JSON: ${reason}`, {
    where,
    hint: 'Check that the file is complete.',
    cause,
  })
}
