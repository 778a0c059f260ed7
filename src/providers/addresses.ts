// Addresses and key variables of providers, in a file that loads no client

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'
export const OPENAI_KEY_VARIABLE = 'OPENAI_API_KEY'

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
export const ANTHROPIC_KEY_VARIABLE = 'ANTHROPIC_API_KEY'

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434'
