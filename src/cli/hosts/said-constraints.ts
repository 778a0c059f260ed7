// The constraints and the latest request among the words of a user
import { findConstraints } from '../../core/constraints/find-constraints.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import type { Brief, Said } from './brief.ts'

const REQUEST_CHARS = 1_000

/** Each once, where it was said last, behind those known before. The same words again are not looked through again. */
export function constraintsIn(typed: readonly Said[], before: readonly Said[] = []): Said[] {
  const found = new Map(before.map((said) => [said.text, said]))
  const known = new Map<string, readonly string[]>()
  for (const { text, ref } of typed) {
    const constraints = known.get(text) ?? findConstraints(text)
    known.set(text, constraints)
    for (const constraint of constraints) {
      found.delete(constraint)
      found.set(constraint, { text: constraint, ref })
    }
  }
  return [...found.values()]
}

export function requestIn(typed: readonly Said[]): Pick<Brief, 'request'> {
  const last = typed.at(-1)
  return last ? { request: { ...last, text: cutHead(last.text, REQUEST_CHARS) } } : {}
}
