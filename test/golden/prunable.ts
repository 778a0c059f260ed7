// A conversation in which every prune finds something: duplicates, superseded files, long listings, old images.
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { Block, ToolStatus } from '../../src/core/view/content.ts'
import { TestLog } from '../generate/test-log.ts'

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join('\n')

const FILE = lines(60, (at) => `${at}: const value${at} = compute(${at}, 'some text here')`)
const PICTURE: Block = { type: 'image', data: 'iVBORw0KGgo='.repeat(40), mimeType: 'image/png' }

type Use = readonly [
  tool: string,
  input: Json,
  gives: string | readonly Block[],
  status?: ToolStatus,
]

const USES: readonly Use[] = [
  ['Read', { file_path: 'src/a.ts' }, FILE],
  ['Read', { file_path: 'src/a.ts', offset: 10, limit: 20 }, FILE.slice(400, 1_600)],
  ['Write', { file_path: 'src/b.ts', content: FILE }, `wrote\n${FILE}`],
  ['Write', { file_path: 'src/b.ts', content: `${FILE}\nmore` }, `wrote again\n${FILE}`],
  ['Read', { file_path: 'src/a.ts' }, FILE],
  ['Bash', { command: 'npm test' }, lines(80, (at) => `FAIL test ${at}: expected ${at}`), 'failed'],
  ['Bash', { command: 'npm test' }, lines(80, (at) => `FAIL test ${at}: expected ${at}`), 'failed'],
  ['Bash', { command: 'npm test' }, 'Tests  80 passed (80)'],
  ['Edit', { file_path: 'src/a.ts', old_string: 'x' }, 'String to replace not found', 'failed'],
  ['Edit', { file_path: 'src/a.ts', old_string: 'y' }, 'String to replace not found', 'failed'],
  ['Edit', { file_path: 'src/a.ts', old_string: 'const value1' }, 'The file has been updated'],
  [
    'Read',
    { file_path: 'package-lock.json' },
    lines(200, (at) => `"dep-${at}": { "version": "1" }`),
  ],
  ['Read', { file_path: 'dist/app.min.js' }, 'var a=1;'.repeat(400)],
  [
    'Bash',
    { command: 'cat logo.b64' },
    `logo\n${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0'.repeat(60)}`,
  ],
  ['screenshot', {}, [PICTURE]],
  ['screenshot', {}, [{ type: 'text', text: 'the page' }, PICTURE]],
  ['screenshot', {}, [PICTURE]],
  ['screenshot', {}, [PICTURE]],
  ['screenshot', {}, [PICTURE]],
  [
    'query',
    { sql: 'select *' },
    JSON.stringify(Array.from({ length: 80 }, (_, id) => ({ id, name: `row ${id}`, ok: id % 7 }))),
  ],
  [
    'query',
    { sql: 'select more' },
    JSON.stringify({ total: 60, rows: Array.from({ length: 60 }, (_, id) => [id, `r"${id}`]) }),
  ],
  ['Bash', { command: 'find .' }, lines(150, (at) => `./src/module${at % 12}/file${at}.ts`)],
  ['Glob', { pattern: '**' }, lines(120, (at) => `/repo/src/module${at % 9}/file${at}.ts`)],
  [
    'Bash',
    { command: 'node server.js' },
    lines(120, (at) =>
      at % 40 === 0
        ? `2026-01-01T10:00:${at} ERROR failed to open file${at}.ts`
        : `2026-01-01T10:00:${at} INFO handled request ${at} in ${at * 3} ms`,
    ),
  ],
  [
    'Bash',
    { command: 'npm ci' },
    `start\n${lines(40, (at) => `[${at}/40] Fetching package ${at}…`)}\ndone\n${lines(30, (at) => `${at * 3}% |####|`)}`,
  ],
]

export function prunable(): TestLog {
  const log = new TestLog()
  log.append([{ type: 'USER_MESSAGE', data: 'Repair src/a.ts. Never touch file40.ts.' }])
  const last: Use = ['look', {}, 'seen']
  for (const [at, use] of [...USES, last].entries()) log.append(round(`call_${at}`, use))
  return log
}

function round(id: string, [name, input, gives, status = 'completed']: Use): EventDraft[] {
  const content = typeof gives === 'string' ? [{ type: 'text', text: gives } as const] : gives
  return [
    { type: 'AGENT_MESSAGE', data: { content: `I use ${name}.`, calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name, arguments: input, answer: 0 } },
    { type: 'TOOL_RESULT', data: { id, content, status } },
  ]
}
