// What a summary must be before it may replace anything: finished, said, no excuse, and complete.
import type { Edit } from './change.ts'
import { textOfParts, textOfUserContent } from './content.ts'
import { isNewEntry } from './entry.ts'
import type { Refusal } from './refusal.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'

export function checkSummary(proposal: Proposal, edits: readonly Edit[]): Refusal | undefined {
  return (
    checkEnd(proposal) ??
    checkEntries(edits) ??
    (proposal.written ?? []).map(checkWritten).find((refusal) => refusal !== undefined)
  )
}

function checkEnd({ stopReason }: Proposal): Refusal | undefined {
  switch (stopReason) {
    case 'length':
      return { reason: 'summary-cut-off', message: 'The summary was cut off at the output limit.' }
    case 'refusal':
      return REFUSED
    case 'error':
    case 'aborted':
      return { reason: 'summary-failed', message: 'The summary ended with an error.' }
    case 'tool_use':
      return {
        reason: 'summary-failed',
        message: 'The model called a tool instead of writing a summary.',
      }
    default:
      return undefined
  }
}

const REFUSED: Refusal = {
  reason: 'summary-refused',
  message: 'The model refused to write the summary.',
}
const EMPTY: Refusal = { reason: 'summary-empty', message: 'The summary is empty.' }

function checkEntries(edits: readonly Edit[]): Refusal | undefined {
  for (const put of edits.flatMap((edit) => edit.put)) {
    if (!isNewEntry(put) || (put.label !== 'summary' && put.label !== 'brief')) continue
    const text =
      put.type === 'USER_MESSAGE'
        ? textOfUserContent(put.data)
        : put.type === 'AGENT_MESSAGE'
          ? put.data.content || textOfParts(put.data.parts ?? [])
          : ''
    if (text.trim() === '') return EMPTY
  }
  return undefined
}

function checkWritten({ text, sections = [] }: WrittenSummary): Refusal | undefined {
  if (text.trim() === '') return EMPTY
  if (looksRefused(text)) return REFUSED
  const headings = headingsIn(text)
  const missing = sections.filter((section) => !headings.has(plain(section)))
  if (missing.length === 0) return undefined
  return {
    reason: 'summary-incomplete',
    message: `The summary lacks what was asked for: ${missing.join(', ')}.`,
  }
}

/** A refusal is short. A long text that begins with an apology has something to say. */
const LONGEST_REFUSAL_CHARS = 600
const NOT_WILLING =
  /^\W{0,3}(?:unfortunately,? |(?:i['’]?m|i am) (?:very |so )?sorry\b[^\n]{0,20}?(?:but )?|sorry,? (?:but )?|i apologi[sz]e[^\n]{0,20}?(?:but )?)*(?:i (?:can(?:no|['’])t|can not|won['’]t|will not|must decline)|(?:i['’]m|i am) (?:unable|not able)|as an ai\b)/i
const OF_THE_TASK =
  /\b(?:help|assist|summar|provide|comply|continue|complete|fulfil|request|that|this)/i
const NOTHING_THERE =
  /^\W{0,3}(?:i (?:do not|don['’]t) see (?:any|a)|there (?:is|was) no|no|please (?:provide|share)(?: me)?(?: with)?(?: the| a)?) (?:prior |previous )?(?:conversation|messages|history|transcript)/i

const TO_SUMMARISE = /summar|provid|shar|giv/i

/** Some models refuse in words and end as if they had answered; kept, that would be all that is known. */
function looksRefused(text: string): boolean {
  const said = text.trim()
  if (said.length > LONGEST_REFUSAL_CHARS || /^#{1,6} /m.test(said)) return false
  return (
    (NOT_WILLING.test(said) && OF_THE_TASK.test(said)) ||
    (NOTHING_THERE.test(said) && TO_SUMMARISE.test(said))
  )
}

/** The beginnings of lines that may be headings, however they are marked. */
function headingsIn(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').map((line) => plain(line.split(':', 1)[0] ?? '')))
}

function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/^[\s#*_\d.)-]+|[\s*_:#]+$/g, '')
    .replaceAll('&', 'and')
}
