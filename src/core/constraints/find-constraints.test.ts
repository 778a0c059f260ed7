// Single forms in which somebody is bound, and their ordinary neighbours.
import { describe, expect, it } from 'vitest'
import { findConstraints } from './find-constraints.ts'

const BINDING = [
  'Yes, but it must print what it would do and change nothing unless I pass --write.',
  'And it must tell me about the overlaps it finds.',
  'No classes with methods for everything.',
  'You are not to run migrations.',
  'Keep the function signatures the way they are.',
  'The build may take at most 5 minutes.',
  'Only I deploy.',
  'When you add a rule, also add a line to the docs.',
  'Nutze ausschließlich die Standardbibliothek.',
  'Utilise uniquement TypeScript.',
]

const ORDINARY = [
  'When they leave out the boat, our server dies on them.',
  'After the update the page is blank.',
  'I prefer to look at the failing test now.',
  'You must have missed a file.',
  'That must be the bug.',
  'I must admit that this is better.',
  'No luck with that one.',
  'Mach dir keinen Kopf, das war mein Fehler.',
]

describe('what binds', () => {
  it.each(BINDING)('is found: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([sentence])
  })

  it.each(ORDINARY)('is not this: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([])
  })
})
