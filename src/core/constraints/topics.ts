// What a sentence is about: its distinctive words, and the values it sets.

const STOP =
  /^(?:the|and|for|from|with|that|this|these|those|what|when|where|which|who|you|your|our|they|them|their|are|was|were|has|have|had|not|never|always|only|must|should|shall|may|can|could|would|will|please|keep|use|using|make|sure|don't|does|doesn't|forget|said|about|after|all|any|every|each|fine|now|again|rule|thing|longer|into|than|then|been|being|just|also|let|let's|under|over|until|before|without|here|there|und|der|die|das|den|dem|nicht|kein|keine|immer|nie|bitte|les|des|une|pas|jamais|toujours|los|las|una|nunca|siempre|não|sempre)$/

/** The topic words of a sentence, without endings. */
export function findTopics(sentence: string): ReadonlySet<string> {
  const topics = new Set<string>()
  for (const [word] of sentence
    .toLowerCase()
    .replace(/\p{Script=Han}/gu, ' $& ') // words are not separated by blanks
    .matchAll(/[\p{L}\d][\p{L}\d_'./-]*[\p{L}\d]|\d|\p{Script=Han}/gu)) {
    const isShort = word.length < 3 && !/\d|\p{Script=Han}/u.test(word)
    if (!isShort && !STOP.test(word)) topics.add(word.replace(/(?<=\w{3})(?:ing|es|s|ed|e)$/, ''))
  }
  return topics
}

/** The number of common topics. */
export function topicsIn(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let common = 0
  for (const each of some) if (others.has(each)) common += 1
  return common
}
