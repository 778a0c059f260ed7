// A log as the sections of a page: everything that was said and done, and what each compaction did
import type { CompactionData, NewEntry } from '../core/edit/change.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import { type Part, type ToolResult, textOfUserContent } from '../core/view/content.ts'
import { type Piece, pieceOf, type Section } from './pages.ts'

const CONTENTS_CHARS = 100

/** In the order of the log: nothing that a compaction took out of the context is missing. */
export function transcriptOf(events: readonly ThreadEvent[]): Section[] {
  const sections: Section[] = []
  for (const event of events) {
    const section = sectionOf(event)
    const last = sections.at(-1)
    // Calls stand with their answer, results with each other.
    if (section && last && section.contents === undefined && section.heading === last.heading)
      sections[sections.length - 1] = { ...last, pieces: [...last.pieces, ...section.pieces] }
    else if (section) sections.push(section)
  }
  return sections
}

function sectionOf(event: ThreadEvent): Section | undefined {
  switch (event.type) {
    case 'SYSTEM_PROMPT':
      return { heading: 'System', pieces: [{ kind: 'note', text: event.data }] }
    case 'USER_MESSAGE':
      return userSection(event.data, event.origin === 'typed' || event.origin === undefined)
    case 'AGENT_MESSAGE': {
      const { parts, content } = event.data
      const pieces = parts ? parts.flatMap(pieceIn) : content === '' ? [] : [said(content)]
      return { heading: 'Assistant', pieces }
    }
    case 'TOOL_CALL':
      return { heading: 'Assistant', pieces: [pieceOf({ type: 'tool_call', ...event.data })] }
    case 'TOOL_RESULT':
      return { heading: 'Tools', pieces: [resultPiece(event.data)] }
    case 'SYSTEM_REMINDER':
      return {
        heading: 'System',
        pieces: [{ kind: 'note', heading: 'Reminder', text: event.data }],
      }
    case 'COMPACTION':
      return compactionSection(event.data, event.seq)
    case 'COMPACTION_UNDONE':
      return { heading: 'Compaction undone', pieces: [], contents: 'Compaction undone' }
    default:
      return undefined
  }
}

function userSection(data: Parameters<typeof textOfUserContent>[0], isTyped: boolean): Section {
  const text = textOfUserContent(data)
  const pieces = typeof data === 'string' ? [said(data)] : data.flatMap(pieceIn)
  const line = text.replace(/\s+/g, ' ').trim().slice(0, CONTENTS_CHARS)
  if (!isTyped) return { heading: 'User (written by a program)', pieces }
  return { heading: 'User', pieces, contents: line || 'User' }
}

function said(text: string): Piece {
  return { kind: 'said', text }
}

/** The place of a call: the call itself follows. */
function pieceIn(part: Part): Piece[] {
  return part.type === 'tool_call' ? [] : [pieceOf(part)]
}

function resultPiece({ content, status }: ToolResult): Piece {
  const text = content.map((block) => block.text ?? `[${block.type}]`).join('\n')
  return { kind: 'result', heading: `Result${status === 'completed' ? '' : ` (${status})`}`, text }
}

function compactionSection(
  { strategyId, trigger, edits, ...data }: CompactionData,
  seq: number,
): Section {
  const { originalEventCount: before, compactedEventCount: after } = data
  const put = edits.flatMap((edit) => edit.put).filter((each): each is NewEntry => 'type' in each)
  const heading = `Compaction by ${trigger === 'import' ? 'the agent' : strategyId}`
  const facts = `From here on the model saw ${after} entries in place of ${before} (event ${seq}). The page continues with everything.`
  const texts = put.flatMap((entry) => textOfEntry(entry) || [])
  return {
    heading,
    contents: heading,
    pieces: [
      { kind: 'said', text: facts },
      ...texts.map((text): Piece => ({ kind: 'note', heading: 'Put in their place', text })),
    ],
  }
}

function textOfEntry(entry: NewEntry): string {
  if (entry.type === 'USER_MESSAGE') return textOfUserContent(entry.data)
  if (entry.type === 'SYSTEM_REMINDER') return entry.data
  if (entry.type === 'AGENT_MESSAGE') return entry.data.content
  return entry.data.content.map((block) => block.text ?? '').join('\n')
}
