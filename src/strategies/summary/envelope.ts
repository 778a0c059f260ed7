// The opening message of a summary: a user message with tags

const SUMMARY_PREFIX =
  'The conversation history before this point was compacted into the following summary:\n\n<summary>\n'
const SUMMARY_SUFFIX = '\n</summary>'

export function summaryMessage(summary: string): string {
  return `${SUMMARY_PREFIX}${summary}${SUMMARY_SUFFIX}`
}

/** What is in such a message; undefined if the text is none. */
export function summaryIn(text: string): string | undefined {
  return text.startsWith(SUMMARY_PREFIX) && text.endsWith(SUMMARY_SUFFIX)
    ? text.slice(SUMMARY_PREFIX.length, -SUMMARY_SUFFIX.length)
    : undefined
}
