// One request from reading to reply: shape, rules, window, faults, script or assistant, accounting.
import type { Clock } from '../core/ports.ts'
import type { Fields } from '../core/text/json.ts'
import type { Exchange, Violation } from '../validate/rule.ts'
import { validate } from '../validate/validate.ts'
import type { Asked, WireId } from './asked.ts'
import { type Segment, sumOfTokens } from './count.ts'
import type { Fault, Faults } from './faults.ts'
import type { Memory } from './http.ts'
import type { Recorder, Recording } from './recorder.ts'
import { cutOff, limitedTo, type Reply, replyFrom, type ScriptedAnswer } from './reply.ts'
import type { Responder } from './responder.ts'
import { digest } from './seal.ts'
import type { Caches, Refusal, Turn, WireFormat } from './wire-format.ts'

/** State that outlives a request. */
interface World {
  readonly clock: Clock
  readonly brain: Responder
  readonly memory: Memory
  readonly caches: Caches
  readonly windowTokens: number
  /** The answer ends at the window instead of being rejected (VALID-A19). */
  readonly stopsAtWindow: boolean
}

interface Question {
  readonly format: WireFormat
  readonly path: string
  readonly body: Fields
  readonly chars: number
  readonly fault: Fault | undefined
  readonly recording: Recording
}

interface Examination {
  readonly refusal: Refusal | undefined
  readonly earlier: readonly Exchange[]
}

export async function takeTurn(world: World, question: Question): Promise<Turn | Refusal> {
  const { format, body, recording } = question
  const { refusal, earlier } = examine(world, question, false)
  const ordered = refusalBy(question.fault, body)
  if (ordered !== undefined) return ordered
  if (refusal !== undefined) return refusal
  const first = readAs(world, question, earlier)
  recording.asked = first.asked
  const overflow = findOverflow(world, question, first)
  if (overflow !== undefined) return overflow
  const answer = await answerTo(world, question, first.asked)
  // A script step's own fault, unless another was ordered.
  const fault = question.fault ?? answer.fault
  if (fault !== undefined) recording.fault = fault.kind
  const faulty = { ...question, fault }
  const read = fault === question.fault ? first : readAs(world, faulty, earlier)
  recording.asked = read.asked
  const late = refusalBy(fault, body) ?? findOverflow(world, faulty, read)
  if (late !== undefined) return late
  const { seen, segments, asked, inputTokens } = read
  const seed = digest(format.id, JSON.stringify(body))
  const reply = replyTo(world, faulty, answer, asked, seed, inputTokens)
  const at = world.clock.now()
  const usage = {
    ...format.account(seen, segments, world.caches, at.getTime()),
    inputTokens,
    outputTokens: reply.outputTokens,
    reasoningTokens: reply.reasoningTokens,
  }
  recording.usage = usage
  const { path } = question
  const turn = { seed, path, body, asked, reply, usage, at, ...(fault && { fault }) }
  const given = format.whole(turn)
  const links = format.links.ofAnswer(body, given)
  world.memory.remember({ request: body, answer: given }, links, question.chars)
  return turn
}

/** The tokens of a counting request; the rules still apply. */
export function countTurn(world: World, question: Question): number | Refusal {
  const { refusal, earlier } = examine(world, question, true)
  return refusal ?? sumOfTokens(question.format.segments(question.body, earlier))
}

function examine({ memory }: World, question: Question, isCounting: boolean): Examination {
  const { format, body, recording } = question
  const { betas, ...sent } = body
  const misshapen = format.shape(sent, isCounting)
  if (misshapen !== undefined) return { refusal: misshapen, earlier: [] }
  const earlier = memory.related(format.links.ofRequest(body), format.links.onward)
  const lost = format.lost(body, earlier)
  if (lost !== undefined) return { refusal: lost, earlier }
  recording.violations = findViolations(format, body, earlier)
  const [first, ...others] = recording.violations
  return {
    refusal: first === undefined ? undefined : { kind: 'rules', violations: [first, ...others] },
    earlier,
  }
}

function findViolations(
  format: WireFormat,
  body: Fields,
  earlier: readonly Exchange[],
): readonly Violation[] {
  const profile = format.profileFor?.(body)
  if (profile === undefined) return []
  const found = validate(profile, body, { earlier })
  const known = new Set(found.map(({ where }) => where))
  return [...found, ...format.check(body).filter(({ where }) => !known.has(where))]
}

/** In the middle of a stream the answer has begun and breaks off later. */
function refusalBy(fault: Fault | undefined, { stream }: Fields): Refusal | undefined {
  if (fault?.at === 'middle' && stream === true) return undefined
  switch (fault?.kind) {
    case 'rate-limit':
      return { kind: 'rate-limit', retryAfterS: fault.retryAfterS ?? 1 }
    case 'overloaded':
    case 'server-error':
      return { kind: fault.kind }
    default:
      return undefined
  }
}

/** What the model sees of a request. */
interface RequestReading {
  readonly seen: Fields
  readonly segments: readonly Segment[]
  readonly inputTokens: number
  readonly asked: Asked
}

/** All of it, or what a silent window keeps. */
function readAs(
  world: World,
  { format, body, fault }: Question,
  earlier: readonly Exchange[],
): RequestReading {
  const segments = format.segments(body, earlier)
  const tokens = sumOfTokens(segments)
  const ordered =
    fault?.kind === 'truncate' ? (fault.windowTokens ?? Math.floor(tokens / 2)) : undefined
  const limit = ordered ?? format.silentWindow(body, world.windowTokens)
  const isWhole = limit === undefined || tokens <= limit
  const seen = isWhole ? body : format.fitted(body, limit)
  const left = isWhole ? segments : format.segments(seen, earlier)
  return {
    seen,
    segments: left,
    inputTokens: sumOfTokens(left),
    asked: format.read(seen, earlier),
  }
}

function findOverflow(
  world: World,
  { format, body, fault }: Question,
  { asked: { maxOutputTokens = 0 }, inputTokens }: RequestReading,
): Refusal | undefined {
  const { windowTokens, stopsAtWindow } = world
  const sizes = { kind: 'overflow', outputTokens: maxOutputTokens, windowTokens } as const
  if (fault?.kind === 'overflow') {
    return { ...sizes, inputTokens: Math.max(inputTokens, windowTokens + 1) }
  }
  if (format.silentWindow(body, windowTokens) !== undefined) return undefined
  const needed = inputTokens + (stopsAtWindow ? 0 : maxOutputTokens)
  return needed > windowTokens ? { ...sizes, inputTokens } : undefined
}

/** The script is skipped if an ordered fault is the whole answer. */
async function answerTo(
  { brain }: World,
  { body, fault }: Question,
  asked: Asked,
): Promise<ScriptedAnswer> {
  const ordered = fault === undefined ? undefined : ORDERED[fault.kind]
  return ordered ?? brain.answer(asked, body)
}

function replyTo(
  world: World,
  { fault }: Question,
  answer: ScriptedAnswer,
  asked: Asked,
  seed: string,
  inputTokens: number,
): Reply {
  const ordered = fault === undefined ? undefined : ORDERED[fault.kind]
  const reply = replyFrom(ordered ?? answer, asked, seed)
  if (fault?.kind === 'cut-off') return cutOff(reply)
  return world.stopsAtWindow ? limitedTo(reply, world.windowTokens - inputTokens, 'window') : reply
}

/** Faults that are answers themselves. */
const ORDERED: Partial<Record<Fault['kind'], ScriptedAnswer>> = {
  empty: { parts: [] },
  refusal: { text: 'I cannot help with that.', stopReason: 'refusal' },
}

type Formats = Readonly<Record<WireId, WireFormat>>

/** Everything a request to the stand-in needs: formats, faults, records, lasting state. */
export interface StandIn extends World {
  readonly formats: Formats
  /** The formats as a local server reads them. */
  readonly localFormats: Formats
  readonly faults: Faults
  readonly recorder: Recorder
  /** Absent: any key is valid. */
  readonly apiKey: string | undefined
  readonly keyless: boolean
  /** Absent: every name is a model. */
  readonly models: readonly string[] | undefined
  readonly maxBodyBytes: number
  readonly pieceDelayMs: number
}
