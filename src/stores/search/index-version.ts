// By which rules a search index was made. Alone in its file: database threads load it, and not the rules.

/**
 * Raised whenever words, kinds, files or owners are made in another way: what an older program indexed is
 * then indexed anew at the next search. A newer index is good enough for an older program.
 */
export const INDEX_VERSION = 3
/** Since which version owners are made as they are now. */
export const OWNER_VERSION = 3
