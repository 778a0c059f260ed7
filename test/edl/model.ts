// EDL once more, as simply as can be: each character knows where it came from. Scripts must do the same.
import type { Command, Pattern, Position, Value } from '../../src/edl/script.ts'

interface Character {
  readonly unit: string
  readonly origin?: number // where it stood in the file at first
}

interface Span {
  start: number
  end: number
  isLines: boolean
}

export interface ModelOutcome {
  readonly files: ReadonlyMap<string, string>
  readonly failed: readonly string[]
  readonly registers: ReadonlyMap<string, string>
  readonly selection: readonly number[][] | undefined
}

/** What is given up on; its file stays as it was. */
class GivenUp extends Error {}

export function runModel(
  commands: readonly Command[],
  texts: Readonly<Record<string, string>>,
): ModelOutcome {
  const open = new Map<string, ModelFile>()
  const failed: string[] = []
  const registers = new Map<string, string>()
  let [path, saved] = ['', 0]
  const leaveOut = (command: Command) => {
    if (!('value' in command) || command.value.type !== 'text') return
    saved += 1
    registers.set(`_saved_${saved}`, command.value.text)
  }
  for (const command of commands) {
    if ('path' in command) path = command.path
    if (failed.includes(path)) {
      leaveOut(command)
      continue
    }
    try {
      if ('path' in command) openFile(command, open, texts)
      else open.get(path)?.apply(command, registers)
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error
      open.delete(path)
      failed.push(path)
      leaveOut(command)
    }
  }
  const files = new Map(Object.entries(texts))
  for (const [name, file] of open) files.set(name, file.text)
  const selection = open.get(path)?.spans.map(({ start, end }) => [start, end])
  return { files, failed, registers, selection }
}

/** `/a/i` as JavaScript searches for all of it, character by character. */
export function nativeOf(pattern: string): RegExp {
  const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(pattern) ?? []
  return new RegExp(source, [...new Set(`${flags}gu`)].join(''))
}

function openFile(
  { name, path }: Command & { path: string },
  open: Map<string, ModelFile>,
  texts: Readonly<Record<string, string>>,
): void {
  const isThere = open.has(path) || Object.hasOwn(texts, path)
  if (isThere === (name === 'newfile')) throw new GivenUp()
  const file = open.get(path) ?? new ModelFile(texts[path] ?? '')
  open.set(path, file)
  file.spans = [{ start: 0, end: file.text.length, isLines: false }]
}

class ModelFile {
  readonly original: string
  characters: Character[]
  spans: Span[] = []

  constructor(text: string) {
    this.original = text
    this.characters = text.split('').map((unit, origin) => ({ unit, origin }))
  }

  get text(): string {
    return this.characters.map(({ unit }) => unit).join('')
  }

  apply(command: Exclude<Command, { path: string }>, registers: Map<string, string>): void {
    const { spans, text } = this
    switch (command.name) {
      case 'retain_first':
        this.spans = needed(spans.slice(0, 1))
        return
      case 'retain_last':
        this.spans = needed(spans.slice(-1))
        return
      case 'retain_nth': {
        const index = command.index < 0 ? spans.length + command.index : command.index
        this.spans = needed(spans.filter((_, each) => each === index))
        return
      }
      case 'replace':
      case 'insert_before':
      case 'insert_after':
        this.#write(command.name, textOfValue(command.value, registers))
        return
      case 'delete':
      case 'cut': {
        const [first] = spans
        if (command.name === 'cut') {
          if (spans.length !== 1 || isHalved(text, spans)) throw new GivenUp()
          registers.set(command.register, text.slice(first?.start, first?.end))
        }
        this.#write('delete', '')
        const start = first?.start ?? 0
        this.spans = [{ start, end: start, isLines: false }]
        return
      }
      default:
        this.#select(command.name, command.pattern)
    }
  }

  #select(name: string, pattern: Pattern): void {
    const { spans, text } = this
    const [only] = spans
    const isBeside = !/^(?:select|narrow)(?:_multiple)?$/.test(name)
    if (isBeside && spans.length !== 1) throw new GivenUp()
    const whole = { start: 0, end: text.length, isLines: false }
    const after = { ...whole, start: only?.end ?? 0 }
    const before = { ...whole, end: only?.start ?? 0 }
    const regions = name.startsWith('narrow')
      ? spans
      : [isBeside ? (/next|forward/.test(name) ? after : before) : whole]
    const found = needed(regions.flatMap((region) => this.#find(pattern, region)))
    const [first = whole, last = whole] = [found[0], found.at(-1)]
    if (name === 'select_next') this.spans = [first]
    else if (name === 'select_prev') this.spans = [last]
    else if (name === 'extend_forward') this.spans = [{ ...first, start: only?.start ?? 0 }]
    else if (name === 'extend_back') this.spans = [{ ...(only ?? whole), start: last.start }]
    else if (name.endsWith('_multiple') || found.length === 1) this.spans = found
    else throw new GivenUp()
  }

  #find(pattern: Pattern, region: Span): Span[] {
    switch (pattern.type) {
      case 'regex': {
        const native = nativeOf(pattern.source)
        const part = this.text.slice(region.start, region.end)
        return Array.from(part.matchAll(native), ({ 0: match, index }) => {
          const start = region.start + index
          return { start, end: start + match.length, isLines: false }
        })
      }
      case 'lines':
        return this.#findLines(pattern.text, region)
      case 'position':
        return this.#place(pattern.position, pattern.position, region)
      case 'range':
        return this.#place(pattern.from, pattern.to, region)
    }
  }

  #findLines(lines: string, region: Span): Span[] {
    if (lines === '') throw new GivenUp()
    const { text } = this
    const found: Span[] = []
    for (let start = region.start; start + lines.length <= region.end; start += 1) {
      const end = start + lines.length
      const isFree = start >= (found.at(-1)?.end ?? 0)
      const isWhole = `\n${text}\n`.startsWith(`\n${lines}\n`, start)
      if (isFree && isWhole)
        found.push({ start, end: Math.min(end + 1, region.end), isLines: true })
    }
    return found
  }

  #place(from: Position, to: Position, region: Span): Span[] {
    const [first, last] = [this.#offsets(from), this.#offsets(to)]
    const edge = ({ type }: Position) => (type === 'eof' ? this.text.length : 0)
    const start = first ? this.#startOf(first.start) : edge(from)
    const isPoint = last?.end === (first?.start ?? 0)
    const end = last ? (isPoint ? this.#startOf(last.end) : this.#endOf(last.end)) : edge(to)
    if (end < start) throw new GivenUp()
    return start >= region.start && end <= region.end ? [{ start, end, isLines: false }] : []
  }

  #offsets(position: Position): { start: number; end: number } | undefined {
    if (position.type !== 'line' && position.type !== 'point') return undefined
    const lines = this.original.split('\n')
    const line = lines[position.line - 1]
    if (line === undefined) throw new GivenUp()
    const start = lines.slice(0, position.line - 1).join('\n').length + (position.line > 1 ? 1 : 0)
    if (position.type === 'line') return { start, end: start + line.length }
    const point = start + position.column
    const isHalf = isHalved(this.original, [{ start: point, end: point, isLines: false }])
    if (position.column > line.length || isHalf) throw new GivenUp()
    return { start: point, end: point }
  }

  /** Where the character of the original that stood there is; or the beginning of what replaced it. */
  #startOf(offset: number): number {
    if (offset === this.original.length) return this.characters.length
    const now = this.#now(offset)
    if (now >= 0) return now
    const before = offset === 0 ? -1 : this.#now(offset - 1)
    if (offset > 0 && before < 0) throw new GivenUp()
    return before + 1
  }

  #endOf(offset: number): number {
    const last = this.#now(offset - 1)
    if (last >= 0) return last + 1
    if (offset === this.original.length) return this.characters.length
    const next = this.#now(offset)
    if (next < 0) throw new GivenUp()
    return next
  }

  #now(origin: number): number {
    return this.characters.findIndex((character) => character.origin === origin)
  }

  /** From the last range to the first, so that none moves before its turn. */
  #write(name: 'replace' | 'insert_before' | 'insert_after' | 'delete', text: string): void {
    const { spans } = this
    const before = this.text
    if (isHalved(before, spans)) throw new GivenUp()
    const written: number[] = []
    for (const { start, end, isLines } of spans.toReversed()) {
      const isNewLine = name === 'insert_after' && isLines && before[end - 1] !== '\n'
      const units = `${isNewLine ? '\n' : ''}${text}`.split('').map((unit) => ({ unit }))
      const at = name === 'insert_after' ? end : start
      this.characters.splice(at, name.startsWith('insert') ? 0 : end - start, ...units)
      written.unshift(units.length)
    }
    if (name !== 'replace') return
    let shift = 0
    this.spans = spans.map(({ start, end }, index) => {
      const length = written[index] ?? 0
      const span = { start: start + shift, end: start + shift + length, isLines: false }
      shift += length - (end - start)
      return span
    })
  }
}

function needed(spans: Span[]): Span[] {
  if (spans.length === 0) throw new GivenUp()
  return spans
}

function isHalved(text: string, spans: readonly Span[]): boolean {
  const isHalf = (at: number) =>
    /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
  return spans.some(({ start, end }) => isHalf(start) || isHalf(end))
}

function textOfValue(value: Value, registers: ReadonlyMap<string, string>): string {
  const text = value.type === 'text' ? value.text : registers.get(value.name)
  if (text === undefined) throw new GivenUp()
  return text
}
