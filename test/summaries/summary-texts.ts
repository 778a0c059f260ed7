// Summaries as a dutiful model writes them: every section, and every marker that it was told of.

import { BRIEF_SECTIONS } from '../../src/strategies/summary/brief.ts'
import { SECTIONS, TURN_SECTIONS } from '../../src/strategies/summary/keep-recent.ts'
import { EIGHT_HEADINGS } from '../../src/strategies/summary/summarizer-prompt.ts'

/** Every word of this form is to survive, wherever it stands. */
const MARKER = /MARK-[A-Z0-9]+/g

export function markersIn(text: string): string[] {
  return [...new Set(text.match(MARKER) ?? [])]
}

/** All sections that the prompt asks for, the first with these words. */
export function sectioned(prompt: string, words = 'as it was'): string {
  const request = prompt.slice(prompt.lastIndexOf('</conversation>') + 1) // not in what is told
  return headingsIn(request)
    .map((title, at) => `## ${title}\n${at === 0 ? words : 'none'}`)
    .join('\n\n')
}

function headingsIn(request: string): readonly string[] {
  if (request.includes('Working state:')) return EIGHT_HEADINGS
  if (request.includes('### Next step')) return BRIEF_SECTIONS
  return request.includes('## Original Request') ? TURN_SECTIONS : SECTIONS
}

/** Keeps every marker that the request holds. */
export function dutiful(prompt: string): string {
  return sectioned(prompt, markersIn(prompt).join(' ') || 'nothing')
}
