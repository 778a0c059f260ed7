// What a compaction writes is sound: every session, for every target, and what the providers' rules say of it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentAs } from '../../src/cli/check/check-format.ts'
import { checkDocument } from '../../src/cli/check/check-report.ts'
import { findTarget } from '../../src/cli/check/check-wires.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { cascade } from '../../src/strategies/ladder/ladder.ts'
import { trimToolResults } from '../../src/strategies/trim.ts'
import { corpusFiles, FORMAT_OF } from '../corpus/files.ts'
import { formatOf, type Opened, openText, outgoingOf, writing } from '../formats/session.ts'
import { requirement } from '../require.ts'
import { ROOT } from './place.ts'

/** The targets that a provider's rules are about. */
const WIRES = ['anthropic', 'openai-chat', 'openai-responses'] as const

/** One that rewrites single results, and the default with a budget: in a long session, a digest. */
const WAYS = [
  { strategy: trimToolResults },
  { strategy: cascade, targetTokens: 20_000, pinning: { detect: true, patterns: [] } },
] as const

async function checkCompacted(text: string): Promise<void> {
  for (const { strategy, ...options } of WAYS) {
    const opened = await openText(text)
    const outcome = await opened.threads.compact(opened.threadId, strategy, {
      trigger: 'command',
      ...options,
    })
    expect(outcome.committed).toBe(true)
    await checkTargets(opened)
  }
}

/** Read again without a remark that something could not be read; then what would be sent is judged. */
async function checkTargets(opened: Opened): Promise<void> {
  const outgoing = await outgoingOf(opened)
  if (outgoing.view.messages.length === 0) return
  for (const format of SESSION_FORMATS) {
    const written = format.write?.(outgoing, writing())
    if (!written) continue
    const again = await openText(written.text, format)
    expect(
      again.notes.problems.filter((problem) => problem.includes('cannot')),
      format.id,
    ).toEqual([])
    const own = WIRES.find((each) => each === format.id)
    if (own) expect(brokenIn(written.text, own), format.id).toEqual([])
    else
      for (const wire of WIRES) {
        const sent = formatOf(wire).write?.({ view: again.view }, writing())
        expect(brokenIn(sent?.text ?? '', wire), `${format.id} for ${wire}`).toEqual([])
      }
  }
}

/** A session has no model and no tools around it: only what is in the messages counts. */
function brokenIn(text: string, wire: (typeof WIRES)[number]) {
  const document = documentAs(wire, JSON.parse(text))
  const { violations } = checkDocument(document, wire, findTarget(wire, wire))
  return violations.filter(({ where }) => /^(?:messages|input)\[/.test(where))
}

const samples = [
  'session.json',
  'session.jsonl',
  ...readdirSync(join(ROOT, 'samples/sessions')).map((file) => `sessions/${file}`),
]

describe('the compacted samples [NEED-20]', () => {
  it.each(samples)('%s passes the check for every target', async (file) => {
    await checkCompacted(readFileSync(join(ROOT, 'samples', file), 'utf8'))
  })
})

const { available, notice } = requirement('corpus')
/** Megabytes, read back from every format: more than the usual limit where other work runs beside it. */
const TIMEOUT_MS = 600_000

describe.skipIf(!available)(`the compacted recorded sessions ${notice}`, () => {
  for (const { folder, name, read } of corpusFiles(Object.keys(FORMAT_OF)))
    it(
      `${folder}/${name} passes the check for every target [NEED-20]`,
      async () => {
        await checkCompacted(read())
      },
      TIMEOUT_MS,
    )
})
