// Every request before it is written: base64 folded, images within limits, history repaired, legal names.
import type { ModelRequest, ToolSchema } from '../core/model.ts'
import type { RepairProfile } from '../core/repair/profile.ts'
import { repair } from '../core/repair/repair.ts'
import { LEFT_OUT, type RepairChange, type RepairKind } from '../core/repair/turn.ts'
import { foldBase64, MIN_URL_CHARS } from '../core/text/fold-base64.ts'
import { isFields, type Json } from '../core/text/json.ts'
import { isWellFormed, wellFormed as mended } from '../core/text/well-formed.ts'
import type { Message, MessagePart } from '../core/view/message.ts'
import { PROVIDER } from './anthropic/blocks.ts'
import { underFormatName, underKnownNames } from './anthropic/own-parts.ts'
import { repairProfile, type WireProfile } from './repair/profile.ts'

export interface PreparedRequest {
  readonly request: ModelRequest
  /** What was changed and why, for people to read. */
  readonly problems: readonly string[]
  /** The tool that goes by this name in the prepared request. */
  toolName(name: string): string
}

/**
 * Depends on nothing but the request: the same messages always become the same, and what more of them
 * changes about those before is little and rare, so that the prefix of a conversation stays as it was
 * sent. Takes time in proportion to the request.
 */
export function prepareRequest(
  request: ModelRequest,
  profile: WireProfile,
  provider: string,
): PreparedRequest {
  // Nothing was said: that is no broken history, and the rules say what it is.
  if (request.messages.length === 0) return { request, problems: [], toolName: (name) => name }
  const own =
    profile.wire === 'anthropic' ? underFormatName(request.messages, provider) : request.messages
  const folded = foldTexts(own)
  const { tools, problems } = eachOnce(request.tools)
  const rules = sendingRules({ ...request, tools }, profile, provider)
  const { messages, system, changes, names } = repair(folded.messages, request.system, rules)
  const originals = new Map([...names].map(([original, legal]) => [legal, original]))
  return {
    request: {
      ...request,
      messages,
      system,
      tools: tools.map((tool) => ({ ...tool, name: names.get(tool.name) ?? tool.name })),
    },
    problems: [...problems, ...folded.problems, ...inWords(changes).map(underKnownNames)],
    toolName: (name) => originals.get(name) ?? name,
  }
}

/** Of tools of one name the first: some servers refuse the second, others call either. */
function eachOnce(tools: readonly ToolSchema[]): Pick<ModelRequest, 'tools'> & Problems {
  const byName = Map.groupBy(tools, ({ name }) => name)
  if (byName.size === tools.length) return { tools, problems: [] }
  const problems = [...byName].flatMap(([name, { length }]) =>
    length === 1 ? [] : [`tools: ${length} are called ${name}; only the first is offered`],
  )
  return { tools: [...byName.values()].flatMap(([first]) => first ?? []), problems }
}

/** A quarter of the images that a limit allows goes at once where it is passed. */
const IMAGE_SLACK = 0.25

/**
 * The writers join roles, open the conversation and choose among thinking of their own by themselves.
 * Thinking behind what is repaired stays: it was made behind the repaired words, too.
 */
function sendingRules(
  request: ModelRequest,
  profile: WireProfile,
  provider: string,
): RepairProfile {
  const isAnthropic = profile.wire === 'anthropic'
  const rules = repairProfile(profile, {
    provider: isAnthropic ? PROVIDER : provider,
    toolNames: request.tools.map(({ name }) => name),
    // Only Anthropic refuses a history of calls where no tools are offered (VALID-A8).
    ...(isAnthropic && { hasTools: request.tools.length > 0 }),
    dropsStaleThinking: true,
    compactsByThreshold: compactsByThreshold(request, provider),
  })
  return {
    ...rules,
    ...(!isAnthropic && { thinking: 'any' }),
    repeatedRoles: true,
    anyOpening: true,
    images: { ...rules.images, slack: IMAGE_SLACK },
  }
}

/** The request lets Anthropic's API compact by itself: then its unsigned blocks are in the history. */
function compactsByThreshold({ native }: ModelRequest, provider: string): boolean {
  const { context_management: management } = native?.provider === provider ? native.fields : {}
  const edits = isFields(management) && Array.isArray(management.edits) ? management.edits : []
  return edits.some((edit: Json) => isFields(edit) && edit.type === 'compact_20260112')
}

interface Problems {
  readonly problems: readonly string[]
}

interface FoldedTexts extends Problems {
  readonly messages: readonly Message[]
}

function foldTexts(messages: readonly Message[]): FoldedTexts {
  let count = 0
  let chars = 0
  const fold = (text: string, ref: string | undefined): string => {
    if (text.length < MIN_URL_CHARS) return text
    const { text: short, folded } = foldBase64(text, ref)
    count += folded.length
    chars += text.length - short.length
    return short
  }
  const changed = messages.map((message) => {
    const parts = message.parts.map((part) => foldPart(part, fold))
    return parts.some((part, index) => part !== message.parts[index])
      ? { ...message, parts }
      : message
  })
  if (count === 0) return { messages, problems: [] }
  const runs = count === 1 ? 'a run' : `${count} runs`
  return {
    messages: changed,
    problems: [`${runs} of base64 in texts were folded: ${chars} characters were left out`],
  }
}

/** Citations name places in their text: such a text stays as it is. */
function foldPart(
  part: MessagePart,
  fold: (text: string, ref: string | undefined) => string,
): MessagePart {
  if (part.type === 'text' && part.extra === undefined) {
    const text = fold(part.text, part.ref)
    return text === part.text ? part : { ...part, text }
  }
  if (part.type !== 'tool_result') return part
  const content = part.content.map((block) => {
    const text = block.text === undefined ? undefined : fold(block.text, part.ref)
    return text === undefined || text === block.text ? block : { ...block, text }
  })
  return content.some((block, index) => block !== part.content[index]) ? { ...part, content } : part
}

/** Blanks say nothing, so nobody has to hear that they went. */
const UNTOLD: ReadonlySet<RepairKind> = new Set(['blank-text', 'empty-message'])

/**
 * One line for each reason, with the first place of it. Thinking is said without: nobody looks for it, and
 * the next request says the same again, so that it can be told once.
 */
function inWords(changes: readonly RepairChange[]): string[] {
  const told = changes.filter(({ what }) => !UNTOLD.has(what))
  return [...Map.groupBy(told, ({ why }) => why)].map(([why, same]) => {
    if (same[0]?.what === 'thinking') return `Thinking was left out: ${why.replace(LEFT_OUT, '')}.`
    const more = same.length === 1 ? '' : ` and ${same.length - 1} more`
    return `${same[0]?.where}${more}: ${why}`
  })
}

/** The same value if nothing is wrong with it; otherwise a copy in which each half is a `�`. */
export function wellFormed<T extends Json>(value: T, note: (problem: string) => void): T {
  if (isWellFormed(value)) return value
  note('half characters were replaced')
  return mended(value) as T
}
