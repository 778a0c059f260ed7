// What a summary must be before it may replace anything: finished, said, no excuse, and complete.
import type { Edit } from './change.ts'
import { textOfParts, textOfUserContent } from './content.ts'
import { isNewEntry } from './entry.ts'
import type { Refusal } from './refusal.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'
import { isExcuse, saysNothing, withoutHeadings } from './worthless-text.ts'

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
    if (!VISIBLE.test(text)) return EMPTY
  }
  return undefined
}

/** What the agent or the user wrote is taken as it is, as long as there is something to see. */
const VISIBLE = /[^\p{C}\p{Z}]/u

function checkWritten({ text, sections = [] }: WrittenSummary): Refusal | undefined {
  if (saysNothing(withoutHeadings(text))) return EMPTY
  if (isExcuse(text)) return REFUSED
  const headings = headingsIn(text)
  const missing = sections.filter((section) => !headings.has(plain(section)))
  if (missing.length > 0)
    return incomplete(`The summary lacks what was asked for: ${missing.join(', ')}.`)
  // One is enough: a conversation may have had no constraints, but it was about something.
  if (sections.length > 0 && saysNothing(underHeadings(text, sections)))
    return incomplete('The summary has the headings that were asked for, and nothing under them.')
  return undefined
}

function incomplete(message: string): Refusal {
  return { reason: 'summary-incomplete', message }
}

/** All but the headings of the sections; behind a colon, what they say on the same line. */
function underHeadings(text: string, sections: readonly string[]): string {
  const wanted = new Set(sections.map(plain))
  return withoutHeadings(text)
    .split('\n')
    .map((line) => {
      const [heading = '', ...said] = line.split(':')
      return wanted.has(plain(heading)) ? said.join(':') : line
    })
    .join('\n')
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
