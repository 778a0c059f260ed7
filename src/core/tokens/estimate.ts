// How many tokens a text has, without a tokenizer.

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
