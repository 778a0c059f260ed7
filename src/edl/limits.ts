// The limits of a script; each ends in an error that names it

export interface EdlLimits {
  /** Of the script, in UTF-16 code units. */
  readonly scriptChars: number
  readonly commands: number
  /** Of one file, before and after every command, and of one register. */
  readonly fileChars: number
  /** That one command may select. */
  readonly ranges: number
  /** Of all searches and edits of a script together; some 20 to 50 nanoseconds each. */
  readonly regexSteps: number
}

export const DEFAULT_LIMITS: EdlLimits = {
  scriptChars: 1_000_000,
  commands: 10_000,
  fileChars: 10_000_000,
  ranges: 1_000_000,
  regexSteps: 100_000_000,
}
