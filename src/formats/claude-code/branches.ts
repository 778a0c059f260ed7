// Which lines of a file belong to a branch that was left: the tree is known only at its end.
import { type Fields, fieldsIn, listIn, textIn } from '../reading/raw.ts'

type Kind = 'prompt' | 'answer' | 'result' | 'other'

interface Node {
  readonly at: number
  readonly kind: Kind
  readonly answer: string | undefined // the id of the message that an answer's line is a part of
  readonly parent: number // an index before its own, or NONE
}

const NONE = -1

export class Branches {
  readonly #nodes: Node[] = []
  readonly #index = new Map<string, number>()
  #side = 0

  /** Without a line outside of sidechains the file is the session of a sub-agent. */
  get isSubAgent(): boolean {
    return this.#side > 0 && !this.#nodes.some(({ kind }) => kind !== 'other')
  }

  add(line: Fields, at: number): void {
    const uuid = textIn(line.uuid)
    if (uuid === undefined) return
    if (line.isSidechain === true) {
      this.#side += 1
      return
    }
    const kind = readKind(line)
    this.#nodes.push({ at, kind, answer: answerId(line), parent: this.#parentOf(line, kind) })
    this.#index.set(uuid, this.#nodes.length - 1)
  }

  /** A parent that is missing, or lies ahead, is taken for the line before. */
  #parentOf(line: Fields, kind: Kind): number {
    const before = this.#nodes.length - 1
    if (line.subtype === 'compact_boundary' || line.isCompactSummary === true) return before
    const parent = textIn(line.parentUuid)
    if (parent === undefined) return line.parentUuid === null && kind === 'prompt' ? NONE : before
    return this.#index.get(parent) ?? before
  }

  /**
   * Places of the lines that hang off the active branch and hold words of their own. A result, or one
   * more block of an answer that is on the branch, belongs to it although no parent link leads there.
   */
  left(): Set<number> {
    const nodes = this.#nodes
    const active = new Set<number>()
    const last = nodes.findLastIndex(({ kind }) => kind !== 'other')
    for (let index = last; index !== NONE; index = nodes[index]?.parent ?? NONE) active.add(index)
    const answers = new Set([...active].map((index) => nodes[index]?.answer))
    const topOf = new Map<number, number>()
    const left = new Set<number>()
    nodes.forEach(({ parent, kind, answer }, index) => {
      if (active.has(index)) return
      const top = topOf.get(parent) ?? index
      topOf.set(index, top)
      if (index > last) return
      if (kind === 'prompt' || (kind === 'answer' && !answers.has(answer))) left.add(top)
    })
    const places = new Set<number>()
    for (const [index, top] of topOf) if (left.has(top)) places.add(nodes[index]?.at ?? NONE)
    return places
  }
}

function readKind({ type, message }: Fields): Kind {
  if (type === 'assistant') return 'answer'
  if (type !== 'user') return 'other'
  const { content } = fieldsIn(message)
  const isResult = listIn(content).some((block) => fieldsIn(block).type === 'tool_result')
  return isResult ? 'result' : 'prompt'
}

function answerId({ type, message, uuid }: Fields): string | undefined {
  return type === 'assistant' ? (textIn(fieldsIn(message).id) ?? textIn(uuid)) : undefined
}
