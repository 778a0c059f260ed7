// Anthropic's address and key variable, in a file that loads no client

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
export const ANTHROPIC_KEY_VARIABLE = 'ANTHROPIC_API_KEY'
