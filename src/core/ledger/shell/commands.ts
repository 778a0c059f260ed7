// Splits a shell command line into its simple commands, in order; loops over known words are unrolled.
import type { Joint } from '../operation.ts'
import { normalPath } from '../path-text.ts'
import { expandBraces } from './programs.ts'
import { ShellText, type ShellWord } from './text.ts'

export interface Redirection {
  readonly sign: string
  readonly target: ShellWord
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  readonly redirections: readonly Redirection[]
  readonly joint: Joint
  readonly isMaybe: boolean
  readonly shell?: 'begin' | 'end'
}

export interface ShellCommands {
  readonly commands: readonly ShellCommand[]
  /** The rest was too long to read. */
  readonly isCut: boolean
}

const LONGEST_CHARS = 1_000_000
const MOST_COMMANDS = 400
const MOST_WORDS = 2_000
const MOST_ROUNDS = 60

const JOINTS: Readonly<Record<string, Joint>> = { '&&': '&&', '||': '||', '|': '|', '|&': '|' }
/** Words that start a part which may not run, and words that end one. */
const OPENS = new Set(['if', 'while', 'until', 'case', 'select'])
const CLOSES = new Set(['fi', 'done', 'esac'])
const BETWEEN = new Set(['then', 'else', 'elif', 'do', '!', '{', '}', 'time'])

interface Loop {
  readonly name: string
  readonly items: readonly string[]
  readonly start: number
  readonly round: number
}

export function shellCommands(text: string): ShellCommands {
  if (text.length > LONGEST_CHARS) return { commands: [], isCut: true }
  return new CommandReader(text).read()
}

class CommandReader {
  readonly #text: ShellText
  readonly #commands: ShellCommand[] = []
  #words: ShellWord[] = []
  #redirections: Redirection[] = []
  #joint: Joint = ';'
  /** Open loops and branches; unrolled loops are certain, others are not. */
  readonly #blocks: (Loop | 'maybe' | 'function')[] = []
  #maybes = 0
  #isCut = false
  /** Assigned only if the previous command succeeded or failed: known while the chain continues. */
  #conditional: string[] = []

  constructor(text: string) {
    this.#text = new ShellText(text)
  }

  read(): ShellCommands {
    for (;;) {
      if (this.#commands.length >= MOST_COMMANDS || this.#words.length > MOST_WORDS) {
        this.#isCut = true
        break
      }
      const sign = this.#text.next()
      if (sign === undefined) break
      if (sign.kind === 'redirection') this.#redirect(sign.text)
      else if (sign.kind === 'operator') this.#operate(sign.text)
      else this.#take(sign.word)
    }
    this.#finish()
    return { commands: this.#commands, isCut: this.#isCut }
  }

  #redirect(sign: string): void {
    this.#text.skipSpaces()
    const target = this.#text.word()
    if (/<<-?$/.test(sign))
      this.#text.awaitHereDocument(target.text ?? target.raw, sign.endsWith('-'))
    this.#redirections.push({ sign, target })
  }

  #operate(sign: string): void {
    if (sign === '(' && this.#words.length === 1) {
      // `name()`: the body is stored and may never run.
      this.#words = []
      this.#open('function')
      return
    }
    if (sign === '(' && this.#words.length === 0 && this.#text.skipArithmetic()) {
      this.#words.push({ raw: '((', text: '((' })
      return
    }
    // A line may end with `&&`, or a subshell may follow: the next command is still joined by it.
    const isPending = this.#words.length === 0 && this.#redirections.length === 0
    const pending = isPending && (sign === '\n' || sign === '(') ? this.#joint : undefined
    this.#finish()
    this.#joint = pending ?? JOINTS[sign] ?? ';'
    if (this.#joint !== '&&') this.#forgetConditional()
    if (sign === '(') this.#mark('begin')
    if (sign === ')' && this.#blocks.at(-1) !== 'function') this.#mark('end')
  }

  #mark(shell: 'begin' | 'end'): void {
    this.#commands.push({ words: [], redirections: [], joint: ';', isMaybe: false, shell })
  }

  #take(word: ShellWord): void {
    if (this.#words.length > 0 || word.isQuoted) {
      this.#words.push(word)
      return
    }
    if (word.raw === '[[') this.#readTest(word)
    else if (word.raw === 'for') this.#readLoop()
    else if (OPENS.has(word.raw)) this.#open('maybe')
    else if (CLOSES.has(word.raw)) this.#close()
    else if (word.raw === '}' && this.#blocks.at(-1) === 'function') this.#close()
    else if (!BETWEEN.has(word.raw)) this.#words.push(word)
  }

  /** Up to `]]`, redirection and joining signs are comparisons. */
  #readTest(word: ShellWord): void {
    this.#words.push(word)
    for (let sign = this.#text.next(); sign !== undefined; sign = this.#text.next()) {
      if (sign.kind === 'word') this.#words.push(sign.word)
      if (sign.kind === 'word' && sign.word.raw === ']]') return
      if (sign.kind === 'operator' && (sign.text === ';' || sign.text === '\n')) {
        this.#operate(sign.text)
        return
      }
    }
  }

  #open(block: Loop | 'maybe' | 'function'): void {
    this.#blocks.push(block)
    if (typeof block === 'string') this.#maybes += 1
  }

  #close(): void {
    const block = this.#blocks.pop()
    if (block === undefined) return
    if (typeof block === 'string') this.#maybes -= 1
    else this.#nextRound({ ...block, round: block.round + 1 })
  }

  /** `for name in a b c; do`. */
  #readLoop(): void {
    const name = this.#text.next()
    if (name?.kind === 'operator' && name.text === '(') this.#text.skipArithmetic()
    const items: ShellWord[] = []
    for (let sign = this.#text.next(); sign?.kind === 'word'; sign = this.#text.next())
      items.push(...expandBraces(sign.word))
    const texts = items.slice(1).map((item) => (item.glob ? undefined : item.text))
    const isKnown =
      name?.kind === 'word' &&
      items[0]?.raw === 'in' &&
      texts.length <= MOST_ROUNDS &&
      texts.length > 0 &&
      texts.every((text) => text !== undefined)
    if (!isKnown) {
      if (name?.kind === 'word') this.#text.variables.set(name.word.raw, undefined)
      this.#open('maybe')
      return
    }
    this.#nextRound({
      name: name.word.raw,
      items: texts.filter((text) => text !== undefined),
      start: this.#text.at,
      round: 0,
    })
  }

  #nextRound(loop: Loop): void {
    const item = loop.items[loop.round]
    if (item === undefined) return
    const isTooMuch = this.#text.scanned > 8 * this.#text.text.length + 10_000
    this.#text.variables.set(loop.name, isTooMuch ? undefined : item)
    if (isTooMuch && loop.round > 0) return
    this.#text.at = loop.start
    this.#open(isTooMuch ? 'maybe' : loop)
  }

  #finish(): void {
    const words = this.#words.flatMap(expandBraces)
    if (words.length > 0 || this.#redirections.length > 0) {
      const isOnlyAssigning = words.length > 0 && words.every(isAssignment)
      if (isOnlyAssigning) for (const word of words) this.#assign(word)
      else
        this.#commands.push({
          words,
          redirections: this.#redirections,
          joint: this.#joint,
          isMaybe: this.#maybes > 0,
        })
    }
    this.#words = []
    this.#redirections = []
    this.#joint = ';'
  }

  #forgetConditional(): void {
    for (const name of this.#conditional) this.#text.variables.set(name, undefined)
    this.#conditional = []
  }

  #assign(word: ShellWord): void {
    const name = word.raw.slice(0, word.raw.indexOf('='))
    const value = word.text?.slice(name.length + 1)
    const isKnown = this.#maybes === 0 && !word.glob && this.#joint !== '||'
    this.#text.variables.set(name, isKnown ? value : undefined)
    if (this.#joint !== ';') this.#conditional.push(name)
  }
}

export function isAssignment(word: ShellWord): boolean {
  return /^[A-Za-z_]\w{0,99}=/.test(word.raw)
}

/** A program's name without folder. */
export function readProgram(command: ShellCommand): string {
  const text = command.words[0]?.text ?? ''
  return normalPath(text).split('/').at(-1) ?? ''
}
