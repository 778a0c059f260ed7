// Tools the API runs itself: call and result stay in one answer, unchanged.
import type { Json } from '../../core/text/json.ts'
import { type Rule, type RuleInput, rule } from '../rule.ts'
import { isGiven, readFields, readText } from '../walk.ts'
import {
  type Block,
  blocksOfTurn,
  findConversation,
  findTurns,
  type Message,
  readBlocks,
} from './conversation.ts'
import { findSteps, sameJson, sameSteps } from './same.ts'

const serverCallsKeepTheirResults = rule('VALID-A20', (input, report) => {
  const messages = findConversation(input)
  const turns = findTurns(messages)
  const originals = originalResults(input)
  const citations = originalCitations(input)
  // Code calls that wait for a tool of the client: their result comes in a later answer.
  const waiting = new Set<string>()
  for (const turn of turns) {
    const blocks = blocksOfTurn(turn)
    const unanswered = new Map<string, Block>()
    for (const block of blocks) {
      const { fields, place } = block
      const cited = isGiven(fields.citations) && citations.get(readText(fields.text) ?? '')
      if (cited && !cited.some((each) => sameJson(each, fields.citations ?? null))) {
        report(`${place}.citations`, 'citations must stay as they came')
      }
      if (isServerCall(block)) unanswered.set(readText(fields.id) ?? '', block)
      if (!isServerResult(block)) continue
      const id = readText(fields.tool_use_id) ?? ''
      if (!unanswered.delete(id) && !waiting.delete(id)) {
        report(`${place}.tool_use_id`, `no call ${id} stands before this result in its answer`)
      }
      const original = originals.get(id)
      if (original !== undefined && !sameJson(fields, original.fields)) {
        report(place, 'the result of a server tool must stay as it came')
      }
    }
    for (const id of callersIn(blocks)) if (unanswered.delete(id)) waiting.add(id)
    // A paused answer is sent back as the last message, and the API continues it.
    if (turn === turns.at(-1)) continue
    for (const [id, { place }] of unanswered) report(place, `the answer lost the result of ${id}`)
  }
  const last = messages.at(-1)
  const paused = pausedBlocks(input)
  if (last?.role !== 'assistant' || paused === undefined || isSameAnswer(last, paused)) return
  report(last.place, 'a paused answer is sent back as it came')
})

export const SERVER_TOOL_RULES: readonly Rule[] = [serverCallsKeepTheirResults]

export function isServerResult(block: Block | undefined): boolean {
  return block !== undefined && block.type !== 'tool_result' && block.type.endsWith('_tool_result')
}

export function isServerBlock(block: Block | undefined): boolean {
  return block !== undefined && (isServerCall(block) || isServerResult(block))
}

/** The answer is sent back to be continued: not a prefill. */
export function isPaused(last: Message, input: RuleInput): boolean {
  const answered = new Set(
    last.blocks.filter(isServerResult).map(({ fields }) => fields.tool_use_id),
  )
  const calls = last.blocks.filter(isServerCall)
  if (calls.some(({ fields }) => !answered.has(fields.id ?? null))) return true
  return isServerResult(last.blocks.at(-1)) || pausedBlocks(input) !== undefined
}

function isServerCall({ type }: Block): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use'
}

function callersIn(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap(({ fields }) => readText(readFields(fields.caller).tool_id) ?? [])
}

function originalResults({ earlier }: RuleInput): ReadonlyMap<string, Block> {
  const results = earlier
    .flatMap(({ answer }) => readBlocks(readFields(answer), 'answer'))
    .filter(isServerResult)
  return new Map(results.map((block) => [readText(block.fields.tool_use_id) ?? '', block]))
}

/** Keyed by their text; the same text may have had others. */
function originalCitations({ earlier }: RuleInput): ReadonlyMap<string, readonly Json[]> {
  const cited = earlier
    .flatMap(({ answer }) => readBlocks(readFields(answer), 'answer'))
    .filter(({ fields }) => isGiven(fields.citations))
  const byText = Map.groupBy(cited, ({ fields }) => readText(fields.text) ?? '')
  return new Map(
    [...byText].map(([text, blocks]) => [
      text,
      blocks.map(({ fields }) => fields.citations ?? null),
    ]),
  )
}

/** The blocks of the latest answer, if it was paused. */
function pausedBlocks({ earlier }: RuleInput): readonly Block[] | undefined {
  const answer = readFields(earlier.at(-1)?.answer)
  return answer.stop_reason === 'pause_turn' ? readBlocks(answer, 'answer') : undefined
}

/** A client may merge a turn's pieces into one message: then the ends must be equal. */
function isSameAnswer({ blocks }: Message, paused: readonly Block[]): boolean {
  const steps = findSteps('assistant', blocks)
  const given = findSteps('assistant', paused)
  return given.length === 0 || sameSteps(steps.slice(-given.length), given)
}
