// The names of a conversation, with when they were seen and how often they were used again.
import { TERM_KINDS, type TermKind } from './terms.ts'

/** The author of a text: what the agent writes itself shows what it needs. */
export type Author = 'user' | 'agent' | 'tool'

const KIND_NUMBERS = new Map(TERM_KINDS.map((kind, at) => [kind, at]))

/** Columns by name number. Turns are the agent's answers, from 1. */
export class Vocabulary {
  readonly names: string[] = []
  readonly kinds: number[] = []
  readonly lines: number[] = [] // number of lines that contain it
  readonly firstTurn: number[] = []
  readonly lastTurn: number[] = []
  readonly uses: number[] = [] // turns in which the agent wrote it
  readonly lastUse: number[] = []
  readonly saidByUser: number[] = [] // the user's last turn with it; -1 never
  readonly lastLine: number[] = [] // its last line
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.names.length
  }

  numberOf(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  /** The number of a name, assigned on first sight. */
  seen(name: string, kind: TermKind, author: Author, turn: number): number {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.names.length
      this.#numbers.set(name, number)
      this.names.push(name)
      this.kinds.push(KIND_NUMBERS.get(kind) ?? 0)
      this.lines.push(0)
      this.firstTurn.push(turn)
      this.lastTurn.push(turn)
      this.uses.push(0)
      this.lastUse.push(-1)
      this.saidByUser.push(-1)
      this.lastLine.push(-1)
    }
    this.lastTurn[number] = turn
    if (author === 'user') this.saidByUser[number] = turn
    if (author === 'agent' && this.lastUse[number] !== turn) {
      this.uses[number] = (this.uses[number] as number) + 1
      this.lastUse[number] = turn
    }
    return number
  }

  /** Once per line. False if this line was counted. */
  isNewIn(number: number, line: number): boolean {
    if (this.lastLine[number] === line) return false
    this.lastLine[number] = line
    this.lines[number] = (this.lines[number] as number) + 1
    return true
  }
}
