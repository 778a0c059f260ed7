// The ladder on random threads: what every context that it leaves must hold, for every provider.
import { describe, expect, it } from 'vitest'
import { expectAccepted } from '../../../test/flows/accepted.ts'
import type { TestLog } from '../../../test/generate/test-log.ts'
import { type Generated, generateThread, grow } from '../../../test/generate/thread.ts'
import { seeds } from '../../../test/scale.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { irreducibleOf } from '../../core/edit/irreducible.ts'
import { pinnedText, pinsReducer } from '../../core/edit/pins.ts'
import type { Proposal } from '../../core/edit/strategy.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { findRoot, newEntryAt } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { isSaidByUser } from '../../core/view/last-request.ts'
import { covered } from '../../core/view/refs.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { cascade } from './ladder.ts'

const SEEDS = seeds(50, 12)
const STEPS = 24

async function forAll(check: (generated: Generated) => Promise<void>): Promise<void> {
  for (const seed of SEEDS)
    try {
      await check(generateThread(seed, STEPS))
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
}

const warnings: string[] = []

/** Undefined where nothing can get it below the target. */
async function propose(log: TestLog, targetTokens: number): Promise<Proposal | undefined> {
  const pins = reducedBy(log.state, pinsReducer)
  const { context, eventAt, reduce } = log
  const run = { threadId: log.threadId, onWarning: (message: string) => warnings.push(message) }
  const input = { context, eventAt, run, trigger: 'auto', targetTokens, pins, reduce } as const
  try {
    return await cascade.propose(input)
  } catch (error) {
    const found = irreducibleOf(error)
    if (!found) throw error
    expect(found.budget).toBe(targetTokens)
    expect(found.floor).toBeGreaterThan(targetTokens)
    expect(found.biggest.length).toBeGreaterThan(0)
    return undefined
  }
}

function targetFor({ log, random }: Generated): number {
  return Math.max(1, Math.floor(weightOf(log.context) * random.pick([0.05, 0.1, 0.25, 0.5, 0.8])))
}

/** Commits a compaction to a random target; undefined where there was none to commit. */
async function compacted(generated: Generated): Promise<{ targetTokens: number } | undefined> {
  const { log } = generated
  const targetTokens = targetFor(generated)
  const proposal = await propose(log, targetTokens)
  if (!proposal || proposal.edits.length === 0) return undefined
  const gated = log.gate(proposal, 'auto', log.context.version, targetTokens)
  if (!gated.ok) throw new Error(`${gated.refusal.reason}: ${gated.refusal.message}`)
  expect(log.compact(proposal, 'auto', log.context.version, targetTokens)).toBe(undefined)
  return { targetTokens }
}

function newestSaid({ context, eventAt }: TestLog): string | undefined {
  const item = context.items.toArray().findLast((each) => isSaidByUser(each, eventAt))
  const content = item && contentOf(item.id, eventAt)
  return content?.kind === 'user' ? textOfUserContent(content.content) : undefined
}

describe('cascade on any thread', () => {
  it('is within the target and passes the gate, or is irreducible [NEED-01, VALID-K3]', async () => {
    const seen = { committed: 0, irreducible: 0 }
    await forAll(async (generated) => {
      const done = await compacted(generated)
      if (!done) seen.irreducible += 1
      else {
        seen.committed += 1
        expect(weightOf(generated.log.context)).toBeLessThanOrEqual(done.targetTokens)
      }
    })
    expect(seen.committed).toBeGreaterThan(SEEDS.length / 3)
    // An earlier rung may say that it cannot; none may break.
    expect(warnings.filter((message) => !message.includes('must stay takes'))).toEqual([])
  })

  it('gives the same bytes for the same thread [VALID-K8]', async () => {
    await forAll(async (generated) => {
      const target = targetFor(generated)
      const [one, other] = [
        await propose(generated.log, target),
        await propose(generated.log, target),
      ]
      expect(JSON.stringify(one)).toBe(JSON.stringify(other))
    })
  })

  it('leaves a request that every provider accepts', async () => {
    await forAll(async (generated) => {
      if (await compacted(generated)) expectAccepted(generated.log)
    })
  })

  it('keeps pins, the open round, and what stays as it was, in order [VALID-K4, VALID-K5, VALID-K7, VALID-K10]', async () => {
    await forAll(async (generated) => {
      const { log } = generated
      const before = log.context.items.toArray()
      const { open } = log.context
      const pins = reducedBy(log.state, pinsReducer)
      if (!(await compacted(generated))) return
      const after = log.context.items.toArray()
      const kept = new Set(after.map(({ id }) => id))
      for (const id of pins.flatMap(({ entries = [] }) => entries))
        if (before.some((item) => item.id === id)) expect(kept).toContain(id)
      const text = pinnedText(pins)
      if (text !== undefined && before.length > 0 && !onlyRewrites(log))
        expect(texts(log)).toContain(text)
      // Also where results are only rewritten, as long as there is a message of the user to put them before.
      if (after.some(({ kind }) => kind === 'user'))
        for (const { text: pinned = '' } of pins) expect(texts(log).join('\n')).toContain(pinned)
      expect(log.context.open).toEqual(open)
      // What stands there under its old name is the very same row, and the order is the old one.
      const places = new Map(before.map((item, at) => [item.id, at]))
      const old = after.flatMap(({ id }) => places.get(rewrittenBy(id, log)) ?? [])
      expect(old).toEqual(old.toSorted((a, b) => a - b))
    })
  })

  it('keeps what the user said last, word for word, and says nothing as the user after it [VALID-K1, VALID-K2]', async () => {
    let whole = 0
    await forAll(async (generated) => {
      const { log } = generated
      const said = newestSaid(log)
      const done = await compacted(generated)
      if (!done || said === undefined) return
      const now = newestSaid(log)
      // Where only its images are more than fits, their captions follow; else head and tail of it stay.
      if (now?.startsWith(said.toWellFormed())) whole += 1
      else expect(now).toContain('characters left out: [ref:e')
      const items = log.context.items.toArray()
      const at = items.findLastIndex((item) => isSaidByUser(item, log.eventAt))
      for (const item of items.slice(at + 1)) {
        const content = contentOf(item.id, log.eventAt)
        if (content?.kind === 'user' && !wasThere(item.id, log) && !isPins(item.id, log))
          expect(textOfUserContent(content.content)).toMatch(
            /^\[Context note, not a (?:new )?request: /,
          )
      }
    })
    expect(whole).toBeGreaterThan(SEEDS.length / 4)
  })

  it('names only refs under which the original is found, after 20 compactions too [NEED-07, VALID-K6]', async () => {
    for (const seed of seeds(20, 4)) {
      const generated = generateThread(seed, STEPS)
      const { log } = generated
      for (let round = 0; round < 20; round += 1) {
        await compacted(generated)
        grow(generated, 2)
      }
      const refs = texts(log).flatMap((text) => [...text.matchAll(/\[ref:(e\d+)\]/g)])
      for (const [, ref = ''] of refs) {
        const originals = covered(ref as EntryId, log.eventAt)
        expect([seed, originals]).toEqual([seed, [ref]])
        expect(contentOf(ref as EntryId, log.eventAt)).toBeDefined()
      }
    }
  })

  it('brings in no name that the thread does not have [VALID-K9]', async () => {
    await forAll(async (generated) => {
      const { log } = generated
      const source = texts(
        log,
        log.events.map(({ seq }) => `e${seq}`),
      ).join('\n')
      if (!(await compacted(generated))) return
      const made = log.context.items
        .toArray()
        .flatMap(({ id }) => (wasThere(id, log) || isPins(id, log) ? [] : [id]))
      const names = texts(log, made).flatMap(
        (text) => text.replace(/\[ref:[^\]]+\]|\\./g, ' ').match(/[\w-]+(?:[./][\w-]+)+/g) ?? [],
      )
      for (const name of names) expect(source).toContain(name)
    })
  })
})

function texts(log: TestLog, ids: readonly string[] = visible(log)): string[] {
  return ids.flatMap((id) => {
    const content = contentOf(id as EntryId, log.eventAt)
    switch (content?.kind) {
      case 'user':
        return [textOfUserContent(content.content), JSON.stringify(content.content)]
      case 'result':
        return content.result.content.flatMap(({ text, mimeType }) => [text ?? '', mimeType ?? ''])
      case 'answer':
        return [
          content.answer.content,
          ...content.calls.map(({ arguments: given }) => JSON.stringify(given)),
          ...content.calls.flatMap(({ arguments: given }) =>
            Object.values(given ?? {}).map(String),
          ),
        ]
      default:
        return []
    }
  })
}

function visible({ context }: TestLog): string[] {
  return context.items.toArray().map(({ id }) => id)
}

function isPins(id: EntryId, { eventAt }: TestLog): boolean {
  return newEntryAt(id, eventAt)?.label === 'pins'
}

function onlyRewrites({ events }: TestLog): boolean {
  const last = events.at(-1)
  return (
    last?.type === 'COMPACTION' &&
    last.data.edits.every(({ put: [put] }) => put && 'of' in put && put.of !== undefined)
  )
}

/** The entry of the context before that stands here, rewritten or not. */
function rewrittenBy(id: EntryId, log: TestLog): EntryId {
  const last = log.events.at(-1)
  if (last?.type !== 'COMPACTION' || !id.startsWith(`c${last.seq}.`)) return id
  return findRoot(id, log.eventAt)
}

function wasThere(id: string, { events }: TestLog): boolean {
  return !id.startsWith(`c${events.at(-1)?.seq}.`)
}
