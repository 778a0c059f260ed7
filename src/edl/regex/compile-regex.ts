// Compiles a regular expression to a program.
import { parseRegex, RegexProblem } from './parse-regex.ts'
import { ASSERTIONS, type CharSet, OP, type Program, type RegexNode } from './program.ts'

/** Counted repetitions are unrolled, so the limit is on the result. */
const MAX_INSTRUCTIONS = 5_000
const MAX_NODES = 50_000

export function compileRegex(source: string, flags: string): Program {
  const compiler = new Compiler()
  compiler.add(parseRegex(source, flags), false)
  compiler.emit(OP.match)
  const { code, sets, branches } = compiler
  return {
    ops: Uint8Array.from(code, ({ op }) => op),
    a: Int32Array.from(code, ({ a }) => a),
    b: Int32Array.from(code, ({ b }) => b),
    sets,
    branches,
    isSticky: flags.includes('y'),
    prefix: findPrefix(code),
  }
}

type Repeat = RegexNode & { type: 'repeat' }

interface Instruction {
  readonly op: number
  a: number
  readonly b: number
}

/**
 * As in JavaScript, a repetition beyond the minimum must match something. A body that may match nothing is
 * therefore compiled twice: `addFresh` while nothing was consumed, which moves on to `add` with the first
 * character. So no program returns to a place without progress.
 */
class Compiler {
  readonly code: Instruction[] = []
  readonly sets: CharSet[] = []
  branches = 0
  #nodes = 0

  emit(op: number, a = 0, b = 0): Instruction {
    if (this.code.length >= MAX_INSTRUCTIONS) throw tooLarge()
    const instruction = { op, a, b }
    this.code.push(instruction)
    return instruction
  }

  /** `isBehind`: reads backwards, so the last part comes first. */
  add(node: RegexNode, isBehind: boolean): void {
    this.#count()
    switch (node.type) {
      case 'char':
        if (typeof node.test === 'number') this.emit(isBehind ? OP.charBehind : OP.char, node.test)
        else this.emit(isBehind ? OP.setBehind : OP.set, this.#numberOf(node.test))
        return
      case 'sequence':
        for (const part of isBehind ? node.parts.toReversed() : node.parts) this.add(part, isBehind)
        return
      case 'choice': {
        const ends = this.#choice(node.options, (option) => this.add(option, isBehind))
        this.#leadHere(ends)
        return
      }
      case 'repeat':
        for (let count = 0; count < node.min; count += 1) this.add(node.body, isBehind)
        this.#optional(node, node.max - node.min, isBehind)
        return
      case 'assertion':
        this.emit(OP.assert, ASSERTIONS.indexOf(node.assertion), this.#numberOf(node.word))
        return
      case 'look': {
        const look = this.emit(OP.look, 0, node.isNegated ? 1 : 0)
        this.add(node.body, node.isBehind)
        this.emit(OP.match)
        look.a = this.code.length
      }
    }
  }

  /** Falls off the end if nothing was consumed; otherwise takes the jumps. */
  addFresh(node: RegexNode, isBehind: boolean): Instruction[] {
    this.#count()
    switch (node.type) {
      case 'char':
        this.add(node, isBehind)
        return [this.emit(OP.jump)]
      case 'sequence':
        return this.#freshSequence(isBehind ? node.parts.toReversed() : node.parts, isBehind)
      case 'choice': {
        const read: Instruction[] = []
        const ends = this.#choice(node.options, (option) => {
          read.push(...this.addFresh(option, isBehind))
        })
        this.#leadHere(ends)
        return read
      }
      case 'repeat': {
        const { body, min } = node
        const required = Array.from({ length: min }, () => body)
        const rest = { ...node, min: 0, max: node.max - min }
        if (min > 0) return this.#freshSequence([...required, rest], isBehind)
        return this.#freshOptional(rest, isBehind)
      }
      default:
        this.add(node, isBehind)
        return []
    }
  }

  /** Nodes without instructions cost time, too: nested empty repetitions. */
  #count(): void {
    this.#nodes += 1
    if (this.#nodes > MAX_NODES) throw tooLarge()
  }

  #choice(options: readonly RegexNode[], addOption: (option: RegexNode) => void): Instruction[] {
    const ends: Instruction[] = []
    for (const option of options.slice(0, -1)) {
      const branch = this.#branch(OP.tryNext)
      addOption(option)
      ends.push(this.emit(OP.jump))
      branch.a = this.code.length
    }
    for (const last of options.slice(-1)) addOption(last)
    return ends
  }

  #optional(node: Repeat, times: number, isBehind: boolean): void {
    const exits: Instruction[] = []
    const isEndless = times === Number.POSITIVE_INFINITY
    const start = this.code.length
    for (let count = 0; count < (isEndless ? 1 : times); count += 1) {
      exits.push(this.#branch(node.isLazy ? OP.trySkip : OP.tryNext))
      this.#iteration(node.body, isBehind)
    }
    if (isEndless) this.emit(OP.jump, start)
    this.#leadHere(exits)
  }

  #iteration(body: RegexNode, isBehind: boolean): void {
    if (!canBeEmpty(body)) {
      this.add(body, isBehind)
      return
    }
    const read = this.addFresh(body, isBehind)
    this.emit(OP.fail)
    this.#leadHere(read)
  }

  #freshOptional(node: Repeat, isBehind: boolean): Instruction[] {
    if (node.max === 0) return []
    const exit = this.#branch(node.isLazy ? OP.trySkip : OP.tryNext)
    this.#iteration(node.body, isBehind)
    this.#optional(node, node.max - 1, isBehind)
    const read = this.emit(OP.jump)
    this.#leadHere([exit])
    return [read]
  }

  /** First the parts while nothing is consumed, then the same parts for the other case. */
  #freshSequence(parts: readonly RegexNode[], isBehind: boolean): Instruction[] {
    const firstThatReads = parts.findIndex((part) => !canBeEmpty(part))
    const end = firstThatReads === -1 ? parts.length : firstThatReads + 1
    const read = parts.slice(0, end).map((part) => this.addFresh(part, isBehind))
    const unread = this.emit(OP.jump)
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.add(part, isBehind)
      this.#leadHere(read[index] ?? [])
    }
    const done = this.emit(OP.jump)
    this.#leadHere([unread])
    return [done]
  }

  #leadHere(instructions: readonly Instruction[]): void {
    for (const instruction of instructions) instruction.a = this.code.length
  }

  #branch(op: number): Instruction {
    this.branches += 1
    return this.emit(op, 0, this.branches - 1)
  }

  #numberOf(set: CharSet): number {
    const known = this.sets.indexOf(set)
    return known === -1 ? this.sets.push(set) - 1 : known
  }
}

function tooLarge(): RegexProblem {
  return new RegexProblem('the pattern is too large: it repeats or nests too much')
}

function canBeEmpty(node: RegexNode): boolean {
  switch (node.type) {
    case 'char':
      return false
    case 'sequence':
      return node.parts.every(canBeEmpty)
    case 'choice':
      return node.options.some(canBeEmpty)
    case 'repeat':
      return node.min === 0 || canBeEmpty(node.body)
    default:
      return true
  }
}

/** Fixed characters at the start can be searched quickly. */
function findPrefix(code: readonly Instruction[]): string {
  const end = code.findIndex(({ op }) => op !== OP.char)
  const prefix = code
    .slice(0, end)
    .map(({ a }) => String.fromCodePoint(a))
    .join('')
  // A lone surrogate could be found inside a pair.
  return prefix.isWellFormed() ? prefix : ''
}
