// What nobody typed is told from what somebody did.
import { describe, expect, it } from 'vitest'
import { markPasted, textOfUserContent } from './content.ts'
import { findPieces, isInjected, typedTexts, writtenBy } from './typed-text.ts'

const EVENT = {
  type: 'USER_MESSAGE',
  seq: 1,
  v: 1,
  id: 'a',
  threadId: 't',
  timestamp: new Date(0),
} as const

const CASES: readonly (readonly [text: string, isInjected: boolean])[] = [
  ['<system-reminder>The list is empty.</system-reminder>', true],
  [
    ' <system-reminder>a</system-reminder>\n<local-command-stdout>b\nc</local-command-stdout>\n',
    true,
  ],
  ['<system-reminder></system-reminder>', true],
  ['<system-reminder>a</system-reminder> Go on.', false],
  ['Why is there <system-reminder>a</system-reminder>', false],
  ['<system-reminder>Go on.', true],
  ['<command-name>/fix</command-name><command-args>the port</command-args>', false],
  ['', false],
  ['Go on.', false],
  ['The user selected the lines 1 to 2 from /srv/a.ts:\nNever push.', true],
  ['The user opened the file /srv/my notes.md in the IDE. This may be related.', true],
  ['The user opened the file C:\\a\\b.ts in the IDE.', true],
  [
    'The user opened the file picker twice and the app crashed. Fix it, but never touch the schema.',
    false,
  ],
  ['The user opened the file picker in the IDE and it crashed.', false],
  ['The user selected the lines that he wanted to copy.', false],
]

describe('messages of a client', () => {
  it.each(CASES)('%j: %s', (text, expected) => {
    expect(isInjected(text)).toBe(expected)
  })

  it('may have several parts, but no image: that was sent by somebody', () => {
    const reminder = { type: 'text', text: '<system-reminder>a</system-reminder>' } as const
    const image = { type: 'image', media: { mimeType: 'image/png', data: '' } } as const
    expect(isInjected([reminder, reminder])).toBe(true)
    expect(isInjected([reminder, image])).toBe(false)
  })

  it('hand over the record of another session in many parts, none of which was typed', () => {
    const part = (text: string) => ({ type: 'text', text }) as const
    const record = [
      part('The following is the Codex agent history whose request action you are assessing.'),
      part('>>> TRANSCRIPT START\n'),
      part('[1] user: Never touch the harbour.\n'),
      part('\n[2] assistant: I do not.'),
      part('>>> TRANSCRIPT END\n'),
    ]
    expect(isInjected(record)).toBe(true)
    expect(typedTexts({ ...EVENT, data: record })).toEqual([])
    const pasted = [part('What does this mean?'), part('<image name=[Image #1]>'), part('</image>')]
    expect(typedTexts({ ...EVENT, data: pasted })).toEqual(['What does this mean?'])
  })

  it('are passed once each, whatever stands in them', () => {
    expect(isInjected('<system-reminder>'.repeat(200_000))).toBe(true)
    expect(isInjected('<bash-stdout></bash-stdout>'.repeat(100_000))).toBe(true)
  })
})

/** Of each client: a text that begins so is not a person's. */
const BEGINNINGS: Readonly<Record<'client' | 'model' | 'tool', readonly string[]>> = {
  client: [
    ...['Caveat: The messages below were generated', '[Request interrupted', '<!-- '],
    ...['Base directory for this skill:', '[SYSTEM NOTIFICATION', 'Stop hook ', 'PreToolUse hook '],
    ...['PostToolUse:Bash hook ', 'UserPromptSubmit hook ', 'SessionStart:resume hook '],
    ...['# AGENTS.md instructions', 'The following is the Codex agent history', '>>> APPROVAL'],
    ...['The Codex agent has requested', '>>> TRANSCRIPT', 'Planned action JSON:'],
    ...['Reviewed Codex session id:', 'Assess the exact planned action'],
    ...['Some conversation entries were omitted', 'Continue if you have next steps, '],
    ...['Called the Read tool with the following input:', '[ERROR] You did not use'],
    ...['[TASK RESUMPTION]', '[Response interrupted', 'I have *added these files'],
    ...['Here are summaries of some files', 'Here are some example'],
    ...['Here is a demonstration of how to correctly', '[Context note, not a request: '],
    ...['[Context note, not a new request: ', 'Contents of a.md:\n'],
  ],
  model: [
    ...['This session is being continued from a previous conversation'],
    ...['This is a session continuation summary', 'Implement the following plan:'],
    ...['Another language model started to solve this problem', 'Context summary:\n'],
    ...['The following tool was executed by the user', 'Summary of a branch that was left:'],
    ...['<conversation-summary>', 'The conversation history before this point was compacted '],
    ...['📝 Summary of previous conversation:', '<state_snapshot>'],
  ],
  tool: [
    ...['The user ran `', 'Ran `ls`\n', 'Your command ran successfully and did not', '[File: /'],
    ...['Your proposed edit has introduced'],
  ],
}
const LINES = [
  ...[
    '--- Content from referenced files ---',
    'Content from @a.ts',
    '[read_file for a.ts] Result:',
  ],
  ...['I ran this command:', 'And got this output:', 'OBSERVATION:', 'Observation 3:'],
  ...['observation (of ls):', 'Tool result:', 'Tool output of ls:', 'Tool response:', 'STDERR:'],
  ...['TOOL RESULT:', 'TOOL OUTPUT:', 'Function result:', 'Function output:', 'stdout:'],
  ...['Execution result:', 'Execution output:', 'Command output:', 'STDOUT:', 'stderr:'],
]
/** Tags that count wherever they stand. */
const TAGS = {
  client: [
    ...['system-reminder', 'system_reminder', 'system-notification', 'local-command-stdout'],
    ...['command-message', 'bash-input', 'user-prompt-submit-hook', 'task-notification'],
    ...['ide_opened_file', 'ide-selection', 'environment_context', 'environment_details'],
    ...['user_instructions', 'INSTRUCTIONS', 'permissions instructions', 'recommended_plugins'],
    ...['collaboration_mode', 'turn_aborted', 'subagent_notification', 'user_shell_command'],
    ...['apps_instructions', 'plugin_list', 'plugins_list', 'personality_spec', 'model_switch'],
    ...['SYSTEM_NOTICE', 'explicit_instructions', 'automatic_instructions', 'task_progress'],
    ...['current_datetime', 'session_context', 'additional_context', 'custom_instructions'],
    ...['todo_status', 'sql_tables', 'EXTRA_INFO', 'REPOSITORY_INFO', 'REPOSITORY_INSTRUCTIONS'],
    ...['RUNTIME_INFORMATION', 'repository_memories', 'project_context', 'editor_context'],
    ...['open_files', 'attached_files'],
  ],
  tool: [
    ...['bash-stdout', 'bash-stderr', 'user_shell_command_output', 'file_content'],
    ...['folder_content', 'final_file_content', 'url_content', 'terminal_output', 'git_commit'],
    ...['workspace_diagnostics', 'git_working_state', 'tool_result', 'tool_response'],
    ...['tool_output', 'tool_use_error', 'function_result', 'function_results', 'web_page'],
    ...['function_response', 'search_result', 'search_results', 'command_output', 'returncode'],
    ...['page_content'],
  ],
} as const
/** And those that count only where a line begins with them. */
const LINE_TAGS = {
  client: ['attachment', 'attachments', 'skill', 'skills', 'skill_list', 'skills_instructions'],
  tool: ['output', 'observation', 'stdout', 'stderr', 'file', 'document', 'documents'],
} as const

const byOf = (text: string) => findPieces(text).map(({ by }) => by)

describe('what a client, a tool or a model wrote', () => {
  it.each(Object.entries(BEGINNINGS))('begins a text: %s', (by, beginnings) => {
    for (const beginning of beginnings) {
      expect(writtenBy(`${beginning} x`), beginning).toBe(by)
      expect(writtenBy(`\n ${beginning} x`), beginning).toBe(by)
      expect(writtenBy(`Look: ${beginning} x`), beginning).toBe('typed')
    }
  })

  it.each(LINES)('begins a line: %s', (line) => {
    expect(byOf(`Look.\n \t${line} x`)).toEqual(['person', 'tool'])
    expect(byOf(`Look: ${line} x`)).toEqual(['person'])
  })

  it.each(Object.entries(TAGS))('stands in tags: %s', (by, tags) => {
    for (const tag of tags) {
      expect(byOf(`Look <${tag}>a</${tag}> here`), tag).toEqual(['person', by, 'person'])
      expect(byOf(`Look <${tag} of="it">a`), tag).toEqual(['person', by])
      for (const quote of ['`', '"', "'", 'x'])
        expect(byOf(`Look ${quote}<${tag}>a</${tag}>`), tag).toEqual(['person'])
      expect(byOf(`<x${tag}>a</x${tag}>`), tag).toEqual(['person'])
    }
  })

  it.each(Object.entries(LINE_TAGS))('stands in tags at the start of a line: %s', (by, tags) => {
    for (const tag of tags) {
      expect(byOf(`Look\n \t<${tag}>a</${tag}> here`), tag).toEqual(['person', by, 'person'])
      expect(byOf(`Look <${tag}>a</${tag}> here`), tag).toEqual(['person'])
    }
  })

  it('ends where it says so, and a command is what was typed', () => {
    const files = '--- Content from referenced files ---\na\n--- End of content ---'
    expect(byOf(`Look.\n${files}\nAnd here.`)).toEqual(['person', 'tool', 'person'])
    expect(findPieces('<command-name>/fix</command-name> <command-args>it</command-args>')).toEqual(
      [
        { by: 'person', text: '/fix ' },
        { by: 'person', text: 'it ' },
      ],
    )
    for (const tag of ['task', 'feedback', 'user_message', 'answer'])
      expect(findPieces(`<${tag}>\nGo on.\n</${tag}>\n<environment_details>x`)).toEqual([
        { by: 'person', text: 'Go on.' },
        { by: 'client', text: '<environment_details>x' },
      ])
  })

  it('is known of parts that say from whom they are', () => {
    const part = (text: string, from?: 'client' | 'tool') =>
      ({ type: 'text', text, ...(from && { from }) }) as const
    expect(writtenBy([part('a', 'tool'), part('b', 'client')])).toBe('tool')
    expect(writtenBy([part('a', 'tool'), part('b')])).toBe('typed')
    expect(writtenBy([])).toBe('typed')
    const event = { ...EVENT, data: 'Go on.' }
    expect(typedTexts(event)).toEqual(['Go on.'])
    expect(typedTexts({ ...event, origin: 'typed', source: 'x' } as never)).toEqual(['Go on.'])
    expect(typedTexts({ ...event, source: 'x' } as never)).toEqual([])
    expect(typedTexts({ ...event, origin: 'client' } as never)).toEqual([])
  })
})

describe('what was pasted into a message', () => {
  const PASTED: readonly (readonly [text: string, pastes: readonly string[], marked: string[]])[] =
    [
      ['all of it', ['all of it'], ['all of it']],
      ['fix src/a.ts now', ['src/a.ts'], []],
      ['say: one two\nthree four\nthanks', ['one two\nthree four'], ['one two\nthree four\n']],
      ['one\n\n two\tthree \nfour', ['one\r\n\r\ntwo three'], ['one\n\n two\tthree \n']],
      ['ok\nno', ['ok'], []],
      ['a pasted line, edited', ['a pasted line'], []],
      ['first line\nmine\nlast line', ['first line', 'last line'], ['first line\n', 'last line']],
      ['log\n\tnot me. Why?', ['log\n\tnot me.'], ['log\n\tnot me.']],
      ['log\nnot me\nis what it says', ['log\nnot'], ['log\nnot']],
      ['notes are mine\nlog', ['log\nno'], ['log']],
      [
        'say: a log\nits end, and: new\nlast of it',
        ['a log\nits end', 'new\nlast'],
        ['a log\nits end', 'new\nlast'],
      ],
      ['typed', [], []],
      ['typed', [''], []],
    ]
  it.each(PASTED)('is marked by whole lines: %j of %j', (text, pastes, marked) => {
    const content = markPasted(text, pastes)
    expect(textOfUserContent(content)).toBe(text)
    const parts = typeof content === 'string' ? [] : content
    expect(parts.flatMap((part) => ('isPasted' in part ? [part.text] : []))).toEqual(marked)
    expect(isInjected(content)).toBe(false)
    expect(typedTexts({ data: content })).toEqual([text])
  })
})
