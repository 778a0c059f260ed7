// Each command once as a process of its own: its exit code, and what comes out of a real pipe.
import { beforeEach, describe, expect, it } from 'vitest'
import { COMMAND_TABLE } from '../../src/cli/command-table.ts'
import { eachPlace, messages } from './place.ts'

const place = eachPlace()
let thread = ''
beforeEach(async () => {
  place().write('in.json', messages())
  const [imported] = await place().json<{ threadId: string }[]>(['import', 'in.json'])
  thread = imported?.threadId ?? ''
})

/** They run until they are stopped, or say what they do on both streams; these files start them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  chat: 'test/tui/plain.test.ts',
  'dev-model': 'test/docs/readme.test.ts',
  send: 'src/cli/send.test.ts',
  serve: 'test/server/serve.test.ts',
}

interface Smoke {
  readonly name: string
  readonly args: () => readonly string[]
  readonly out: RegExp
  readonly input?: string
  readonly before?: readonly (readonly string[])[]
}

const IN_PLACE = ['compact', 'in.json', '--strategy', 'trim-tool-results', '--in-place']

const COMMANDS: readonly Smoke[] = [
  {
    name: 'compact',
    args: () => ['-', '--strategy', 'trim-tool-results', '--out', '-'],
    input: messages(),
    out: /^\{[\s\S]*results truncated to save space[\s\S]*\}\s*$/,
  },
  { name: 'inspect', args: () => ['in.json'], out: /By kind\n/ },
  { name: 'import', args: () => ['in.json'], out: /^thr_\w+ {2}in\.json \(anthropic\)$/m },
  { name: 'export', args: () => [thread, '--to', 'markdown'], out: /line 399 of a long result/ },
  { name: 'threads', args: () => [], out: /^thr_\w+ .* events {2}go\n$/ },
  { name: 'diff', args: () => ['in.json', 'in.json'], out: /0 out, 0 in/ },
  { name: 'undo', args: () => ['in.json'], out: /is again what it was before/, before: [IN_PLACE] },
  {
    name: 'redo',
    args: () => ['in.json'],
    out: /^in\.json is again compacted/,
    before: [IN_PLACE, ['undo', 'in.json']],
  },
  { name: 'fork', args: () => [thread], out: /^thr_\w+\n$/ },
  { name: 'pins', args: () => [thread, '--add', 'Never push.'], out: /Never push\. user\n$/ },
  { name: 'recall', args: () => ['long', 'result'], out: /found in one thread, best first/ },
  { name: 'show', args: () => [`${thread}:e2`], out: /^go\n$/ },
  { name: 'token', args: () => ['add', 'ada'], out: /^precis_\S{43}\n$/ },
  { name: 'check', args: () => ['in.json', '--provider', 'anthropic'], out: /Every rule is kept/ },
  {
    name: 'store',
    args: () => ['check'],
    out: /^1 threads with \d+ events[\s\S]*nothing is wrong/,
  },
  { name: 'config', args: () => [], out: /^strategy +\S+ +default/m },
  { name: 'doctor', args: () => [], out: /Nothing is wrong\./ },
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
  it.each(COMMANDS)('precis $name', async ({ name, args, out, input = '', before = [] }) => {
    for (const earlier of before) await place().json(earlier)
    const { status, stdout, stderr } = place().spawned([name, ...args()], { input })
    expect(stdout).toMatch(out)
    expect({ status, ...(input === '' && name !== 'token' && { stderr }) }).toMatchObject({
      status: 0,
    })
  })

  it('runs every command that there is', () => {
    const known = [...COMMANDS.map(({ name }) => name), ...Object.keys(ELSEWHERE)]
    expect(known.toSorted()).toEqual(COMMAND_TABLE.map(({ name }) => name).toSorted())
  })
})
