// Readable pages in Markdown or as one self-contained HTML file: a context, or a whole transcript. Write
// only.

import type { CompactionData, NewEntry } from '../core/edit/change.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import { escapeSteering } from '../core/text/visible.ts'
import { type Part, type ToolResult, textOfUserContent } from '../core/view/content.ts'
import type { Message, MessagePart } from '../core/view/message.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import type { Exported, View } from './session-format.ts'

export interface PageFormat {
  readonly id: string
  readonly title: string
  write(view: View, title?: string): Exported
  /** With a table of contents. */
  writeSections(sections: readonly Section[], title?: string): Exported
}

export const PAGE_FORMATS: readonly PageFormat[] = [
  {
    id: 'markdown',
    title: 'Markdown',
    write: (view, title) => writeMarkdown(buildSections(view), title),
    writeSections: writeMarkdown,
  },
  {
    id: 'html',
    title: 'HTML page',
    write: (view, title) => writeHtml(buildSections(view), title),
    writeSections: writeHtml,
  },
]

/** One side's text, or an event. */
export interface Section {
  readonly heading: string
  readonly pieces: readonly Piece[]
  /** Its line in the table of contents. */
  readonly contents?: string
}

/** A heading with a text of any length. */
export interface Piece {
  readonly kind: 'said' | 'thought' | 'called' | 'result' | 'note'
  readonly heading?: string
  readonly text: string
}

const TITLE = 'Conversation'

function buildSections({ system, messages }: View): Section[] {
  return [
    ...system.map((text): Section => ({ heading: 'System', pieces: [{ kind: 'note', text }] })),
    ...messages.map((message) => ({
      heading: readAuthor(message),
      pieces: message.parts.map(buildPiece),
    })),
  ]
}

function writeMarkdown(sections: readonly Section[], title = TITLE): Exported {
  const blocks = [`# ${oneLine(title)}`]
  const contents = inContents(sections)
  if (contents.length > 0)
    blocks.push(
      '## Contents',
      contents.map(({ line, id }) => `- [${label(line)}](#${id})`).join('\n'),
    )
  for (const [at, { heading, pieces, contents: listed }] of sections.entries()) {
    if (listed !== undefined) blocks.push(`<a id="${placeId(at)}"></a>`)
    blocks.push(`## ${oneLine(heading)}`)
    for (const { kind, heading: inner, text } of pieces) {
      if (inner !== undefined) blocks.push(`**${oneLine(inner)}**`)
      blocks.push(kind === 'said' ? text : fenced(text))
    }
  }
  return { text: escapeSteering(`${blocks.join('\n\n')}\n`.toWellFormed()), problems: [] }
}

function inContents(sections: readonly Section[]) {
  return sections.flatMap(({ contents }, at) =>
    contents === undefined ? [] : [{ line: oneLine(contents), id: placeId(at) }],
  )
}

function placeId(at: number): string {
  return `s${at + 1}`
}

/** The text of a link, with brackets escaped. */
function label(text: string): string {
  return text.replace(/[\\[\]<>`*_]/g, (sign) => `\\${sign}`)
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function writeHtml(sections: readonly Section[], title = TITLE): Exported {
  const contents = inContents(sections).map(
    ({ line, id }) => `<li><a href="#${id}">${escaped(line)}</a></li>`,
  )
  const list =
    contents.length === 0
      ? ''
      : `<nav>\n<h2>Contents</h2>\n<ol>\n${contents.join('\n')}\n</ol>\n</nav>\n`
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${list}${sections.map(sectionHtml).join('\n')}
</body>
</html>
`
  return { text: escapeSteering(text.toWellFormed()), problems: [] }
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
section{border-top:1px solid #8886;padding:.5rem 0}h2{font-size:1rem;margin:.5rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;margin:.5rem 0}
details pre{font:13px/1.4 ui-monospace,monospace}summary{cursor:pointer;opacity:.7}
@media (prefers-color-scheme:dark){body{background:#181818;color:#ddd}}`

function sectionHtml({ heading, pieces, contents }: Section, at: number): string {
  const id = contents === undefined ? '' : ` id="${placeId(at)}"`
  return `<section${id}>\n<h2>${escaped(heading)}</h2>\n${pieces.map(pieceHtml).join('\n')}\n</section>`
}

function pieceHtml({ kind, heading, text }: Piece): string {
  const words = `<pre>${escaped(text)}</pre>`
  if (kind === 'said') return words
  return `<details><summary>${escaped(heading ?? kind)}</summary>${words}</details>`
}

/** A session's text is data and must not act in the page. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function readAuthor({ role, parts }: Message): string {
  if (role === 'assistant') return 'Assistant'
  return parts.every(({ type }) => type === 'tool_result') ? 'Tools' : 'User'
}

function buildPiece(part: MessagePart): Piece {
  switch (part.type) {
    case 'text':
      return { kind: 'said', text: part.text }
    case 'thinking':
      return { kind: 'thought', heading: 'Thinking', text: part.thinking }
    case 'redacted_thinking':
      return { kind: 'thought', heading: 'Thinking', text: '[sealed by its provider]' }
    case 'tool_call':
      return { kind: 'called', heading: `Call ${part.name}`, text: shown(part.arguments) }
    case 'tool_result': {
      const text = part.content.map((block) => block.text ?? `[${block.type}]`).join('\n')
      const status = part.status === 'completed' ? '' : ` (${part.status})`
      return { kind: 'result', heading: `Result${status}`, text }
    }
    case 'system_reminder':
      return { kind: 'note', heading: 'Reminder', text: part.text }
    case 'checkpoint':
      return { kind: 'note', heading: 'Checkpoint', text: part.id }
    case 'image':
    case 'document': {
      const { title, uri, mimeType, text } = part.media
      return { kind: 'note', heading: part.type, text: text ?? title ?? uri ?? mimeType }
    }
    case 'native':
      return { kind: 'note', heading: `Part of ${part.provider}`, text: shown(part.value) }
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

const CONTENTS_CHARS = 100

/** In log order, including everything compactions removed. */
export function buildTranscript(events: readonly ThreadEvent[]): Section[] {
  const sections: Section[] = []
  for (const event of events) {
    const section = buildSection(event)
    const last = sections.at(-1)
    // Groups calls with their answer, and results together.
    if (section && last && section.contents === undefined && section.heading === last.heading)
      sections[sections.length - 1] = { ...last, pieces: [...last.pieces, ...section.pieces] }
    else if (section) sections.push(section)
  }
  return sections
}

function buildSection(event: ThreadEvent): Section | undefined {
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
      return { heading: 'Assistant', pieces: [buildPiece({ type: 'tool_call', ...event.data })] }
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
  const line = oneLine(text)
  if (!isTyped) return { heading: 'User (written by a program)', pieces }
  return { heading: 'User', pieces, contents: shortened(line) || 'User' }
}

function shortened(line: string): string {
  if (line.length <= CONTENTS_CHARS) return line
  return `${cutHead(line, CONTENTS_CHARS - 1).trimEnd()}…`
}

function said(text: string): Piece {
  return { kind: 'said', text }
}

/** Marks a call: the call itself follows. */
function pieceIn(part: Part): Piece[] {
  return part.type === 'tool_call' ? [] : [buildPiece(part)]
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
