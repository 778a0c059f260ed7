// The ledger over the calls of each agent: files, todo lists, the place, and lines for a brief.
import { describe, expect, it } from 'vitest'
import { done, eventsOf, fates, ledgerOf, ran } from '../../../test/ledger/calls.ts'
import { user } from '../../../test/say.ts'
import type { EventDraft } from '../log/event.ts'
import type { Json } from '../text/json.ts'
import { ledgerReducer } from './ledger.ts'
import { ledgerFiles, ledgerLines } from './ledger-lines.ts'
import { isBelow } from './path-text.ts'

const PATCH = `*** Begin Patch
*** Add File: new.ts
+text
*** Update File: old.ts
@@
-a
+b
*** Update File: from.ts
*** Move to: to.ts
@@
*** Delete File: gone.ts
*** End Patch`

describe('the tools of each agent [NEED-05]', () => {
  const rows: readonly (readonly [
    agent: string,
    name: string,
    input: Json,
    text: string,
    fate: string,
  ])[] = [
    ['Claude Code', 'Read', { file_path: 'a.ts' }, '1\ttext', 'read a.ts'],
    [
      'Claude Code',
      'Write',
      { file_path: 'a.ts', content: 'x' },
      'File created successfully at: a.ts',
      'created a.ts',
    ],
    [
      'Claude Code',
      'Write',
      { file_path: 'a.ts', content: 'x' },
      'The file a.ts has been updated.',
      'modified a.ts',
    ],
    [
      'Claude Code',
      'Edit',
      { file_path: 'a.ts', old_string: 'a', new_string: 'b' },
      'ok',
      'modified a.ts',
    ],
    ['Claude Code', 'MultiEdit', { file_path: 'a.ts', edits: [] }, 'ok', 'modified a.ts'],
    [
      'Claude Code',
      'NotebookEdit',
      { notebook_path: 'a.ipynb', new_source: '' },
      'ok',
      'modified a.ipynb',
    ],
    ['pi', 'read', { path: 'a.ts' }, 'text', 'read a.ts'],
    [
      'pi',
      'write',
      { path: 'a.ts', content: 'x' },
      'Successfully wrote 1 bytes to a.ts',
      'created a.ts',
    ],
    ['pi', 'edit', { path: 'a.ts', oldText: 'a', newText: 'b' }, 'ok', 'modified a.ts'],
    ['pi', 'bash', { command: 'rm a.ts' }, '', 'deleted a.ts'],
    [
      'OpenCode',
      'edit',
      { filePath: 'a.ts', oldString: 'a', newString: 'b' },
      'ok',
      'modified a.ts',
    ],
    ['OpenCode', 'bash', { command: 'rm a.ts', workdir: 'src' }, '', 'deleted src/a.ts'],
    ['Gemini CLI', 'read_file', { absolute_path: '/w/a.ts' }, 'text', 'read /w/a.ts'],
    [
      'Gemini CLI',
      'write_file',
      { file_path: 'a.ts', content: '' },
      'Successfully created and wrote to new file: a.ts.',
      'created a.ts',
    ],
    [
      'Gemini CLI',
      'replace',
      { file_path: 'a.ts', old_string: 'a', new_string: 'b' },
      'ok',
      'modified a.ts',
    ],
    [
      'Gemini CLI',
      'run_shell_command',
      { command: 'rm a.ts', directory: 'src' },
      '',
      'deleted src/a.ts',
    ],
    ['Copilot CLI', 'view', { path: 'a.ts' }, '1. text', 'read a.ts'],
    ['Copilot CLI', 'create', { path: 'a.ts', file_text: '' }, 'Created file a.ts', 'created a.ts'],
    ['Cline', 'write_to_file', { path: 'a.ts', content: '' }, 'ok', 'created a.ts'],
    ['Cline', 'replace_in_file', { path: 'a.ts', diff: '' }, 'ok', 'modified a.ts'],
    ['Cline', 'execute_command', { command: 'rm a.ts' }, '', 'deleted a.ts'],
    ['Cline SDK', 'read_files', { files: [{ path: 'a.ts' }] }, 'text', 'read a.ts'],
    ['Cline SDK', 'editor', { path: 'a.ts', old_text: 'a', new_text: 'b' }, 'ok', 'modified a.ts'],
    ['Cline SDK', 'run_commands', { commands: ['rm a.ts'] }, '', 'deleted a.ts'],
    [
      'OpenHands',
      'str_replace_editor',
      { command: 'create', path: 'a.ts', file_text: '' },
      'New file created',
      'created a.ts',
    ],
    ['OpenHands', 'str_replace_editor', { command: 'view', path: 'a.ts' }, 'text', 'read a.ts'],
    ['OpenHands', 'str_replace_editor', { command: 'insert', path: 'a.ts' }, 'ok', 'modified a.ts'],
    ['OpenHands', 'execute_bash', { command: 'mv a.ts b.ts' }, '', 'renamed a.ts → b.ts'],
    ['SWE-agent', 'open', { path: 'a.ts' }, 'text', 'read a.ts'],
    [
      'SWE-agent',
      'edit',
      { search: 'a', replace: 'b' },
      'Text replaced.\n(Open file: a.ts)\nbash-$',
      'modified a.ts',
    ],
    [
      'Codex',
      'shell',
      { command: ['bash', '-lc', 'cd src && rm a.ts'] },
      'Exit code: 0\nOutput:\n',
      'deleted src/a.ts',
    ],
    [
      'Codex',
      'exec_command',
      { cmd: 'cat a.ts', workdir: 'src' },
      'Process exited with code 0\nOutput:\ntext',
      'read src/a.ts',
    ],
    ['Codex', 'shell', { command: ['rm', 'a file.ts'] }, '', 'deleted a file.ts'],
    ['précis', 'run', { command: 'rm a.ts' }, '[exit code 0]', 'deleted a.ts'],
    [
      'any, by MCP',
      'mcp__fs__move_file',
      { source: 'a.ts', destination: 'b.ts' },
      'ok',
      'renamed a.ts → b.ts',
    ],
    ['any, by MCP', 'mcp__fs__delete_file', { path: 'a.ts' }, 'ok', 'deleted a.ts'],
  ]
  it.each(rows)('%s: %s %j', (_agent, name, input, text, fate) => {
    expect(fates(ledgerOf(...done(name, input, text)))).toEqual([fate])
    expect(
      fates(ledgerOf(...done(name, input, 'Error: it did not work', { status: 'failed' }))),
    ).toEqual([])
  })

  it('reads patches, given as text or as a field', () => {
    const expected = [
      'created new.ts',
      'deleted gone.ts',
      'modified old.ts',
      'renamed from.ts → to.ts',
    ]
    for (const input of [PATCH, { input: PATCH }, { patch: PATCH }])
      expect(fates(ledgerOf(...done('apply_patch', input)))).toEqual(expected)
  })

  it('takes the word of a tool for whether a file is new', () => {
    const written = (isNew: boolean) =>
      ledgerOf(...done('write', { path: 'a.ts', content: '' }, 'done', { metadata: { isNew } }))
    expect(ledgerFiles(written(true))).toMatchObject([{ state: 'created', isSure: true }])
    expect(ledgerFiles(written(false))).toMatchObject([{ state: 'modified', isSure: true }])
    const unsaid = ledgerOf(...done('write', { path: 'a.ts', content: '' }, 'done'))
    expect(ledgerFiles(unsaid)).toMatchObject([{ state: 'created', isSure: false }])
    expect(ledgerLines(unsaid, 9)).toEqual(['created: a.ts (or replaced)'])
  })

  it('reads agents that act in fenced blocks and in notices', () => {
    const acts = (text: string): EventDraft => ({
      type: 'AGENT_MESSAGE',
      data: { content: `So:\n\`\`\`bash\n${text}\n\`\`\``, calls: [] },
    })
    const outcome = (code: number) => user(`<returncode>${code}</returncode>\n<output>\n</output>`)
    expect(fates(ledgerOf(acts('rm a.ts'), outcome(0), acts('rm b.ts'), outcome(1)))).toEqual([
      'deleted a.ts',
    ])
    const raw =
      '> new.ts  \n> Create new file? (Y)es/(N)o [Yes]: y  \n> Applied edit to new.ts  \n> Applied edit to old.ts  \n> Added seen.md to the chat.  \n'
    const notices: EventDraft = {
      type: 'FOREIGN',
      data: { format: 'aider', records: [{ at: 1, raw }] },
    }
    expect(fates(ledgerOf(notices))).toEqual(['created new.ts', 'modified old.ts', 'read seen.md'])
  })
})

describe('anchors [NEED-05]', () => {
  const lists: readonly (readonly [name: string, input: Json])[] = [
    [
      'TodoWrite',
      {
        todos: [
          { content: 'One', status: 'completed' },
          { content: 'Two', status: 'in_progress' },
        ],
      },
    ],
    [
      'todowrite',
      {
        todos: [
          { content: 'One', status: 'completed' },
          { content: 'Two', status: 'in_progress' },
        ],
      },
    ],
    [
      'update_plan',
      {
        plan: [
          { step: 'One', status: 'completed' },
          { step: 'Two', status: 'in_progress' },
        ],
      },
    ],
    [
      'write_todos',
      {
        todos: [
          { description: 'One', status: 'completed' },
          { description: 'Two', status: 'in_progress' },
        ],
      },
    ],
    [
      'task_tracker',
      {
        task_list: [
          { title: 'One', status: 'done' },
          { title: 'Two', status: 'in_progress' },
        ],
      },
    ],
    ['update_todo', { todos: '- [x] One\n- [-] Two' }],
    ['update_plan', { plan: '- [X] One\n* [~] Two' }],
    ['update_todo', { task_progress: '- [x] One\nNext:\n- [-] Two' }],
  ]
  it.each(lists)('%s: the list as last written, replaced, not added to', (name, input) => {
    const ledger = ledgerOf(
      ...done('TodoWrite', { todos: [{ content: 'Old', status: 'pending' }] }),
      ...done(name, input),
    )
    expect(ledger.todos).toEqual([
      { text: 'One', status: 'completed' },
      { text: 'Two', status: 'in_progress' },
    ])
    expect(ledgerLines(ledger, 9)).toEqual(['todo, completed: One', 'todo, in_progress: Two'])
  })

  it('leaves a list out of the lines once nothing is left to do', () => {
    const ledger = ledgerOf(
      ...done('TodoWrite', { todos: [{ content: 'One', status: 'completed' }] }),
    )
    expect(ledger.todos).toHaveLength(1)
    expect(ledgerLines(ledger, 9)).toEqual([])
  })

  it('knows what is in flight, until it is answered or given up', () => {
    const [said, called, answered] = done('Task', { description: 'Look' }, 'done') as [
      EventDraft,
      EventDraft,
      EventDraft,
    ]
    expect(ledgerOf(said, called).calls).toMatchObject([{ name: 'Task', subject: 'Look' }])
    expect(ledgerOf(said, called, answered).calls).toEqual([])
    expect(ledgerOf(said, called, user('Stop.')).calls).toEqual([])
  })

  it('knows what runs in the background, until it is ended', () => {
    const started = done(
      'Bash',
      { command: 'npm run dev' },
      'Command running in background with ID: bash_1',
    )
    expect(ledgerOf(...started).background).toMatchObject([
      { id: 'bash_1', command: 'npm run dev' },
    ])
    expect(
      ledgerOf(...started, ...done('KillShell', { shell_id: 'bash_1' }, 'ok')).background,
    ).toEqual([])
  })

  it('knows by a notice that a command in the background has ended, and how', () => {
    const started = done(
      'Bash',
      { command: 'npm run build' },
      'Command running in background with ID: b7k',
    )
    const notice = (id: string, status: string, code: number) =>
      user(
        `<task-notification>\n<task-id>${id}</task-id>\n<status>${status}</status>\n<summary>Background command "Build" ${status} (exit code ${code})</summary>\n</task-notification>`,
      )
    const ended = ledgerOf(...started, notice('b7k', 'completed', 0))
    expect(ended.background).toEqual([])
    expect(ended.commands).toMatchObject([{ command: 'npm run build', isFailed: false }])
    const failed = ledgerOf(...started, notice('b7k', 'failed', 2))
    expect(failed.errors).toMatchObject([{ subject: 'npm run build' }])
    expect(ledgerOf(...started, notice('b7k', 'killed', 1))).toMatchObject({
      background: [],
      commands: [],
    })
    for (const other of [notice('b8', 'completed', 0), notice('b7k', 'running', 0)])
      expect(ledgerOf(...started, other).background).toHaveLength(1)
  })

  it('knows the folder, the branch and the plan', () => {
    const ledger = ledgerOf(
      { type: 'THREAD_SETTINGS', data: { workspace: '/w' } },
      ...ran('cd src && ls', 'a.ts'),
      ...ran('git commit -m x', '[topic 1a2b3c4] x\n 1 file changed'),
      ...done('Write', { file_path: '/w/.claude/plans/quiet-fox.md', content: '' }, 'ok'),
      ...done('Read', { file_path: '/w/src/a.ts' }, 'text'),
    )
    expect(ledger).toMatchObject({
      root: '/w',
      folder: 'src',
      tree: { branch: 'topic' },
    })
    expect(ledger.planPath).toBe('/w/.claude/plans/quiet-fox.md')
    expect(fates(ledger)).toContain('read src/a.ts')
  })

  it('takes folder and branch from the records of an import', () => {
    const raw = '{"cwd":"/w/sub","gitBranch":"main","message":"\\"cwd\\":\\"/elsewhere\\""}'
    const event: EventDraft = {
      ...user('Hi'),
      source: { format: 'claude-code', records: [{ at: 1, raw }] },
    }
    expect(ledgerOf(event)).toMatchObject({ root: '/w/sub', folder: '', tree: { branch: 'main' } })
  })
})

describe('lines and snapshots', () => {
  it('shows names only as the log has them', () => {
    const ledger = ledgerOf(...ran('cd src && echo x > n.ts'), ...ran('touch ../{p,q}.md'))
    expect(ledgerLines(ledger, 9).filter((line) => line.startsWith('created'))).toEqual([
      'created: n.ts (in src) (or replaced)',
      'created: 2 more',
    ])
  })

  it('keeps to the limit, and lets no kind of line crowd out the others', () => {
    const many = Array.from({ length: 40 }, (_, at) =>
      done('Read', { file_path: `f${at}.ts` }, 'x'),
    ).flat()
    const ledger = ledgerOf(...many, ...ran('npm test', '1 failing', 1))
    for (const limit of [0, 1, 5, 20]) expect(ledgerLines(ledger, limit)).toHaveLength(limit)
    expect(ledgerLines(ledger, 5).some((line) => line.startsWith('tests fail: npm test'))).toBe(
      true,
    )
  })

  it('refuses a snapshot that is none', () => {
    for (const json of [
      null,
      [],
      {},
      { tree: {} },
      { ...(ledgerReducer.encode(ledgerReducer.init()) as object), calls: 1 },
    ])
      expect(() => ledgerReducer.decode(json as Json)).toThrow('a stored ledger cannot be read')
  })

  it('leaves the state it was given as it was', () => {
    const events = eventsOf([...ran('echo x > a.ts'), ...ran('rm a.ts')])
    const states = [ledgerReducer.init()]
    for (const event of events)
      states.push(ledgerReducer.step(states.at(-1) ?? ledgerReducer.init(), event))
    const texts = states.map((state) => JSON.stringify(ledgerReducer.encode(state)))
    events.forEach((event, at) => {
      ledgerReducer.step(states[at] ?? ledgerReducer.init(), event)
      expect(JSON.stringify(ledgerReducer.encode(states[at] ?? ledgerReducer.init()))).toBe(
        texts[at],
      )
    })
  })
})

it.each([
  ['a/b', 'a', true],
  ['ab', 'a', false],
  ['a', 'a', false],
  ['a/b', '', true],
  ['/a', '', false],
  ['../a', '', false],
  ['/a', '/', true],
  ['a', '/', false],
])('%s lies below %j: %s', (path, folder, expected) => {
  expect(isBelow(path, folder)).toBe(expected)
})
