// OpenAI's address and key variable, in a file that loads no client

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'
export const OPENAI_KEY_VARIABLE = 'OPENAI_API_KEY'
