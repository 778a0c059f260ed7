// Before and after beside each other: rows that begin at the same height, and entries with what is left of them.
import { expect, it } from 'vitest'
import type { DiffEntry } from '../../../protocol/index.ts'
import { alignTexts, matchEntries } from './align.ts'

const entry = (ref: string, text: string): DiffEntry => ({
  ref,
  role: 'user',
  text,
  tokens: 1,
  state: 'removed',
})

const marked = (pieces: readonly { readonly text: string; readonly isChanged: boolean }[]) =>
  pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')

it('marks the words that differ, and begins a row where both texts begin a line', () => {
  const rows = alignTexts('one\nthe port is 5432\nlast\n', 'one\nthe port is 8080\nlast\n') ?? []
  expect(rows.map(({ was, is, isSame }) => [marked(was), marked(is), isSame])).toEqual([
    ['one\n', 'one\n', true],
    ['the port is [5432]\n', 'the port is [8080]\n', false],
    ['last\n', 'last\n', true],
  ])
})

it('gives every character of both texts back, in order', () => {
  const [before, after] = ['a b c\nd e\n\nf', 'a c\nx d e y\nf\n']
  const rows = alignTexts(before, after) ?? []
  const text = (side: 'was' | 'is') =>
    rows.flatMap((row) => row[side].map((each) => each.text)).join('')
  expect(text('was')).toBe(before)
  expect(text('is')).toBe(after)
})

it('does not compare texts that would stop the page', () => {
  expect(alignTexts('x '.repeat(15_000), 'y')).toBeUndefined()
})

it('finds for each entry the lines that come from it, and none for what is gone', () => {
  const removed = [
    entry('e1', 'Please keep the port 5432 of the harbour database.'),
    entry('e2', 'The ferry leaves at nine from pier seven.'),
    entry('e3', 'Nothing of this is said again.'),
  ]
  const summary =
    '<summary>\n> - Ferry: pier seven, at nine\n- Harbour database: port 5432\n\nUnrelated heading\n</summary>'
  const added = [entry('c1', summary)]
  expect(matchEntries(removed, added).map(({ entry: { ref }, text }) => [ref, text])).toEqual([
    ['e1', '- Harbour database: port 5432'],
    ['e2', '- Ferry: pier seven, at nine'],
    ['e3', ''],
  ])
})

it('takes the whole of what stands for a single entry', () => {
  const [only] = matchEntries([entry('e1', 'long result')], [entry('c1', 'quite other words')])
  expect(only?.text).toBe('quite other words')
})
