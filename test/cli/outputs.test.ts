// What a compaction writes is sound: every session, for every target, and what the providers' rules say of it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkDocument } from '../../src/cli/check-document.ts'
import { documentAs } from '../../src/cli/check-format.ts'
import { targetOf } from '../../src/cli/check-wires.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { trimToolResults } from '../../src/strategies/trim-tool-results.ts'
import { type Opened, openText, outgoingOf, writing } from '../formats/session.ts'
import { CORPUS, requirement } from '../require.ts'
import { ROOT } from './place.ts'

/** The targets that a provider's rules are about. */
const WIRES = ['anthropic', 'openai-chat', 'openai-responses'] as const

async function compacted(text: string): Promise<Opened> {
  const opened = await openText(text)
  const outcome = await opened.threads.compact(opened.threadId, trimToolResults, {
    trigger: 'command',
  })
  expect(outcome.committed).toBe(true)
  return opened
}

/** Read again without a remark that something could not be read; for the wires, by their rules as well. */
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
    const wire = WIRES.find((each) => each === format.id)
    if (wire === undefined) continue
    const document = documentAs(wire, JSON.parse(written.text))
    const { violations } = checkDocument(document, wire, targetOf(wire, wire))
    // A session has no model and no tools around it: only what is in the messages counts.
    const inside = violations.filter(({ where }) => /^(?:messages|input)\[/.test(where))
    expect(inside, format.id).toEqual([])
  }
}

const samples = [
  'session.json',
  'session.jsonl',
  ...readdirSync(join(ROOT, 'samples/sessions')).map((file) => `sessions/${file}`),
]

describe('the compacted samples [NEED-20]', () => {
  it.each(samples)('%s passes the check for every target', async (file) => {
    await checkTargets(await compacted(readFileSync(join(ROOT, 'samples', file), 'utf8')))
  })
})

const { available, notice } = requirement('corpus')
/** The folders with sessions; others hold single records, and files of other programs. */
const FOLDERS = available
  ? readdirSync(CORPUS).filter((name) => !/LICENSES|README|schema-coverage/.test(name))
  : []

describe.skipIf(!available)(`the compacted recorded sessions ${notice}`, () => {
  for (const name of FOLDERS)
    for (const file of readdirSync(join(CORPUS, name)))
      it(`${name}/${file} passes the check for every target [NEED-20]`, async () => {
        await checkTargets(await compacted(readFileSync(join(CORPUS, name, file), 'utf8')))
      })
})
