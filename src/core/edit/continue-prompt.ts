// The prompt after a fold without a further user message

export const CONTINUE_AFTER_FOLD = 'Please continue from where you left off.'
