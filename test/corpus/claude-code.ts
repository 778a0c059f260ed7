// Requests rebuilt from the session files of Claude Code, in the simplest way that is sound.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly id: string | undefined // of the answer, which has a line for each block
  readonly blocks: Json[]
}

/** Every request that can be told from the file, with the answer it got. */
export function exchangesOf(text: string): Exchange[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => readFields(JSON.parse(line)))
  return windowsOf(lines).flatMap(exchangesOfWindow)
}

/** A compaction starts anew, with its summary and the lines that it names as kept. */
function windowsOf(lines: readonly Fields[]): Fields[][] {
  const byId = new Map(lines.map((line) => [readText(line.uuid), line]))
  const windows: Fields[][] = [[]]
  let kept: readonly Fields[] = []
  for (const line of lines) {
    if (line.subtype === 'compact_boundary') {
      const { preservedMessages } = readFields(line.compactMetadata)
      const ids = readList(readFields(preservedMessages).uuids)
      kept = ids.map((id) => byId.get(readText(id)) ?? {})
      windows.push([])
      continue
    }
    if (!isSent(line) || windows.at(-1)?.includes(line)) continue
    windows.at(-1)?.push(line)
    if (line.isCompactSummary === true) windows.at(-1)?.push(...kept.filter(isSent))
  }
  return windows
}

function isSent({ type, isSidechain, isMeta, message }: Fields): boolean {
  if (isSidechain === true || isMeta === true) return false
  return (type === 'user' || type === 'assistant') && readFields(message).model !== '<synthetic>'
}

function isResult(block: Json): boolean {
  return readFields(block).type === 'tool_result'
}

/** Some models begin with a blank text; it is in the file, and is not sent again. */
function isBlank(block: Json): boolean {
  const { type, text } = readFields(block)
  return type === 'text' && readText(text)?.trim() === ''
}

function exchangesOfWindow(lines: readonly Fields[]): Exchange[] {
  const results = new Map<string, Json>()
  const turns: Turn[] = []
  for (const { type, message } of lines) {
    const { id, content } = readFields(message)
    const blocks: readonly Json[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : readList(content)
    const others = blocks.filter((block) => !isResult(block) && !isBlank(block))
    for (const block of blocks) {
      const call = readText(readFields(block).tool_use_id)
      if (call !== undefined && isResult(block)) results.set(call, block)
    }
    const known = turns.find((turn) => type === 'assistant' && turn.id === readText(id))
    if (known !== undefined) known.blocks.push(...others)
    else if (others.length > 0) {
      const role = type === 'assistant' ? 'assistant' : 'user'
      turns.push({ role, id: role === 'assistant' ? readText(id) : undefined, blocks: [...others] })
    }
  }
  return requestsOf(withResults(turns, results))
}

/** All results of an answer in the message behind it, before what the user says there. */
function withResults(turns: readonly Turn[], results: ReadonlyMap<string, Json>): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) last.blocks.push(...turn.blocks)
    else merged.push({ ...turn, blocks: [...turn.blocks] })
    if (turn.role === 'user') continue
    const answered = turn.blocks.flatMap(
      (block) => results.get(readText(readFields(block).id) ?? '') ?? [],
    )
    if (answered.length > 0) merged.push({ role: 'user', id: undefined, blocks: answered })
  }
  return merged
}

/** The files hold no tools: the rules only ask that there are some. */
const TOOLS: Json = [{ name: 'Read', input_schema: { type: 'object' } }]

function requestsOf(turns: readonly Turn[]): Exchange[] {
  const messages: Json[] = turns.map(({ role, blocks }) => ({ role, content: blocks }))
  return turns.flatMap(({ role, blocks }, index) =>
    role === 'assistant' && index > 0
      ? [
          {
            request: { tools: TOOLS, messages: messages.slice(0, index) },
            answer: { content: blocks },
          },
        ]
      : [],
  )
}
