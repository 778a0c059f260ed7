// Where OpenAI's API is and what its key is called: known without loading what asks it.

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'
export const OPENAI_KEY_VARIABLE = 'OPENAI_API_KEY'
