// Where Anthropic's API is and what its key is called: known without loading what asks it.

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
export const ANTHROPIC_KEY_VARIABLE = 'ANTHROPIC_API_KEY'
