// Where Ollama listens: known without loading what asks it.

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434'
