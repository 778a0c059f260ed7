// The generation of a Claude model, derived from its name if it is not in the catalogue
import type { ThinkingStyle } from './thinking.ts'

export interface Generation {
  readonly thinking: ThinkingStyle
  /** An answer may be begun for the model, and its thinking is not bound to what precedes it. */
  readonly isOlder: boolean
}

/** `claude-3-5-sonnet-latest`, `claude-opus-4-1`, `claude-sonnet-4-20250514`, `claude-instant-1.2`. */
const VERSION = /claude-(?:[a-z]+-)?v?(\d)(?:[-.](\d{1,2}))?(?!\d)/i

/** A name that tells no version is more likely newer than older. */
const NEWEST: Generation = { thinking: 'adaptive', isOlder: false }

/** Up to which version, that one not included, the oldest first. */
const OLDER: readonly (readonly [below: number, Generation])[] = [
  [3.07, { thinking: 'none', isOlder: true }],
  [4.06, { thinking: 'budget', isOlder: true }],
]

export function generationOf(model: string): Generation {
  const [, major, minor = '0'] = VERSION.exec(model) ?? []
  if (major === undefined) return NEWEST
  const version = Number(major) + Number(minor) / 100
  return OLDER.find(([below]) => version < below)?.[1] ?? NEWEST
}
