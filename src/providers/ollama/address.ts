// Ollama's address, in a file that loads no client

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434'
