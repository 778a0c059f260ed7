// One session that was found on this machine, before its content is read
export interface FoundSession {
  readonly path: string // as every command takes it
  readonly id: string
  /** The id of its format; absent in a folder that belongs to no agent. */
  readonly agent?: string
  readonly bytes: number
  readonly updatedMs: number
  /** What a sub-agent did, where its place tells it. */
  readonly isSubAgent?: boolean
  /** A database says these; of a file they are read from its content. */
  readonly project?: string
  readonly title?: string
}
