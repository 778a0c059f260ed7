// Which lines belong to abandoned branches: the tree is known only at the end of the file.
import { type Fields, fieldsIn, listIn, textIn } from '../reading/raw.ts'

type Kind = 'prompt' | 'answer' | 'result' | 'other'

interface Node {
  readonly at: number
  readonly kind: Kind
  readonly answer: string | undefined // the id of the message that an answer's line is a part of
  readonly parent: number // a smaller index, or NONE
}

const NONE = -1

export class Branches {
  readonly #nodes: Node[] = []
  readonly #index = new Map<string, number>()
  #side = 0

  /** A file of sidechain lines only is a sub-agent's session. */
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

  /** A missing or later parent is replaced by the line before. */
  #parentOf(line: Fields, kind: Kind): number {
    const before = this.#nodes.length - 1
    if (line.subtype === 'compact_boundary' || line.isCompactSummary === true) return before
    const parent = textIn(line.parentUuid)
    if (parent === undefined) return line.parentUuid === null && kind === 'prompt' ? NONE : before
    return this.#index.get(parent) ?? before
  }

  /**
   * Lines off the active branch with text of their own. A result, or another block of an answer on the
   * branch, belongs to the branch even without a parent link.
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
