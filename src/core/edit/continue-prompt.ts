// What is said after a compaction so that the agent goes on: behind a fold, and behind its own call

export const CONTINUE_AFTER_FOLD = 'Please continue from where you left off.'

/** A reminder, so that a request ends on a user turn. */
export const CONTINUE_AFTER_COMPACT = 'The thread was compacted. Continue.'
