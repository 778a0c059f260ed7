// Text of a conversation made harmless as data: it can close no tag, take no turn and name no ref.

/** Tags that prompts, summaries and agents put around things. */
const TAGS =
  /<(?=\s{0,4}\/?\s{0,4}(?:conversation|previous-summary|conversation-summary|summary|turn-prefix|user-messages|read-files|modified-files|system-reminder|system|instructions|checkpoint)\b)/gi
/** The headings under which `serializeConversation` puts what each side said. */
const TURNS =
  /^([ \t]*)\[((?:User|Assistant|Tool result|Earlier summary|Files|Chunk|System)[^\]\n]{0,40})\](?=:)/gim
const REFS = /\[(ref:? ?[ec]\d{1,15}(?:\.\d{1,9})?(?:@\d{1,15})?)\]/gi

/** The same words to a reader; only what would be read as structure is written another way. */
export function asData(text: string): string {
  return text.replace(TAGS, '‹').replace(TURNS, '$1($2)').replace(REFS, '($1)')
}

/** What a model wrote, for the place between tags: no tag of ours ends in it, and no ref begins. */
export function asProse(text: string): string {
  return text.trim().replace(TAGS, '‹').replace(REFS, '($1)')
}
