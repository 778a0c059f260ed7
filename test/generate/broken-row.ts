// Rows that no version of this program can decode: damaged data, unknown types, and times to come.
import type { Row } from '../../src/core/ports.ts'
import type { Random } from './random.ts'

/** The row as it may stand in a store after damage, or after a newer program has written to it. */
export function breakRow(row: Row, random: Random): Row {
  return random.pick<Row>([
    { ...row, data: 7 },
    { ...row, type: 'NO_SUCH_TYPE' },
    { ...row, v: 99 },
  ])
}
