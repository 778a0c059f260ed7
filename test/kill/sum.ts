// The state that the appending process derives from its log: a count and a sum.

/** A state that is derived from the log, and stored with snapshots. */
export interface Sum {
  readonly seq: number
  readonly total: number
}

export function foldRows(before: Sum, rows: readonly { readonly data: unknown }[]): Sum {
  return rows.reduce<Sum>(
    ({ seq, total }, { data }) => ({
      seq: seq + 1,
      total: total + (data as { number: number }).number,
    }),
    before,
  )
}
