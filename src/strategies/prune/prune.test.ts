// Each prune on conversations of a few lines: what it tells in fewer words, and what it leaves alone.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import type { Edit } from '../../core/edit/change.ts'
import type { EventDraft } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import type { Block, ToolStatus } from '../../core/view/content.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { covered } from '../../core/view/refs.ts'
import { createPrune, PRUNE_NAMES, prune } from './prune.ts'

interface Use {
  readonly tool: string
  readonly with: Json
  readonly gives: string | readonly Block[]
  readonly status?: ToolStatus
  readonly says?: string
}

/** One round for each use; a last round follows, which nothing may touch. */
function talk(uses: readonly Use[]): TestLog {
  const log = new TestLog()
  log.append([{ type: 'USER_MESSAGE', data: 'Repair the parser.' }])
  const last: Use = { tool: 'look', with: {}, gives: 'seen' }
  for (const [at, use] of [...uses, last].entries()) log.append(round(`call_${at}`, use))
  return log
}

function round(id: string, { tool, with: input, gives, status = 'completed', says = '' }: Use) {
  const content = typeof gives === 'string' ? [{ type: 'text', text: gives } as const] : gives
  const drafts: EventDraft[] = [
    { type: 'AGENT_MESSAGE', data: { content: says, calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name: tool, arguments: input, answer: 0 } },
    { type: 'TOOL_RESULT', data: { id, content, status } },
  ]
  return drafts
}

/** The texts of the results, or of what stands in the place of a round, after the named prunes. */
async function pruned(uses: readonly Use[], ...names: string[]): Promise<string[]> {
  const log = talk(uses)
  const { context, eventAt } = log
  const run = { threadId: log.threadId }
  const proposal = await createPrune(names.length > 0 ? names : undefined).propose({
    context,
    eventAt,
    run,
    trigger: 'auto',
  })
  expect(log.compact(proposal, proposal.edits.length > 0 ? 'auto' : 'command')).toBe(undefined)
  return log.context.items.toArray().flatMap(({ id }) => {
    const content = contentOf(id, log.eventAt)
    if (content?.kind === 'answer' && content.calls.length === 0) return [content.answer.content]
    return content?.kind === 'result'
      ? [content.result.content.map(({ text }) => text).join('|')]
      : []
  })
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join('\n')
const code = (count: number) => lines(count, (at) => `const value${at} = compute(${at})`)
const read = (path: string, gives: string, more: object = {}): Use => ({
  tool: 'Read',
  with: { file_path: path, ...more },
  gives,
})
const shell = (command: string, gives: string, status?: ToolStatus): Use => ({
  tool: 'bash',
  with: { command },
  gives,
  ...(status && { status }),
})

const READS: readonly (readonly [string, readonly Use[], readonly (string | RegExp)[]])[] = [
  [
    'the same file again',
    [read('a.ts', code(40)), read('a.ts', code(40))],
    [
      /^\[Lines 1 to 40 of a\.ts, read again later \[ref:e7\]; as they were here: \[ref:e4\]\]$/,
      code(40),
    ],
  ],
  [
    'another spelling of its path, by another tool',
    [read('./src/a.ts', code(40)), shell('cat src/a.ts', code(40))],
    [/read again later/, code(40)],
  ],
  [
    'lines within those that were read later',
    [
      read('a.ts', code(20), { offset: 10, limit: 20 }),
      read('a.ts', code(100), { start_line: 1, end_line: 100 }),
    ],
    [/^\[Lines 10 to 29 of a\.ts/, code(100)],
  ],
  [
    'lines that two later reads have together',
    [
      read('a.ts', code(60), { offset: 1, limit: 60 }),
      read('a.ts', code(40), { view_range: [1, 40] }),
      shell("sed -n '41,80p' a.ts", code(40)),
    ],
    [/^\[Lines 1 to 60/, code(40), code(40)],
  ],
  [
    'other lines, another file, and a read that failed: they stay',
    [
      read('a.ts', code(30), { offset: 100, limit: 30 }),
      read('b.ts', code(30)),
      read('a.ts', code(30), { offset: 1, limit: 30 }),
      { ...read('b.ts', 'no such file'), status: 'failed' },
    ],
    [code(30), code(30), code(30), 'no such file'],
  ],
  [
    'a long file of which the later read showed only the beginning: it stays',
    [read('a.ts', code(30), { offset: 500, limit: 30 }), read('a.ts', code(100))],
    [code(30), code(100)],
  ],
  [
    'a file that was written anew',
    [
      read('a.ts', code(40)),
      { tool: 'Write', with: { file_path: 'a.ts', content: code(9) }, gives: 'ok' },
    ],
    [/written anew later \[ref:e5\]/, 'ok'],
  ],
  [
    'a file that was edited in part: it stays',
    [read('a.ts', code(40)), { tool: 'Edit', with: { file_path: 'a.ts' }, gives: 'ok' }],
    [code(40), 'ok'],
  ],
]

describe('repeated-reads', () => {
  it.each(READS)('%s', (_, uses, wanted) => check(uses, 'repeated-reads', wanted))
})

async function check(uses: readonly Use[], name: string, wanted: readonly (string | RegExp)[]) {
  const found = await pruned(uses, name)
  expect(found.slice(0, -1).length).toBe(wanted.length)
  wanted.forEach((each, at) => {
    if (typeof each === 'string') expect(found[at]).toBe(each)
    else expect(found[at]).toMatch(each)
  })
}

const write = (path: string, content: string, says = ''): Use => ({
  tool: 'write_file',
  with: { path, content },
  gives: 'written',
  says,
})

const WRITES: typeof READS = [
  [
    'a file that was written again',
    [write('a.ts', code(40), 'First try.'), write('a.ts', code(50))],
    [
      /^First try\.\n\[Wrote a\.ts, 40 lines, [\d,]+ characters; written anew later \[ref:e5\]\. What was written here: \[ref:e2\]\]$/,
      'written',
    ],
  ],
  [
    'a file that was read whole',
    [write('a.ts', code(40)), read('a.ts', code(40))],
    [/^\[Wrote a\.ts, 40 lines, .*; read later \[ref:e7\]/, code(40)],
  ],
  [
    'a file of which some lines were read: it stays',
    [write('a.ts', code(40)), read('a.ts', code(5), { limit: 5 })],
    ['written', code(5)],
  ],
  [
    'another file, and a write that failed: they stay',
    [
      write('a.ts', code(40)),
      write('b.ts', code(40)),
      { ...write('a.ts', code(40)), status: 'failed' },
    ],
    ['written', 'written', 'written'],
  ],
]

describe('superseded-writes', () => {
  it.each(WRITES)('%s', (_, uses, wanted) => check(uses, 'superseded-writes', wanted))
})

const failing = (why: string) =>
  `${lines(30, (at) => `building part ${at}`)}\nerror: ${why}\nexit code 1`

const ATTEMPTS: typeof READS = [
  [
    'a command that worked in the end: each complaint once',
    [
      shell('make all', failing('missing semicolon in line 7'), 'failed'),
      shell('make all', failing('missing semicolon in line 9'), 'failed'),
      shell('make all', failing('unknown type Foo'), 'failed'),
      shell('make all', 'ok'),
    ],
    [
      /^\[Failed, and worked later \[ref:e13\]\. The whole: \[ref:e4\]\]$/,
      /^\[Failed, .*\n> error: missing semicolon in line 9$/,
      /\n> error: unknown type Foo$/,
      'ok',
    ],
  ],
  [
    'a command that never worked: it stays',
    [shell('make all', failing('a'), 'failed'), shell('make other', 'ok')],
    [failing('a'), 'ok'],
  ],
]

describe('failed-attempts', () => {
  it.each(ATTEMPTS)('%s', (_, uses, wanted) => check(uses, 'failed-attempts', wanted))
})

const jobs = (done: number) =>
  lines(12, (at) => `job ${at}: ${at <= done ? 'passed' : 'running'} after ${at * done} s`)
const steady = (seconds: number) => lines(12, (at) => `job ${at}: running for ${seconds} s`)

const RESULTS: typeof READS = [
  [
    'the very same output of different calls',
    [shell('git log', code(20)), shell('git log --all', code(20))],
    [/^\[Result of bash: the same again later \[ref:e7\]; here: \[ref:e4\]\]$/, code(20)],
  ],
  [
    'polling: only numbers differ',
    [10, 20, 30].map((seconds) => shell('gh run view', steady(seconds))),
    [/but for numbers the same/, /but for numbers the same/, steady(30)],
  ],
  [
    'polling that tells something new: it stays',
    [1, 2, 3].map((done) => shell('gh run view', jobs(done))),
    [jobs(1), jobs(2), jobs(3)],
  ],
  [
    'two runs of which only numbers differ: they stay',
    [shell('npm run bench', steady(1)), shell('npm run bench', steady(2))],
    [steady(1), steady(2)],
  ],
]

describe('repeated-results', () => {
  it.each(RESULTS)('%s', (_, uses, wanted) => check(uses, 'repeated-results', wanted))
})

const TEXTS: readonly (readonly [string, string, readonly Use[], readonly (string | RegExp)[]])[] =
  [
    [
      'progress',
      'lines that differ in numbers and bars',
      [
        shell(
          'npm install',
          `start\n${lines(40, (at) => `fetch [${'='.repeat(at)}>] ${at} %`)}\nadded 7 packages`,
        ),
      ],
      [
        /^start\nfetch \[=>\] 1 %\n\[… 38 lines like these …\]\nfetch \[={40}>\] 40 %\nadded 7 packages\n\[The whole: \[ref:e4\]\]$/,
      ],
    ],
    [
      'progress',
      'a line that was written over',
      [
        shell(
          'docker pull',
          `${Array.from({ length: 90 }, (_, at) => `layer ${at} %`).join('\r')}\ndone`,
        ),
      ],
      [/^layer 89 %\ndone\n\[The whole/],
    ],
    ['progress', 'a file that was read: it stays', [read('a.ts', code(40))], [code(40)]],
    [
      'listings',
      'a folder: what was named later stays',
      [
        { tool: 'list', with: { path: 'src' }, gives: lines(60, (at) => `src/part${at}.ts`) },
        { ...shell('true', 'x'), says: 'I look at src/part33.ts now.' },
      ],
      [
        /^src\/part1\.ts\n[\s\S]*\[… 26 lines left out …\]\nsrc\/part33\.ts\n\[… 25 lines left out …\]\nsrc\/part59\.ts\nsrc\/part60\.ts\n\[The whole: \[ref:e4\]\]$/,
        'x',
      ],
    ],
    [
      'listings',
      'search hits, by a tool of a server',
      [
        {
          tool: 'mcp__files__grep_search',
          with: { q: 'x' },
          gives: lines(40, (at) => `a${at}.ts:${at}: x = ${at}`),
        },
      ],
      [/\[… 32 lines left out …\]/],
    ],
    ['listings', 'a short folder: it stays', [{ tool: 'ls', with: {}, gives: 'a\nb' }], ['a\nb']],
    [
      'logs',
      'a long output: its ends, what complains, and the ends of a stack',
      [
        shell(
          'npm test',
          [
            lines(50, (at) => `ok test number ${at}`),
            'AssertionError: expected 4 to be 5',
            '    at add (src/sum.ts:3:9)',
            lines(20, (at) => `    at run (node_modules/runner/index.js:${at}:1)`),
            '    at main (bin/test.ts:1:1)',
            lines(50, (at) => `ok again ${at}`),
          ].join('\n'),
          'failed',
        ),
      ],
      [
        /^ok test number 1\n[\s\S]*\[… 42 lines left out …\]\nAssertionError: expected 4 to be 5\n {4}at add \(src\/sum\.ts:3:9\)\n[\s\S]*\n {4}at main \(bin\/test\.ts:1:1\)\n\[… 30 lines left out …\]\nok again 31\n[\s\S]*ok again 50\n\[The whole: \[ref:e4\]\]$/,
      ],
    ],
    [
      'json-rows',
      'a list in JSON: some rows, verbatim',
      [
        {
          tool: 'query',
          with: {},
          gives: `{"rows": [${lines(40, (at) => `{"id": ${at}, "name": "row number ${at}", "big": 12345678901234567890}`).replaceAll('\n', ', ')}], "total": 40}`,
        },
      ],
      [
        /^\{"rows": \[\{"id": 1, "name": "row number 1", "big": 12345678901234567890\}, [\s\S]*\{"id": 3, [\s\S]*\}, "… 37 rows left out …"\], "total": 40\}\n\[The whole: \[ref:e4\]\]$/,
      ],
    ],
    [
      'json-rows',
      'a table: its heading and some rows',
      [
        {
          tool: 'sql',
          with: {},
          gives: `id | name | size of the thing\n${lines(60, (at) => `${at} | name ${at} | ${at * 7} bytes in all`)}`,
        },
      ],
      [
        /^id \| name \| size of the thing\n1 \| name 1 \|[\s\S]*\[… \d+ lines left out …\]\n60 \| name 60 \| 420 bytes in all\n\[The whole/,
      ],
    ],
    [
      'base64',
      'bytes in a text',
      [shell('curl x', `before ${'aB3dE5gH'.repeat(300)} after`)],
      [/^before \[base64, 2,400 characters, ref e4@7\] after\n\[The whole: \[ref:e4\]\]$/],
    ],
    [
      'generated-files',
      'a lock file and a minified one',
      [
        read('app/package-lock.json', code(90)),
        read('out.js', 'x=1;'.repeat(1_000)),
        read('c.ts', code(90)),
      ],
      [
        /^const value1 [\s\S]*of 90 lines, [\d,]+ characters, written by a program\. The whole: \[ref:e4\]\]$/,
        /of 1 lines/,
        code(90),
      ],
    ],
  ]

describe('prunes of texts', () => {
  it.each(TEXTS)('%s: %s', (name, _, uses, wanted) => check(uses, name, wanted))

  it('old-images: all but the newest three become captions', async () => {
    const picture: Block = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
    const shot: Use = { tool: 'screenshot', with: {}, gives: [picture] }
    const found = await pruned([shot, shot, shot, shot, shot], 'old-images')
    expect(found[0]).toMatch(/^\[image image\/png, 9 bytes, ref e4\]$/)
    expect(found[1]).toMatch(/ref e7\]$/)
    expect(found.slice(2, 5)).toEqual(['', '', ''])
  })
})

describe('prune', () => {
  it('never touches the last round or a word of the user', async () => {
    const log = new TestLog()
    log.append([{ type: 'USER_MESSAGE', data: code(80) }])
    log.append(round('a', read('a.ts', code(80))))
    log.append([{ type: 'USER_MESSAGE', data: code(80) }])
    log.append(round('b', read('a.ts', code(80))))
    const before = log.items
    const { context, eventAt } = log
    const run = { threadId: log.threadId }
    const proposal = await prune.propose({ context, eventAt, run, trigger: 'auto' })
    expect(proposal.edits.flatMap(({ covers }) => covers)).toEqual(['e4'])
    expect(log.compact(proposal, 'auto')).toBe(undefined)
    expect(log.items.length).toBe(before.length)
    expect(covered('c9.0', log.eventAt)).toEqual(['e4'])
  })

  it('can be chosen by name, and says which names there are', () => {
    expect(PRUNE_NAMES).toContain('repeated-reads')
    expect(() => createPrune(['no-such'])).toThrow('Unknown prune rule: no-such.')
  })

  it('does nothing the second time', async () => {
    const uses = TEXTS.flatMap(([, , each]) => each)
    const log = talk(uses)
    const again = async () => {
      const { context, eventAt } = log
      const run = { threadId: log.threadId }
      return prune.propose({ context, eventAt, run, trigger: 'auto' })
    }
    expect(log.compact(await again(), 'auto')).toBe(undefined)
    expect((await again()).edits).toEqual([])
  })
})

describe('a read that was cut', () => {
  it('is described by the lines that it showed at first, not by those that are left', async () => {
    const log = talk([read('big.ts', code(400)), read('big.ts', code(400))])
    const cut = `${code(13)}\n[…]\n${code(6)}`
    const data = {
      id: 'call_0',
      content: [{ type: 'text', text: cut }],
      status: 'completed',
    } as const
    const edit = {
      covers: ['e4'],
      put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: 'e4' }],
    }
    expect(log.compact({ edits: [edit as Edit] })).toBeUndefined()
    const { context, eventAt } = log
    const run = { threadId: log.threadId }
    const { edits } = await prune.propose({ context, eventAt, run, trigger: 'auto' })
    expect(JSON.stringify(edits)).toContain('[Lines 1 to 400 of big.ts, read again later [ref:e7]')
  })
})
