// The text a person typed: by event, by part, and without what clients wrap, inject or paste, as one table.
import type { EventOf } from '../log/event.ts'
import { ownTexts, type Part, textOfParts, type UserContent } from './content.ts'

/**
 * The typed texts of a message, in order. In an imported message without a known writer nothing counts as
 * typed.
 */
export function typedTexts(
  event: Pick<EventOf<'USER_MESSAGE'>, 'origin' | 'source' | 'data'>,
): string[] {
  const { origin, source, data } = event
  const isTyped = origin === 'typed' || (origin === undefined && source === undefined)
  return isTyped ? readTypedTexts(data) : []
}

/** Those that can bind: not the parts an interface saw being pasted. */
export function bindingTexts(
  event: Pick<EventOf<'USER_MESSAGE'>, 'origin' | 'source' | 'data'>,
): string[] {
  const { data } = event
  if (typeof data === 'string' || !data.some(isPasted)) return typedTexts(event)
  return data.flatMap((part, at) => {
    if (part.type !== 'text' || isPasted(part)) return []
    const isFenced = FENCE_BEGINS.test(textOfParts(data.slice(Math.max(0, at - 2), at - 1)))
    const text = isFenced ? part.text.replace(FENCE_ENDS, '') : part.text
    return typedTexts({ ...event, data: [{ ...part, text }] })
  })
}

/** A fence typed around a paste: its end, which is a part after the paste, opens no other one. */
const FENCE_BEGINS = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})[^\n`]*\n$/
const FENCE_ENDS = /^\s*(?:`{3,}|~{3,})[ \t]*(?:\n|$)/

function isPasted(part: Part): boolean {
  return part.type === 'text' && part.isPasted === true
}

/** The typed text of user-role content; unmarked pastes are part of it. */
function readTypedTexts(content: UserContent): string[] {
  const own = ownTexts(content)
  const texts = typeof content !== 'string' && content.some(isPasted) ? [own.join('')] : own
  if (texts.some((text) => WHOLE_MESSAGE.test(text))) return []
  return texts.flatMap((text) =>
    findPieces(text).flatMap((piece) => (piece.by === 'person' ? [piece.text] : [])),
  )
}

/** Codex passes another session's record to the agent that approves its actions, in many parts. */
const WHOLE_MESSAGE = /^\s*(?:The following is the Codex agent history|>>> TRANSCRIPT)/

/** A model's plan the user accepted: not a rule, but a request. */
const ACCEPTED_PLAN = 'Implement the following plan:'

export function isAcceptedPlan(content: UserContent): boolean {
  return ownTexts(content).some((text) => text.trimStart().startsWith(ACCEPTED_PLAN))
}

/** True if everything is text and no person typed any of it. */
export function isInjected(content: UserContent): boolean {
  return writtenBy(content) !== 'typed'
}

/** The writer of a user-role message: a person if one typed part of it. */
export function writtenBy(content: UserContent): 'typed' | 'client' | 'tool' | 'model' {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  let first: Exclude<Provenance, 'person'> | undefined
  for (const part of parts) {
    if (part.type !== 'text') return 'typed'
    if (WHOLE_MESSAGE.test(part.text)) return 'client'
    const pieces = part.from ? [{ text: part.text, by: part.from }] : findPieces(part.text)
    for (const { by } of pieces) {
      if (by === 'person') return 'typed'
      first ??= by
    }
  }
  return first ?? 'typed'
}

/** The writer of a text: only what a person typed may bind. */
type Provenance = 'person' | 'client' | 'tool' | 'model'

interface Piece {
  readonly text: string
  readonly by: Provenance
}

interface Opening {
  /** The agents whose sessions contain it. */
  readonly of: string
  readonly by: Exclude<Provenance, 'person'>
  /** `text` patterns match at the start of the text, `line` patterns at each line. */
  readonly at: 'text' | 'line'
  readonly opens: string
  /** The last line with this start ends it; otherwise it extends to the end. */
  readonly ends?: string
}

const OPENINGS: readonly Opening[] = [
  {
    of: 'Claude Code',
    by: 'client',
    at: 'text',
    opens: String.raw`Caveat: The messages below were generated|\[Request interrupted|Base directory for this skill:|\[SYSTEM NOTIFICATION|(?:Stop|Pre\w+|Post\w+|User\w+|Session\w+)(?::\w+)? hook |The user (?:selected the lines \d+ to \d+ from |opened the file (?:[/~\\]|[A-Za-z][\w+.-]*:)[^\n]{0,400} in the IDE)|<!-- `,
  },
  {
    of: 'Claude Code',
    by: 'model',
    at: 'text',
    opens: `This session is being continued from a previous conversation|This is a session continuation summary|${ACCEPTED_PLAN}`,
  },
  {
    of: 'Codex',
    by: 'client',
    at: 'text',
    opens: String.raw`# AGENTS\.md instructions|The following is the Codex agent history|The Codex agent has requested|>>> (?:APPROVAL|TRANSCRIPT)|Planned action JSON:|Reviewed Codex session id:|Assess the exact planned action|Some conversation entries were omitted|</?image(?: name=[^>\n]{0,200})?>\s*(?![\s\S])`,
  },
  {
    of: 'Codex in an editor',
    by: 'client',
    at: 'text',
    opens: '# (?:Context from my IDE setup|Files mentioned by the user):',
    ends: '## My request for Codex:',
  },
  {
    of: 'Codex',
    by: 'model',
    at: 'text',
    opens: 'Another language model started to solve this problem',
  },
  {
    of: 'OpenCode',
    by: 'client',
    at: 'text',
    opens: 'Called the \\w+ tool with the following input:|Continue if you have next steps, ',
  },
  {
    of: 'OpenCode',
    by: 'model',
    at: 'text',
    opens: 'The following tool was executed by the user|Summary of a branch that was left:',
  },
  { of: 'Cline', by: 'model', at: 'text', opens: 'Context summary:\\s*\\n' },
  {
    of: 'Cline',
    by: 'client',
    at: 'text',
    opens: String.raw`\[ERROR\] You did not use|\[TASK RESUMPTION\]|\[Response interrupted`,
  },
  {
    of: 'aider',
    by: 'client',
    at: 'text',
    opens: String.raw`I have \*added these files|Here are summaries of some files|Here are some example`,
  },
  {
    of: 'SWE-agent',
    by: 'client',
    at: 'text',
    opens: 'Here is a demonstration of how to correctly',
  },
  {
    of: 'précis',
    by: 'client',
    at: 'text',
    opens: String.raw`\[Context note, not a (?:new )?request: |Contents of [^\n]{1,400}:\n`,
  },
  {
    of: 'précis, Amp and others',
    by: 'model',
    at: 'text',
    opens:
      '<conversation-summary>|\\[CONVERSATION SUMMARY\\]|The conversation history before this point was compacted |📝 Summary of previous conversation:|<state_snapshot>',
  },
  {
    of: 'Gemini CLI',
    by: 'tool',
    at: 'line',
    opens: '--- Content from referenced files ---',
    ends: '--- End of content ---',
  },
  { of: 'Gemini CLI', by: 'tool', at: 'line', opens: 'Content from @' },
  { of: 'Cline', by: 'tool', at: 'line', opens: String.raw`\[\w[^\n]{0,400}\] Result:` },
  { of: 'aider', by: 'tool', at: 'line', opens: 'I ran this command:|And got this output:' },
  { of: 'pi', by: 'tool', at: 'text', opens: 'The user ran `|Ran `[^`\\n]{1,400}`\\n' },
  {
    of: 'agents that read results as prose (ReAct, SWE-agent)',
    by: 'tool',
    at: 'line',
    opens: String.raw`(?:OBSERVATION|Observation|observation|Tool (?:result|output|response)|TOOL (?:RESULT|OUTPUT)|Function (?:result|output)|Execution (?:result|output)|Command output|STDOUT|STDERR|stdout|stderr)(?: \d+| \([^)\n]{1,80}\)| (?:of|for|from) [^:\n]{1,80})?:`,
  },
  {
    of: 'agents whose client speaks in the place of the user',
    by: 'client',
    at: 'text',
    opens: String.raw`\[(?:SYSTEM|System|[Aa]utomated (?:message|notification|reply))\]`,
  },
  {
    of: 'SWE-agent',
    by: 'tool',
    at: 'text',
    opens: String.raw`Your command ran successfully and did not|\[File: /|Your proposed edit has introduced`,
  },
]

/** Tags that stand around what a client adds, from the first opening to the last closing of the name. */
const CLIENT_TAGS =
  'system-reminder|system_reminder|system-notification|local-command-[a-z]+|command-[a-z]+|bash-input|user-prompt-submit-hook|task-notification|ide_[a-z_]+|ide-[a-z-]+|environment_context|environment_details|user_instructions|INSTRUCTIONS|permissions instructions|recommended_plugins|collaboration_mode|turn_aborted|subagent_notification|user_shell_command|skills?_?[a-z_]*|apps_[a-z_]+|plugins?_[a-z_]+|personality_spec|model_switch|SYSTEM_NOTICE|explicit_instructions|automatic_instructions|task_progress|current_datetime|session_context|additional_context|custom_instructions|todo_status|sql_tables|EXTRA_INFO|REPOSITORY_INFO|REPOSITORY_INSTRUCTIONS|RUNTIME_INFORMATION|repository_memories|project_context|editor_context|open_files|attached_files|attachments?'
const TOOL_TAGS =
  'bash-stdout|bash-stderr|user_shell_command_output|file_content|folder_content|final_file_content|url_content|terminal_output|workspace_diagnostics|git_commit|git_working_state|tool_result|tool_response|tool_output|tool_use_error|function_results?|function_response|search_results?|command_output|returncode|output|observation|stdout|stderr|file|document|documents|web_page|page_content'
/** Names that people write about, too: they count only if a line begins with them. */
const AT_LINE =
  /^(?:output|observation|stdout|stderr|file|documents?|attachments?|skills?_?[a-z_]*)$/

const MARKS = [
  ...OPENINGS.map(({ at, opens }) =>
    at === 'line' ? `(^[ \\t]*(?:${opens}))` : `((?<![\\s\\S])\\s*(?:${opens}))`,
  ),
  `((?<![\`"'\\w])<(${CLIENT_TAGS})(?:\\s[^<>\\n]{0,200})?>)`,
  `((?<![\`"'\\w])<(${TOOL_TAGS})(?:\\s[^<>\\n]{0,200})?>)`,
]
/** Each begins a line or with `<`. Asked first, that spares trying all of them at every character. */
const MARK = new RegExp(`(?:^|(?=<))(?:${MARKS.join('|')})`, 'gmu')

/** Claude Code writes a command that a person typed in two of them. */
const COMMAND_TAG = /^command-(?:name|args)$/

/** Cline puts what a person typed into tags of its own. */
const TYPED_TAG = /^\s*<(task|feedback|user_message|answer)>\n?([\s\S]*?)\n?<\/\1>/

/** Splits a text by who wrote it. The pieces of a client's tags include the tags. */
export function findPieces(text: string): Piece[] {
  const typed = TYPED_TAG.exec(text)
  if (!typed) return splitAt(text)
  return [...splitAt(typed[2] ?? ''), ...splitAt(text.slice(typed[0].length))]
}

function splitAt(text: string): Piece[] {
  const pieces: Piece[] = []
  const add = (piece: Piece) => {
    if (piece.text.trim() !== '') pieces.push(piece)
  }
  let at = 0
  for (let mark = nextMark(text, 0); mark; mark = nextMark(text, at)) {
    add({ text: text.slice(at, mark.start), by: 'person' })
    const { from, to } = mark.inner ?? { from: mark.start, to: mark.end }
    // The name of a command and its arguments are in tags of their own.
    add({ text: `${text.slice(from, to)}${mark.inner ? ' ' : ''}`, by: mark.by })
    at = mark.end
  }
  add({ text: text.slice(at), by: 'person' })
  return pieces
}

interface Mark {
  readonly start: number
  readonly end: number
  readonly by: Provenance
  /** What counts of it, where the tags do not. */
  readonly inner?: { readonly from: number; readonly to: number }
}

function nextMark(text: string, from: number): Mark | undefined {
  MARK.lastIndex = from
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const groups = found.slice(1)
    const which = groups.findIndex((group) => group !== undefined)
    const opening = OPENINGS[which]
    const start = found.index
    if (opening) return { start, end: findEnd(text, start, opening), by: opening.by }
    const isClient = which === OPENINGS.length
    const name = groups[which + 1] ?? ''
    if (AT_LINE.test(name) && !/(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 80), start)))
      continue
    const close = `</${name}>`
    const isCommand = COMMAND_TAG.test(name)
    const last = isCommand ? text.indexOf(close, start) : text.lastIndexOf(close)
    const end = last < start ? text.length : last + close.length
    if (isCommand && last > start) {
      const inner = { from: start + found[0].length, to: last }
      return { start, end, by: 'person', inner }
    }
    return { start, end, by: isClient ? 'client' : 'tool' }
  }
  return undefined
}

function findEnd(text: string, start: number, { ends }: Opening): number {
  const last = ends === undefined ? -1 : text.lastIndexOf(ends)
  return last <= start ? text.length : last + (ends?.length ?? 0)
}
