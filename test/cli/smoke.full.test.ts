// Each command once as a process of its own: its exit code, and what comes out of a real pipe.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND_TABLE } from '../../src/cli/main.ts'
import { messages, Place, sample } from './place.ts'

let place: Place
let thread = ''
beforeAll(async () => {
  place = new Place()
  place.write('in.json', messages())
  place.write('replaced.json', messages())
  const [imported] = await place.json<{ threadId: string }[]>(['import', 'in.json'])
  thread = imported?.threadId ?? ''
  const trim = ['--strategy', 'trim-tool-results', '--in-place']
  await place.json(['compact', 'replaced.json', ...trim])
})
afterAll(() => place.remove())

/** They run until they are stopped, or say what they do on both streams; these files start them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  chat: 'test/tui/plain.full.test.ts',
  'dev-model': 'test/docs/readme.full.test.ts',
  hook: 'test/cli/install.test.ts',
  mcp: 'test/cli/mcp.full.test.ts',
  send: 'src/cli/threads/send.test.ts',
  serve: 'test/server/serve.full.test.ts',
}

interface Smoke {
  readonly name: string
  readonly args: () => readonly string[]
  readonly out: RegExp
  readonly err?: RegExp // without it, nothing may be there
  readonly input?: string
}

/** In this order: what is undone is redone. */
const COMMANDS: readonly Smoke[] = [
  {
    name: 'compact',
    args: () => ['-', '--strategy', 'trim-tool-results', '--out', '-'],
    input: messages(),
    out: /^\{[\s\S]*results truncated to save space[\s\S]*\}\s*$/,
    err: /trim-tool-results 1 entry/,
  },
  { name: 'inspect', args: () => ['in.json'], out: /By kind\n/ },
  { name: 'import', args: () => ['in.json'], out: /^thr_\w+ {2}in\.json$/m },
  {
    name: 'export',
    args: () => [thread, '--to', 'markdown'],
    out: /line 399 of a long result/,
    err: /4 messages written as markdown/,
  },
  { name: 'sessions', args: () => ['.'], out: /^in +anthropic /m },
  { name: 'sync', args: () => [], out: /^0 sessions: 0 new/ },
  { name: 'install', args: () => ['pi'], out: /✓ pi +installed/ },
  { name: 'uninstall', args: () => ['pi'], out: /✓ pi +uninstalled/ },
  {
    name: 'handoff',
    args: () => ['in.json', '--to', 'codex'],
    out: /Continue it in this directory: codex resume \S+/,
  },
  { name: 'exam', args: () => [sample('session.json')], out: /^ *cascade .*\d\.\d\d$/m },
  { name: 'threads', args: () => [], out: /^thr_\w+ .* tokens .*go$/m },
  { name: 'diff', args: () => ['in.json', 'in.json'], out: /0 out, 0 in/ },
  { name: 'undo', args: () => ['replaced.json'], out: /is restored/ },
  { name: 'redo', args: () => ['replaced.json'], out: /is again compacted with trim/ },
  { name: 'fork', args: () => [thread], out: /^thr_\w+\n$/ },
  { name: 'pins', args: () => [thread, '--add', 'Never push.'], out: /Never push\. user\n$/ },
  { name: 'recall', args: () => ['long', 'result'], out: /^The best 1 found in .*, best first/ },
  { name: 'show', args: () => [`${thread}:e3`], out: /^\[e3 user, .*\]\s+go\n$/ },
  {
    name: 'token',
    args: () => ['add', 'ada'],
    out: /^precis_\S{43}\n$/,
    err: /^Save it: it is not shown again/,
  },
  {
    name: 'check',
    args: () => [sample('session.json'), '--provider', 'anthropic'],
    out: /Every rule is kept/,
  },
  {
    name: 'store',
    args: () => ['check'],
    out: /^\d+ threads? with \d+ events[\s\S]*nothing is wrong/,
  },
  { name: 'config', args: () => [], out: /^strategy +\S+ +default/m },
  { name: 'doctor', args: () => [], out: /No problems, \d+ notes\./ },
  { name: 'completion', args: () => ['bash'], out: /complete .*precis/ },
  { name: 'start', args: () => [], out: /^This is the sample session/ },
  {
    name: 'edl',
    args: () => ['-', '--root', '.'],
    input: 'newfile made.md\ninsert_after "made"\n',
    out: /made\.md {2}created/,
  },
]

describe('as a process', () => {
  it.each(COMMANDS)('precis $name', ({ name, args, out, err = /^$/, input = '' }) => {
    const { status, stdout, stderr } = place.spawned([name, ...args()], { input })
    expect(stdout).toMatch(out)
    expect(stderr).toMatch(err)
    expect(status).toBe(0)
  })

  it('runs every command that there is', () => {
    const known = [...COMMANDS.map(({ name }) => name), ...Object.keys(ELSEWHERE)]
    expect(known.toSorted()).toEqual(COMMAND_TABLE.map(([name]) => name).toSorted())
  })
})
