// What the agent is told after a fold where the user has said nothing further.

export const CONTINUE_AFTER_FOLD = 'Please continue from where you left off.'
