// What tells the agent to continue after a compaction: after a fold, and after its own call.

export const CONTINUE_AFTER_FOLD = 'Please continue from where you left off.'

/** A reminder, so that a request ends on a user turn. */
export const CONTINUE_AFTER_COMPACT = 'The thread was compacted. Continue.'
