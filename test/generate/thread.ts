// Random threads from a seed: everything that can happen to a conversation, in any order.
import { PrecisError } from '../../src/core/errors.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { breakRow } from './broken-row.ts'
import { randomAnswer, randomResult, randomText, randomUserContent } from './content.ts'
import { randomProposal } from './proposal.ts'
import { Random } from './random.ts'
import { TestLog } from './test-log.ts'

export interface Generated {
  readonly seed: number
  readonly log: TestLog
  readonly random: Random
}

/** What a step did, for a report when a property fails. */
export type Step = (generated: Generated) => string
export type OnStep = (generated: Generated, did: string) => void

const STEPS = {
  turn: 10,
  round: 10,
  brokenRound: 3,
  aside: 4,
  system: 1,
  pin: 2,
  compact: 6,
  background: 2,
  undo: 3,
  undoOlder: 2,
  redo: 2,
  expand: 2,
  foreign: 1,
  askCompact: 2,
  brokenRow: 2,
  brokenCall: 1,
} as const

/** Without what puts entries back elsewhere than where the last change took them from. */
const FORWARD_STEPS = { ...STEPS, undoOlder: 0, redo: 0, expand: 0 } as const

/** A thread of `steps` random steps. `onStep` sees it after each one. */
export function generateThread(
  seed: number,
  steps: number,
  onStep: OnStep = () => undefined,
): Generated {
  return play(seed, steps, STEPS, onStep)
}

/** The same with compactions and undo of the newest change alone. */
export function generateForward(seed: number, steps: number, onStep: OnStep): Generated {
  return play(seed, steps, FORWARD_STEPS, onStep)
}

function play(
  seed: number,
  steps: number,
  weights: Readonly<Record<keyof typeof STEPS, number>>,
  onStep: OnStep,
): Generated {
  const generated = { seed, log: new TestLog(), random: new Random(seed) }
  for (let step = 0; step < steps; step += 1) {
    const name = generated.random.weighted(weights)
    onStep(generated, PLAY[name](generated))
  }
  return generated
}

/** Only the conversation: no compaction, no undo. */
export function generateConversation(seed: number, steps: number): Generated {
  const generated = { seed, log: new TestLog(), random: new Random(seed) }
  for (let step = 0; step < steps; step += 1)
    PLAY[generated.random.weighted({ turn: 4, round: 5, brokenRound: 1, aside: 1 })](generated)
  return generated
}

/** A few more turns and rounds at the end of a thread. */
export function grow(generated: Generated, steps: number): void {
  for (let step = 0; step < steps; step += 1)
    PLAY[generated.random.pick(['turn', 'round'] as const)](generated)
}

/** One change of what the model sees: a compaction, its undoing, another system prompt, a pin. */
export function changeView(generated: Generated): string {
  const weights = { compact: 6, undo: 2, undoOlder: 1, redo: 1, expand: 1, system: 1, pin: 1 }
  return PLAY[generated.random.weighted(weights)](generated)
}

const PLAY: Readonly<Record<keyof typeof STEPS, Step>> = {
  turn({ log, random }) {
    const drafts: EventDraft[] = [
      { type: 'USER_MESSAGE', data: randomUserContent(random), origin: 'typed' },
    ]
    if (random.chance(0.3)) drafts.push({ type: 'SYSTEM_REMINDER', data: randomText(random) })
    if (random.chance(0.4)) drafts.push({ type: 'CHECKPOINT', data: { id: checkpointId(random) } })
    if (random.chance(0.8)) drafts.push({ type: 'AGENT_MESSAGE', data: randomAnswer(random, []) })
    log.append(drafts)
    return 'turn'
  },
  round({ log, random }) {
    const calls = callIds(random)
    log.append(answerWithCalls(random, calls))
    const order = random.chance(0.5) ? calls : calls.toReversed()
    for (const call of order) if (!random.chance(0.1)) log.append([result(random, call)])
    if (random.chance(0.1)) log.append([result(random, random.pick(calls))])
    if (random.chance(0.3) && log.context.open.size === 0)
      log.append([{ type: 'CHECKPOINT', data: { id: checkpointId(random) } }])
    return 'round'
  },
  /** What foreign logs hold: orphans, results without id, calls that were never answered. */
  brokenRound({ log, random }) {
    const calls = callIds(random)
    if (random.chance(0.5)) log.append(answerWithCalls(random, calls), 'leave')
    if (random.chance(0.3))
      log.append([{ type: 'USER_MESSAGE', data: randomText(random) }], 'leave')
    log.append(
      [result(random, random.chance(0.3) ? undefined : random.pick([...calls, 'call_nowhere']))],
      'leave',
    )
    return 'brokenRound'
  },
  aside({ log, random }) {
    log.append([
      random.pick<EventDraft>([
        { type: 'LOCAL_SYSTEM_MESSAGE', data: randomText(random) },
        { type: 'MODEL_CHANGED', data: { model: 'anthropic/other' } },
        { type: 'TOOL_APPROVAL_REQUEST', data: { toolCallId: 'call_1' } },
        { type: 'MESSAGE_QUEUED', data: { messageId: 'm1', content: randomText(random) } },
      ]),
    ])
    return 'aside'
  },
  system({ log, random }) {
    log.append([
      {
        type: random.pick(['SYSTEM_PROMPT', 'USER_SYSTEM_PROMPT'] as const),
        data: randomText(random),
      },
    ])
    return 'system'
  },
  pin({ log, random }) {
    const items = log.context.items.toArray().filter((item) => item.kind !== 'gap')
    if (items.length === 0 || random.chance(0.3)) log.pin({ text: randomText(random) })
    else log.pin({ entries: [random.pick(items).id] })
    return 'pin'
  },
  compact({ log, random }) {
    const proposal = randomProposal(log, random)
    return proposal ? `compact ${log.compact(proposal) ?? 'committed'}` : 'compact nothing'
  },
  /** Proposed, then the thread grows, then committed. */
  background(generated) {
    const { log, random } = generated
    const proposal = randomProposal(log, random)
    const basedOn = log.context.version
    for (let count = random.int(0, 2); count > 0; count -= 1)
      PLAY[random.pick(['turn', 'round'] as const)](generated)
    return proposal
      ? `background ${log.compact(proposal, 'background', basedOn) ?? 'committed'}`
      : 'background nothing'
  },
  undo: ({ log }) => attempt('undo', () => log.undo()),
  undoOlder: ({ log, random }) =>
    attempt('undo older', () =>
      log.undo(log.context.stack.length === 0 ? undefined : random.pick(log.context.stack)),
    ),
  redo: ({ log }) => attempt('redo', () => log.redo()),
  expand({ log, random }) {
    const made = log.context.items.toArray().filter((item) => item.id.startsWith('c'))
    return made.length === 0
      ? 'expand nothing'
      : attempt('expand', () => log.expand(random.pick(made).id))
  },
  foreign({ log, random }) {
    log.append([
      {
        type: 'FOREIGN',
        data: { undecodable: { type: 'USER_MESSAGE', data: 7 }, note: randomText(random) },
      },
    ])
    return 'foreign'
  },
  /** The agent asks for a compaction by a call, which that compaction may end. */
  askCompact({ log, random }) {
    log.append(answerWithCalls(random, ['call_compact']))
    const proposal = randomProposal(log, random)
    return proposal ? `asked ${log.compact(proposal, 'tool') ?? 'committed'}` : 'asked nothing'
  },
  /** A row that cannot be decoded, where an ordinary one would have stood or where none would. */
  brokenRow({ log, random }) {
    const [waiting] = log.context.open
    const draft = random.pick<EventDraft>([
      { type: 'USER_MESSAGE', data: randomText(random) },
      { type: 'AGENT_MESSAGE', data: randomAnswer(random, []) },
      { type: 'LOCAL_SYSTEM_MESSAGE', data: randomText(random) },
      result(random, waiting ?? 'call_1'),
    ])
    log.appendDamaged([draft], (row) => breakRow(row, random))
    return `broken ${draft.type}`
  },
  brokenCall({ log, random }) {
    const calls = callIds(random)
    const broken = random.pick(calls)
    const at = log.context.version + 2 + calls.indexOf(broken)
    log.appendDamaged(answerWithCalls(random, calls), (row) =>
      row.seq === at ? breakRow(row, random) : row,
    )
    for (const call of calls) if (random.chance(0.7)) log.append([result(random, call)])
    return 'broken TOOL_CALL'
  },
}

/** A refusal with a reason is an answer; anything else is a bug and flies. */
function attempt(name: string, act: () => void): string {
  try {
    act()
    return name
  } catch (error) {
    if (
      PrecisError.is(error) &&
      ['covered-by', 'nothing-to-undo', 'nothing-to-redo', 'unknown-entry'].includes(error.code)
    )
      return `${name} refused: ${error.code}`
    throw error
  }
}

/** Call ids repeat between rounds on purpose: pairing is by round. */
export function callIds(random: Random): string[] {
  return Array.from({ length: random.int(1, 3) }, (_, at) => `call_${random.int(0, 4)}_${at}`)
}

export function answerWithCalls(random: Random, calls: readonly string[]): EventDraft[] {
  return [
    { type: 'AGENT_MESSAGE', data: randomAnswer(random, calls) },
    ...calls.map(
      (id): EventDraft => ({
        type: 'TOOL_CALL',
        data: {
          id,
          name: random.pick(['read', 'bash', 'edit']),
          arguments: { path: randomText(random) },
          answer: 0,
        },
      }),
    ),
  ]
}

function result(random: Random, id: string | undefined): EventDraft {
  return { type: 'TOOL_RESULT', data: randomResult(random, id) }
}

function checkpointId(random: Random): string {
  return Array.from({ length: 6 }, () =>
    random.pick([...'abcdefghijklmnopqrstuvwxyz0123456789']),
  ).join('')
}
