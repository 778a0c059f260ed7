// Claude Code's attachments to a prompt, approximately as the model sees them.
import type { Json } from '../../core/text/json.ts'
import { type Fields, fieldsIn, listIn, textIn } from '../reading/raw.ts'

/** Log entries, or what the client repeats in every session: tools, agents and skills. */
const LOG_ONLY: ReadonlySet<unknown> = new Set([
  'deferred_tools_delta',
  'agent_listing_delta',
  'skill_listing',
  'mcp_instructions_delta',
  'hook_success',
  'hook_system_message',
  'async_hook_response',
  'command_permissions',
  'auto_mode',
])

/** The exact text is not in the file. Undefined: nothing was sent, or it is unknown. */
export function attachedText(attachment: Fields): string | undefined {
  if (LOG_ONLY.has(attachment.type)) return undefined
  const path = textIn(attachment.displayPath) ?? textIn(attachment.filename) ?? 'a file'
  switch (attachment.type) {
    case 'file':
    case 'already_read_file': {
      const text = textIn(fieldsIn(fieldsIn(attachment.content).file).content)
      return text === undefined ? undefined : `Contents of ${path}:\n${text}`
    }
    case 'edited_text_file': {
      const snippet = textIn(attachment.snippet)
      return snippet === undefined ? undefined : `${path} was changed:\n${snippet}`
    }
    case 'compact_file_reference':
      return `${path} was read before the compaction; read it again if it is needed.`
    case 'date_change':
      return textIn(attachment.newDate) && `The date is now ${textIn(attachment.newDate)}.`
    case 'invoked_skills':
      return joined(listIn(attachment.skills).map((skill) => textIn(fieldsIn(skill).content)))
    default:
      return (
        textIn(attachment.content) ||
        joined([
          ...texts(attachment.content),
          ...texts(attachment.addedLines),
          ...texts(attachment.addedBlocks),
        ])
      )
  }
}

/** User text that waited while the model was busy. */
export function queuedPrompt(attachment: Fields): string | undefined {
  if (attachment.type !== 'queued_command') return undefined
  const { prompt } = attachment
  if (typeof prompt === 'string') return prompt
  return joined(listIn(prompt).map((block) => textIn(fieldsIn(block).text)))
}

/** Its author: the client queues its own notices in the same way. */
export function queuedBy({ commandMode, origin }: Fields): 'typed' | 'client' {
  const kind = textIn(fieldsIn(origin).kind)
  const isTyped =
    (commandMode === undefined || commandMode === 'prompt') && (kind ?? 'human') === 'human'
  return isTyped ? 'typed' : 'client'
}

/** A sub-agent's prompt was written by the model that started it. */
const HUMAN: ReadonlySet<string> = new Set(['human', 'typed', 'sdk'])

export function writtenBy(line: Fields): 'typed' | 'client' | 'model' {
  if (line.isSidechain === true) return 'model'
  const kind = textIn(fieldsIn(line.origin).kind) ?? textIn(line.promptSource)
  // `sdk` marks the prompt of `claude -p`: its author is the user.
  const isHuman = kind === undefined || HUMAN.has(kind)
  if (isHuman) return 'typed'
  return kind === 'suggestion_accepted' ? 'model' : 'client'
}

function texts(value: Json | undefined): (string | undefined)[] {
  return listIn(value).map((item) => {
    if (typeof item === 'string') return item
    const { subject, content, status } = fieldsIn(item)
    const words = textIn(content) ?? textIn(subject)
    return words === undefined ? undefined : [textIn(status), words].filter(Boolean).join(': ')
  })
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined && part !== '')
  return known.length === 0 ? undefined : known.join('\n')
}
