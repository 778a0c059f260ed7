// Why the gate did not let a proposal pass: a reason to branch on, and a sentence to read.

export type RefusalReason =
  | 'no-edits'
  | 'stale'
  | 'malformed'
  | 'splits-round'
  | 'loses-pin'
  | 'summary-empty'
  | 'summary-cut-off'
  | 'summary-refused'
  | 'summary-failed'
  | 'summary-incomplete'
  | 'not-smaller'
  | 'above-target'

export interface Refusal {
  readonly reason: RefusalReason
  readonly message: string
}
