// The provider's own compaction: the request for one, and the block it returns.
import type { Fields, Json } from '../../core/text/json.ts'
import { type Report, type Rule, type RuleInput, rule } from '../rule.ts'
import { isGiven, readFields, readList, readText } from '../walk.ts'
import { dropsUnboundThinking } from './binding.ts'
import {
  type Block,
  findConversation,
  isCompactionAlone,
  isThinking,
  lacksBeta,
  leadingCompaction,
  type Message,
  readMessages,
  systemBlocks,
  withNested,
} from './conversation.ts'
import { type Answered, findHistory, type History } from './history.ts'
import { sameJson } from './same.ts'

const ON_DEMAND_BETA = 'compact-2026-09-04'
const THRESHOLD_EDIT = 'compact_20260112'

const compactionIsWellUsed = rule('VALID-A15', (input, report) => {
  const { request } = input
  const fields = readFields(request)
  const messages = findConversation(input)
  const blocks = messages.flatMap((message) =>
    message.blocks.filter(({ type }) => type === 'compaction'),
  )
  const signed = blocks.filter((block) => isOnDemand(block, fields))
  const isAsking = asksForCompaction(request)
  if (isAsking) checkAsking(fields, report)
  if (!isAsking && signed.length === 0) return
  checkSetting(fields, report)
  for (const block of signed) checkBlock(block, report)
  checkPlaces(blocks, signed, report)
  if (signed[0] === undefined || signed[0] !== leadingCompaction(messages)) return
  checkOrigin(signed[0], messages, input, report)
})

export const COMPACTION_RULES: readonly Rule[] = [compactionIsWellUsed]

/** The request asks for a compaction and gets nothing else. */
export function asksForCompaction(request: Json): boolean {
  return isGiven(readFields(request).compaction)
}

/** The other kind follows what it summarises and comes unsigned with its setting. */
function isOnDemand({ fields }: Block, request: Fields): boolean {
  return isGiven(fields.signature) || !hasThresholdEdit(request)
}

function hasThresholdEdit({ context_management }: Fields): boolean {
  return readList(readFields(context_management).edits).some(
    (edit) => readFields(edit).type === THRESHOLD_EDIT,
  )
}

function checkAsking(fields: Fields, report: Report): void {
  const { stop_sequences, tool_choice, output_config, context_management } = fields
  const no = 'a request for a compaction takes no'
  if (isGiven(context_management)) report('context_management', `${no} context_management`)
  if (readList(stop_sequences).length > 0) report('stop_sequences', `${no} stop_sequences`)
  if (['any', 'tool'].includes(readText(readFields(tool_choice).type) ?? '')) {
    report('tool_choice', `${no} forced tool_choice`)
  }
  if (isGiven(fields.output_format)) report('output_format', `${no} output format`)
  if (isGiven(readFields(output_config).format)) {
    report('output_config.format', `${no} output format`)
  }
}

/** Holds for the requesting call and every later one that carries the block. */
function checkSetting(fields: Fields, report: Report): void {
  const { task_budget } = readFields(fields.output_config)
  if (isGiven(readFields(task_budget).remaining)) {
    report('output_config.task_budget.remaining', 'a compaction takes no remaining task budget')
  }
  if (lacksBeta(fields, ON_DEMAND_BETA)) {
    report('betas', `a compaction needs the header ${ON_DEMAND_BETA}`)
  }
  if (hasThresholdEdit(fields) && !isGiven(fields.compaction)) {
    report('context_management', `${THRESHOLD_EDIT} cannot run behind a signed compaction`)
  }
}

const BLOCK_FIELDS = ['type', 'content', 'signature', 'cache_control']

function checkBlock({ fields, place }: Block, report: Report): void {
  if (!readText(fields.signature)) report(`${place}.signature`, 'a compaction needs its signature')
  if (!readText(fields.content)) report(`${place}.content`, 'a compaction needs its content')
  for (const name of Object.keys(fields)) {
    if (!BLOCK_FIELDS.includes(name)) {
      report(`${place}.${name}`, 'a compaction is sent back with the fields it came with')
    }
  }
}

/** A signed block is the only one, and nothing it summarises precedes it. */
function checkPlaces(blocks: readonly Block[], signed: readonly Block[], report: Report): void {
  const kept = signed[0]
  for (const block of kept === undefined ? [] : blocks) {
    if (block !== kept) report(block.place, 'a request carries one compaction, the newest')
    else if (block.place !== 'messages[0].content[0]') {
      report(block.place, 'the compaction comes first, in place of what it summarises')
    }
  }
}

function checkOrigin(
  block: Block,
  messages: readonly Message[],
  input: RuleInput,
  report: Report,
): void {
  const [first, second] = messages
  const isAlone = first !== undefined && isCompactionAlone(first)
  const kept = isAlone ? second : first
  if (kept?.role === 'system') {
    report(kept.place, 'the first message behind a compaction cannot be the system’s')
  }
  const history = findHistory(input)
  const answered = history.ofCompaction(readText(block.fields.signature))
  if (answered === undefined) return
  checkUnmodified(block, answered, report)
  const last = readMessages(answered.request).at(-1)
  const isBound = input.profile.preservedThinking && !dropsUnboundThinking(input.request)
  if (isBound && kept?.role === last?.role && keepsThinking(block, messages, history)) {
    report(kept?.place ?? block.place, 'the first kept message has the role of the last summarised')
  }
}

function checkUnmodified(block: Block, { blocks, stopReason }: Answered, report: Report): void {
  const { signature } = block.fields
  const original = blocks.find(({ fields }) => fields.signature === signature)
  if (original !== undefined && !sameJson(original.fields, block.fields)) {
    report(block.place, 'the compaction is not what was signed')
  } else if (stopReason !== undefined && stopReason !== 'compaction') {
    report(block.place, `its answer ended with ${stopReason}: that is no summary`)
  }
}

/** Thinking created before the compaction replaced its source. */
function keepsThinking(block: Block, messages: readonly Message[], history: History): boolean {
  const { signature } = block.fields
  return messages.some(({ blocks }) =>
    blocks.filter(isThinking).some((thinking) => {
      const answered = history.ofThinking(thinking)
      if (answered === undefined) return false
      const lead = readFields(readList(readFields(answered.request).messages)[0])
      return readFields(readList(lead.content)[0]).signature !== signature
    }),
  )
}

const MAX_MARKS = 4

interface Mark {
  readonly place: string
  readonly isLong: boolean
}

const cacheMarksFit = rule('VALID-A17', (input, report) => {
  let hasShort = false
  for (const [index, { place, isLong }] of findMarks(input).entries()) {
    if (index >= MAX_MARKS) report(place, `a mark for the cache beyond the ${MAX_MARKS} allowed`)
    else if (isLong && hasShort) report(place, 'a mark of one hour stands behind one of 5 minutes')
    if (!isLong) hasShort = true
  }
})

/** Prompt cache marks: at most four, long-lived ones first. */
export const CACHE_RULES: readonly Rule[] = [cacheMarksFit]

/** In the API's reading order: tools, system, messages. */
function findMarks(input: RuleInput): readonly Mark[] {
  const { tools, cache_control } = readFields(input.request)
  const blocks = findConversation(input).flatMap((message) => message.blocks)
  const marks = [
    ...readList(tools).map((tool, index) => ({
      fields: readFields(tool),
      place: `tools[${index}]`,
    })),
    ...systemBlocks(input.request),
    ...blocks.flatMap((block) => withNested(block)),
  ].flatMap(({ fields, place }) => markAt(fields.cache_control, `${place}.cache_control`))
  // A mark on the whole request applies to the last block, and does not count twice.
  const isLastMarked = isGiven(blocks.at(-1)?.fields.cache_control)
  return isLastMarked ? marks : [...marks, ...markAt(cache_control, 'cache_control')]
}

function markAt(value: Json | undefined, place: string): readonly Mark[] {
  return isGiven(value) ? [{ place, isLong: readText(readFields(value).ttl) === '1h' }] : []
}
