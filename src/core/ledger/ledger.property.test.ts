// Whatever the log holds: no failure, the same state from the start, from a snapshot and step by step, bounded.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { done, eventsOf, ledgerOf, ran } from '../../../test/ledger/calls.ts'
import { runs } from '../../../test/scale.ts'
import type { EventDraft, ThreadEvent } from '../log/event.ts'
import type { Json } from '../text/json.ts'
import type { ToolStatus } from '../view/content.ts'
import { ledgerReducer } from './ledger.ts'
import { ledgerFiles, ledgerLines } from './ledger-lines.ts'
import type { Ledger } from './records.ts'

const WORDS = [
  ...'a.ts b.md src/c.ts "with space.txt" missing.ts * src/*.ts {x,y}.ts $F .. / ~'.split(
    / (?=\S)/,
  ),
  ...'cat rm mv cp touch sed tee echo mkdir cd git bash -c -i -n -rf -p -m s/a/b/ npm test'.split(
    ' ',
  ),
  ...'add commit checkout restore stash pop reset --hard switch -c main status rm -- . -A'.split(
    ' ',
  ),
  ...'&& || ; | > >> < << 2>&1 ( ) { } for in do done if then fi case esac F=a.ts \n EOF <<EOF'.split(
    ' ',
  ),
  ...[
    '"',
    "'",
    '`',
    '$(',
    '\\',
    '\0',
    '\u001b[31m',
    '\ud800',
    '日本語.ts',
    '#',
    '!',
    '[[',
    '*** Add File: ',
  ],
]
const commandText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.constantFrom(...WORDS), { maxLength: 14 })
      .map((words) => words.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)
const NAMES =
  'Bash run bash shell exec_command Read read Write write Edit edit apply_patch TodoWrite update_plan str_replace_editor list glob KillShell other'.split(
    ' ',
  )
const outputText = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    ' M a.ts\n?? b.ts',
    'On branch main\nnothing to commit',
    'a.ts\nsrc/c.ts\n',
    "rm: cannot remove 'a.ts': No",
    'Exit code 1\nx',
    '1 failed, 2 passed in 1s',
    '(Open file: a.ts)',
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
)
const input: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 4,
    arbitrary: commandText.map(
      (command): Json => ({ command, path: command.slice(0, 20), file_path: 'a.ts' }),
    ),
  },
  { weight: 1, arbitrary: commandText.map((text): Json => text) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((json) => json as Json) },
)
const statuses: readonly ToolStatus[] = [
  'completed',
  'completed',
  'completed',
  'failed',
  'aborted',
  'denied',
]
const exchange = fc
  .tuple(fc.constantFrom(...NAMES), input, outputText, fc.constantFrom(...statuses))
  .map(([name, value, text, status]) => done(name, value, text, { status }))
const log: fc.Arbitrary<ThreadEvent[]> = fc
  .array(exchange, { maxLength: 30 })
  .map((drafts) => eventsOf(drafts.flat()))

function stored(ledger: Ledger): string {
  return JSON.stringify(ledgerReducer.encode(ledger))
}

function restored(ledger: Ledger): Ledger {
  return ledgerReducer.decode(JSON.parse(stored(ledger)))
}

function replay(events: readonly ThreadEvent[], from = ledgerReducer.init()): Ledger {
  return events.reduce((ledger, event) => ledgerReducer.step(ledger, event), from)
}

describe('the ledger as a reducer', () => {
  it('never fails, and says the same from a snapshot as from the start', () => {
    fc.assert(
      fc.property(log, fc.nat(), (events, cut) => {
        const at = events.length === 0 ? 0 : cut % events.length
        const whole = replay(events)
        expect(stored(replay(events))).toBe(stored(whole))
        expect(stored(replay(events.slice(at), restored(replay(events.slice(0, at)))))).toBe(
          stored(whole),
        )
        expect(ledgerLines(restored(whole), 50)).toEqual(ledgerLines(whole, 50))
      }),
      runs(400),
    )
  })

  it('names no file that stands nowhere in the log', () => {
    fc.assert(
      fc.property(log, (events) => {
        const source = events.map(({ data }) => readTexts(data as Json)).join('\n')
        for (const { name, folder, fromName } of ledgerFiles(replay(events)))
          for (const word of [name, folder ?? '', fromName ?? '']) {
            const isThere = source.includes(word) || word === '~' // where `cd` alone leads
            if (!isThere) expect.fail(`${JSON.stringify(word)} is not in the log`)
          }
      }),
      runs(400),
    )
  })

  it('stays bounded, however long the log and however large its parts', () => {
    const drafts: EventDraft[] = []
    for (let at = 0; at < 6_000; at += 1)
      drafts.push(
        ...done('Write', { file_path: `folder${at % 50}/${'x'.repeat(40)}${at}.ts` }, 'ok'),
      )
    for (let at = 0; at < 300; at += 1)
      drafts.push(...ran(`node script${at}.js && npm test -- ${at}`, 'bad', 1))
    const ledger = ledgerOf(...drafts)
    expect(ledger.tree.files.size).toBeLessThanOrEqual(4_000)
    expect(ledgerFiles(ledger)[0]?.path).toContain('5999')
    const lists = [ledger.calls, ledger.commands, ledger.tests, ledger.errors, ledger.unclear]
    for (const list of lists) expect(list.length).toBeLessThanOrEqual(100)
    expect(stored(ledger).length).toBeLessThan(2_000_000)
  })

  const large: readonly (readonly [what: string, command: string])[] = [
    ['a command of 3 MB', `echo ${'x '.repeat(1_500_000)}`],
    ['a here-document of 900 kB', `cat > a.ts <<'EOF'\n${'text\n'.repeat(180_000)}EOF`],
    ['one word of 900 kB', `cat ${'x'.repeat(900_000)}`],
    ['quotes in quotes', `echo ${'"\'$('.repeat(100_000)}`],
    ['loops in loops', `${'for x in a b c d; do '.repeat(1_000)}rm $x`],
    ['braces', `touch ${'{a,b}'.repeat(50_000)}`],
    ['many redirections', 'echo x > a.ts '.repeat(20_000)],
    ['many commands', 'rm a.ts; '.repeat(50_000)],
  ]
  it.each(large)('reads %s without keeping it', (_what, command) => {
    const [said, called] = done('Bash', { command }, 'x') as [EventDraft, EventDraft, EventDraft]
    expect(stored(ledgerOf(said, called)).length).toBeLessThan(500_000)
    expect(stored(ledgerOf(...ran(command, 'y'.repeat(500_000)))).length).toBeLessThan(500_000)
  })
})

/** Every text in a value, as it is. */
function readTexts(json: Json): string {
  if (typeof json === 'string') return json
  if (typeof json !== 'object' || json === null) return ''
  return Object.entries(json)
    .map(([key, value]) => `${key}\n${readTexts(value)}`)
    .join('\n')
}
