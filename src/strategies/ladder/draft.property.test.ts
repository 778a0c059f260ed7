// Whatever several strategies do one after the other is one change that gives the same context.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomProposal } from '../../../test/generate/proposal.ts'
import { generateThread } from '../../../test/generate/thread.ts'
import { runs } from '../../../test/scale.ts'
import { pinsReducer } from '../../core/edit/pins.ts'
import { type Built, buildMessages } from '../../core/view/build.ts'
import { newEntryAt } from '../../core/view/entry.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { advance, beginDraft, type LadderDraft } from './draft.ts'
import { findEdits } from './edits.ts'

const RUNS = runs(200)
const STEPS = 14

/** Which round was the last one, and kept its thinking, may differ from step to step. */
function said({ messages }: Built): unknown[] {
  return messages
    .map(({ role, parts }) => ({
      role,
      parts: parts.filter(({ type }) => !type.includes('thinking')),
    }))
    .filter(({ parts }) => parts.length > 0)
}

describe('rungs on a draft', () => {
  it('come to the same as one change, which undo takes back', () => {
    let sayable = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 4 }),
        (seed, rungs) => {
          const { log, random } = generateThread(seed, STEPS)
          const pins = reducedBy(log.state, pinsReducer)
          let draft: LadderDraft = beginDraft(log.context, log.eventAt)
          for (let rung = 0; rung < rungs; rung += 1) {
            const proposal = randomProposal(draft, random)
            if (!proposal || proposal.closes) continue
            const advanced = advance(draft, {
              edits: proposal.edits,
              reasonOf: new Map(),
              name: `rung ${rung}`,
              pins,
            })
            if (advanced.ok) draft = advanced.draft
          }
          const edits = findEdits(draft)
          if (!edits) return
          // What pins add is the gate's, and not in the draft.
          for (const { pinId } of pins) log.append([{ type: 'UNPIN', data: { pinId } }], 'leave')
          const before = log.items
          const refused = log.compact({ edits })
          expect(refused).toBe(undefined)
          sayable += 1
          // What the gate adds for the last request is not in the draft, either.
          const isCarried = [...log.context.items].some(
            ({ id }) => newEntryAt(id, log.eventAt)?.label === 'carried',
          )
          if (!isCarried)
            expect(said(log.build())).toEqual(said(buildMessages(draft.context, draft.eventAt)))
          log.undo()
          expect(log.items).toEqual(before)
        },
      ),
      // One that a rung had parted from what stood for it, one that drops a result that was there twice, and one
      // that hands a result to an earlier call of the same id.
      {
        ...RUNS,
        examples: [
          [298_678_559, 3],
          [226_719_099, 1],
          [850_860_772, 4],
        ],
      },
    )
    expect(sayable).toBeGreaterThan(RUNS.numRuns / 2)
  })
})
