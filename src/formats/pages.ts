// A context as a page for people: Markdown, or one HTML file that needs nothing else. Written only.
import type { Message, MessagePart } from '../core/view/message.ts'
import type { Exported, View } from './session-format.ts'

export interface PageFormat {
  readonly id: string
  readonly title: string
  write(view: View, title?: string): Exported
}

export const PAGE_FORMATS: readonly PageFormat[] = [
  { id: 'markdown', title: 'Markdown', write: writeMarkdown },
  { id: 'html', title: 'HTML page', write: writeHtml },
]

/** One thing on the page: a heading, and words that may be long. */
interface Piece {
  readonly kind: 'said' | 'thought' | 'called' | 'result' | 'note'
  readonly heading?: string
  readonly text: string
}

const TITLE = 'Conversation'

function writeMarkdown(view: View, title = TITLE): Exported {
  const blocks = [`# ${oneLine(title)}`]
  for (const text of view.system) blocks.push('## System', fenced(text))
  for (const message of view.messages) {
    blocks.push(`## ${readAuthor(message)}`)
    for (const { kind, heading, text } of message.parts.map(findPiece)) {
      if (heading !== undefined) blocks.push(`**${oneLine(heading)}**`)
      blocks.push(kind === 'said' ? text : fenced(text))
    }
  }
  return { text: `${blocks.join('\n\n')}\n`.toWellFormed(), problems: [] }
}

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function writeHtml(view: View, title = TITLE): Exported {
  const system = view.system.map((text) => section('System', [{ kind: 'note', text }]))
  const messages = view.messages.map((message) =>
    section(readAuthor(message), message.parts.map(findPiece)),
  )
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
${[...system, ...messages].join('\n')}
</body>
</html>
`
  return { text: text.toWellFormed(), problems: [] }
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
section{border-top:1px solid #8886;padding:.5rem 0}h2{font-size:1rem;margin:.5rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;margin:.5rem 0}
details pre{font:13px/1.4 ui-monospace,monospace}summary{cursor:pointer;opacity:.7}
@media (prefers-color-scheme:dark){body{background:#181818;color:#ddd}}`

function section(author: string, pieces: readonly Piece[]): string {
  return `<section>\n<h2>${escaped(author)}</h2>\n${pieces.map(pieceHtml).join('\n')}\n</section>`
}

function pieceHtml({ kind, heading, text }: Piece): string {
  const words = `<pre>${escaped(text)}</pre>`
  if (kind === 'said') return words
  return `<details><summary>${escaped(heading ?? kind)}</summary>${words}</details>`
}

/** What a session says is data: nothing of it may act in the page. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function readAuthor({ role, parts }: Message): string {
  if (role === 'assistant') return 'Assistant'
  return parts.every(({ type }) => type === 'tool_result') ? 'Tools' : 'User'
}

function findPiece(part: MessagePart): Piece {
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
