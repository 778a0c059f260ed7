// Golden: the ledger of the samples, of a table of shell commands and of the tools of many agents.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { findPins } from '../../src/core/edit/detected-pins.ts'
import { ledgerReducer } from '../../src/core/ledger/ledger.ts'
import { ledgerFiles, ledgerLines } from '../../src/core/ledger/ledger-lines.ts'
import type { Ledger } from '../../src/core/ledger/records.ts'
import { testSummary } from '../../src/core/ledger/test-runner.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Json } from '../../src/core/text/json.ts'
import { done, ledgerOf, ran } from '../ledger/calls.ts'
import { expectGolden } from './golden.ts'
import { COMMANDS, OUTPUTS, TALKS, TOOL_CALLS } from './ledger-cases.ts'
import { openSample, SAMPLES } from './subjects.ts'

const START = ran(
  'find . -type f',
  './a.ts\n./b.ts\n./c.md\n./src/d.ts\n./src/e.ts\n./with space.md\n./src/deep/f.ts\n./package.json',
)

/** The lines of a brief, and what they leave out of each file. */
function told(ledger: Ledger) {
  return {
    lines: ledgerLines(ledger, 60),
    files: ledgerFiles(ledger).map(({ name: _, state: __, fromName: ___, ...file }) =>
      Object.values(file).join(' '),
    ),
  }
}

describe('the ledger', () => {
  it.each(SAMPLES)('tells what became of the sample %s', async (name) => {
    const { log } = await openSample(name)
    const states: Ledger[] = []
    for (const event of log.events)
      states.push(ledgerReducer.step(states.at(-1) ?? ledgerReducer.init(), event))
    const at = (share: number) => states[Math.floor((states.length - 1) * share)] as Ledger
    const end = at(1)
    const read = ledgerReducer.decode(JSON.parse(JSON.stringify(ledgerReducer.encode(end))))
    await expectGolden(`ledger-sample-${name}`, {
      third: ledgerLines(at(1 / 3), 25),
      half: ledgerLines(at(0.5), 12),
      end: told(read),
      few: ledgerLines(end, 7),
      encoded: ledgerReducer.encode(end),
      pins: findPins(
        log.context,
        log.eventAt,
        { pins: [], released: [] },
        { detect: true, patterns: ['*test*'] },
      ),
    })
  })

  it('follows shell commands', async () => {
    const rows = COMMANDS.map(([command, output = '', exitCode = 0]) => {
      const ledger = ledgerOf(...START, ...ran(command, output, exitCode))
      return { command, output, exitCode, ...told(ledger) }
    })
    await expectGolden('ledger-commands', rows)
  })

  it('follows one session of commands', async () => {
    const drafts = COMMANDS.flatMap(([command, output, exitCode]) => ran(command, output, exitCode))
    await expectGolden('ledger-session', told(ledgerOf(...START, ...drafts)))
  })

  it('follows the tools of many agents', async () => {
    const rows = TOOL_CALLS.flatMap(([names, input, output, status]) =>
      names.split(' ').map((name) => {
        const ledger = ledgerOf(...START, ...done(name, input as Json, output, { status }))
        return { name, input, output, status, ...told(ledger) }
      }),
    )
    await expectGolden('ledger-tools', rows)
  })

  it('follows agents that act by text', async () => {
    const rows = TALKS.map((talk) => {
      const drafts = talk.map(
        (text, at): EventDraft =>
          at % 2 === 0
            ? { type: 'AGENT_MESSAGE', data: { content: text, calls: [] } }
            : { type: 'USER_MESSAGE', data: text },
      )
      return { talk, ...told(ledgerOf(...START, ...drafts)) }
    })
    await expectGolden('ledger-talks', rows)
  })

  it('reads what test runners print', async () => {
    const folder = new URL('../texts/', import.meta.url)
    const logs = readdirSync(folder).filter((name) => name.startsWith('log-'))
    const texts = [...OUTPUTS, ...logs.map((name) => readFileSync(new URL(name, folder), 'utf8'))]
    await expectGolden(
      'ledger-test-runs',
      texts.map((text) => ({ text, ...testSummary(text) })),
    )
  })
})
