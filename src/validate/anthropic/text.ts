// Rules for texts: none blank, no half characters, no prefill if it is not allowed
import { type Report, type Rule, rule } from '../rule.ts'
import { isGiven, textOf } from '../walk.ts'
import { textsAreWellFormed } from '../well-formed.ts'
import { asksForCompaction } from './compaction.ts'
import {
  type Block,
  conversationOf,
  fieldPlace,
  isThinking,
  type Message,
  systemBlocks,
  withNested,
} from './conversation.ts'
import { isPaused } from './server-tools.ts'

const textsAreNotBlank = rule('VALID-A9', (input, report) => {
  for (const block of systemBlocks(input.request)) checkText(block, report)
  for (const { blocks } of conversationOf(input)) {
    for (const block of blocks) {
      for (const each of withNested(block)) checkText(each, report)
    }
  }
})

function checkText(block: Block, report: Report): void {
  const { type, fields, place } = block
  if (type === 'text') {
    const text = textOf(fields.text)
    if (text === undefined) report(fieldPlace(block, 'text'), 'a text block has no text')
    else if (text.trim() === '') report(fieldPlace(block, 'text'), 'the text is blank')
  }
  if (isThinking(block) && isGiven(fields.cache_control)) {
    report(`${place}.cache_control`, 'thinking cannot carry a mark for the cache')
  }
}

const endsAsItMay = rule('VALID-A10', (input, report) => {
  const { request, profile } = input
  const last = conversationOf(input).at(-1)
  if (last?.role !== 'assistant' || asksForCompaction(request) || isPaused(last, input)) return
  if (profile.prefill) checkEnd(last, report)
  else {
    report(last.place, 'the model takes no unfinished answer: the last message must be the user’s')
  }
})

function checkEnd({ blocks }: Message, report: Report): void {
  const last = blocks.at(-1)
  if (last?.type !== 'text') return
  const text = textOf(last.fields.text) ?? ''
  // A blank text is VALID-A9's affair.
  if (text.trim() !== '' && text !== text.trimEnd()) {
    report(fieldPlace(last, 'text'), 'the unfinished answer ends in a blank')
  }
}

export const TEXT_RULES: readonly Rule[] = [textsAreNotBlank, endsAsItMay, textsAreWellFormed]
