// How many rows are read at a time, by how long they are.
import { expect, it } from 'vitest'
import type { Row } from '../../core/ports.ts'
import { PageRows } from './pages.ts'

function buildPage(count: number, chars: number): Row[] {
  const row = { v: 2, id: 'e', threadId: 't', seq: 1, timestamp: '', type: 'FOREIGN' }
  return Array.from({ length: count }, () => ({ ...row, data: { text: ['x'.repeat(chars)] } }))
}

it('reads many short rows at a time, and few long ones', () => {
  const pages = new PageRows()
  const sizes: number[] = []
  for (const chars of [10, 10, 10, 10, 10, 10, 10, 1_000_000, 1_000_000, 10_000_000, 10]) {
    sizes.push(pages.rows)
    pages.learn(buildPage(pages.rows, chars))
  }
  expect(sizes).toEqual([16, 32, 64, 128, 256, 500, 500, 500, 4, 4, 1])
  expect(pages.rows).toBe(2)
  pages.learn([]) // a page whose rows are gone
  expect(pages.rows).toBe(1)
})
