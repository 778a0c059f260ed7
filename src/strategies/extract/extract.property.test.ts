// `extract` on random threads: what every context that it leaves must hold, for every provider.
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
import { newEntryAt } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { isSaidByUser } from '../../core/view/last-request.ts'
import { covered } from '../../core/view/refs.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { extract } from './extract.ts'

const SEEDS = seeds(40, 12)
const STEPS = 24

async function forAll(check: (generated: Generated) => Promise<void>, all = SEEDS) {
  for (const seed of all)
    try {
      await check(generateThread(seed, STEPS))
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
}

interface Choices {
  readonly hasLog?: boolean
}

/** Undefined where nothing can get it below the target. */
async function propose(
  log: TestLog,
  targetTokens: number,
  { hasLog = true }: Choices = {},
): Promise<Proposal | undefined> {
  const pins = reducedBy(log.state, pinsReducer)
  const { context, eventAt, reduce } = log
  const run = { threadId: log.threadId }
  const input = { context, eventAt, run, trigger: 'auto', targetTokens, pins } as const
  try {
    return await extract.propose(hasLog ? { ...input, reduce } : input)
  } catch (error) {
    const found = irreducibleOf(error)
    if (!found) throw error
    expect(found.budget).toBe(targetTokens)
    expect(found.floor).toBeGreaterThan(targetTokens)
    return undefined
  }
}

function targetFor({ log, random }: Generated): number {
  return Math.max(1, Math.floor(weightOf(log.context) * random.pick([0.05, 0.1, 0.25, 0.5, 0.8])))
}

/** Commits a compaction to a random target; undefined where there was none to commit. */
async function compacted(
  generated: Generated,
  choices?: Choices,
): Promise<{ targetTokens: number } | undefined> {
  const { log } = generated
  const targetTokens = targetFor(generated)
  const proposal = await propose(log, targetTokens, choices)
  if (!proposal || proposal.edits.length === 0) return undefined
  const gated = log.gate(proposal, 'auto', log.context.version, targetTokens)
  if (!gated.ok) throw new Error(`${gated.refusal.reason}: ${gated.refusal.message}`)
  expect(log.compact(proposal, 'auto', log.context.version, targetTokens)).toBe(undefined)
  return { targetTokens }
}

describe('extract on any thread', () => {
  it.each([{ hasLog: true }, { hasLog: false }])(
    'is within the target and passes the gate, or says what has to stay, $hasLog [VALID-K3]',
    async (choices) => {
      const seen = { committed: 0, irreducible: 0 }
      await forAll(async (generated) => {
        const done = await compacted(generated, choices)
        if (!done) seen.irreducible += 1
        else {
          seen.committed += 1
          expect(weightOf(generated.log.context)).toBeLessThanOrEqual(done.targetTokens)
        }
      })
      expect(seen.committed).toBeGreaterThan(SEEDS.length / 3)
    },
  )

  it('gives the same bytes for the same thread [VALID-K8, NEED-12]', async () => {
    await forAll(async ({ log, random }) => {
      const target = targetFor({ log, random } as Generated)
      const [one, other] = [await propose(log, target), await propose(log, target)]
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
      const openRound = before.slice(openRoundStart(before, open)).map(({ id }) => id)
      const pins = reducedBy(log.state, pinsReducer)
      if (!(await compacted(generated))) return
      const after = log.context.items.toArray()
      const kept = new Set(after.map(({ id }) => id))
      for (const id of pins.flatMap(({ entries = [] }) => entries))
        if (before.some((item) => item.id === id)) expect(kept).toContain(id)
      const text = pinnedText(pins)
      if (text !== undefined && before.length > 0 && !onlyRewrites(log))
        expect(texts(log)).toContain(text)
      expect(log.context.open).toEqual(open)
      for (const id of openRound) expect(kept).toContain(id)
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
      if (!(await compacted(generated)) || said === undefined) return
      const now = newestSaid(log)
      // Where only its images are more than fits, their captions follow; else head and tail of it stay.
      if (now?.toWellFormed().startsWith(said.toWellFormed())) whole += 1
      else expect(now).toMatch(/characters left out: \[ref:e/)
      const items = log.context.items.toArray()
      const at = items.findLastIndex((item) => isSaidByUser(item, log.eventAt))
      for (const { id } of items.slice(at + 1)) {
        const content = contentOf(id, log.eventAt)
        if (content?.kind === 'user' && isMadeNow(id, log) && !isPins(id, log))
          expect(textOfUserContent(content.content)).toMatch(
            /^\[Context note, not a (?:new )?request: /,
          )
      }
    })
    expect(whole).toBeGreaterThan(SEEDS.length / 4)
  })

  it('names only refs under which the original is found, after each of 20 compactions [VALID-K6]', async () => {
    let refs = 0
    const threads = seeds(8, 4)
    await forAll(async (generated) => {
      const { log } = generated
      for (let round = 0; round < 20; round += 1) {
        await compacted(generated)
        const made = log.context.items
          .toArray()
          .flatMap(({ id }) => (id.startsWith('c') ? [id] : []))
        for (const [, ref = ''] of texts(log, made)
          .join('\n')
          .matchAll(/\[ref:(e\d+)\]/g)) {
          refs += 1
          expect(covered(ref as EntryId, log.eventAt)).toEqual([ref])
          expect(contentOf(ref as EntryId, log.eventAt)).toBeDefined()
        }
        grow(generated, 2)
      }
    }, threads)
    expect(refs).toBeGreaterThan(20 * 6 * threads.length)
  })

  it('brings in no name that the thread does not have, and no half of a pair [VALID-K9]', async () => {
    await forAll(async (generated) => {
      const { log } = generated
      const all = log.events.map(({ seq }) => `e${seq}`)
      const source = [...texts(log, all), JSON.stringify(log.events)].join('\n')
      if (!(await compacted(generated))) return
      const made = log.context.items
        .toArray()
        .flatMap(({ id }) => (isMadeNow(id, log) && !isPins(id, log) ? [id] : []))
      for (const text of texts(log, made)) {
        expect(text.isWellFormed()).toBe(true)
        const bare = text.replace(/\[ref:[^\]]+\]|…/g, ' ')
        for (const name of bare.match(/[\w-]+(?:[./][\w-]+)+/g) ?? [])
          expect(source).toContain(name)
      }
    })
  })
})

function newestSaid({ context, eventAt }: TestLog): string | undefined {
  const item = context.items.toArray().findLast((each) => isSaidByUser(each, eventAt))
  const content = item && contentOf(item.id, eventAt)
  return content?.kind === 'user' ? textOfUserContent(content.content) : undefined
}

function texts(log: TestLog, ids?: readonly string[]): string[] {
  const named = ids ?? log.context.items.toArray().map(({ id }) => id)
  return named.flatMap((id) => {
    const content = contentOf(id as EntryId, log.eventAt)
    switch (content?.kind) {
      case 'user':
        return [textOfUserContent(content.content)]
      case 'result':
        return content.result.content.map(({ text = '' }) => text)
      case 'answer':
        return [content.answer.content, ...content.calls.map((call) => JSON.stringify(call))]
      default:
        return []
    }
  })
}

function isMadeNow(id: EntryId, { context }: TestLog): boolean {
  return id.startsWith(`c${context.version}.`)
}

function isPins(id: EntryId, { eventAt }: TestLog): boolean {
  return newEntryAt(id, eventAt)?.label === 'pins'
}

/** The entry of the context before that this one is, or is a rewrite of. */
function rewrittenBy(id: EntryId, log: TestLog): EntryId {
  return isMadeNow(id, log) ? (newEntryAt(id, log.eventAt)?.of ?? id) : id
}

function onlyRewrites({ events }: TestLog): boolean {
  const event = events.at(-1)
  return (
    event?.type === 'COMPACTION' &&
    event.data.edits.every(({ put }) => put.some((entry) => 'of' in entry))
  )
}
