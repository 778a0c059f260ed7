// Sentences for measuring constraint detection: binding ones, and ordinary ones beside them.
import { CONSTRAINTS_EN } from './constraints-en.ts'
import { CONSTRAINTS_OTHER } from './constraints-other.ts'
import { ORDINARY_EN } from './ordinary-en.ts'
import { ORDINARY_OTHER } from './ordinary-other.ts'
import type { Sentence } from './sentence.ts'

export type { Sentence } from './sentence.ts'

export const CONSTRAINTS: readonly Sentence[] = [...CONSTRAINTS_EN, ...CONSTRAINTS_OTHER]

export const ORDINARY: readonly Sentence[] = [...ORDINARY_EN, ...ORDINARY_OTHER]
