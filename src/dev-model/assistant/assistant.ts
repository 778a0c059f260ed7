// A small assistant without a model: reads, edits, runs and compacts through tools, and can summarise.
import type { Json } from '../../core/text/json.ts'
import { readFields } from '../../validate/walk.ts'
import { type Asked, type AskedPart, isNote, lastUserTurn, textIn } from '../asked.ts'
import type { AnswerCall, ScriptedAnswer } from '../reply.ts'
import { findGroups, type Instruction, instructionsIn, inWords } from './instructions.ts'
import { answerExam, answerQuestion } from './questions.ts'
import { buildSummary, quoted } from './summary.ts'
import { callFor, plainCall } from './tool-use.ts'

/** A pure function: the same request always gets the same answer. */
export function assist(asked: Asked): ScriptedAnswer {
  const answer = decide(asked)
  if (!asked.thinking) return answer
  const said = textIn(asked.turns[lastUserTurn(asked)]?.parts ?? [])
  const names = answer.calls?.map(({ name }) => name).join(', ')
  const plan = names === undefined ? 'I can answer now.' : `I will call ${names}.`
  return { thinking: `The user says ${quoted(said)}. ${plan}`, ...answer }
}

function decide(asked: Asked): ScriptedAnswer {
  const at = lastUserTurn(asked)
  const text = behindSummary(textIn(withoutNotes(asked.turns[at]?.parts ?? [])))
  const mayCall = asked.tools.length > 0 && asked.toolChoice !== 'none'
  if (asked.compaction !== undefined) return { text: buildSummary(asked) }
  const sat = answerExam(text)
  if (sat !== undefined) return { text: sat }
  if (!mayCall && /summar/i.test(text)) return { text: buildSummary(asked) }
  const since = asked.turns.slice(at + 1).flatMap(({ parts }) => parts)
  if (mayCall) {
    const step = edlStep(asked, text, since) ?? forcedCall(asked, since)
    if (step !== undefined) return step
  }
  const instructions = readInstructions(asked, text)
  if (instructions.length > 0) return work(asked, instructions, since, mayCall)
  if (since.some(({ type }) => type === 'result')) return { text: resultsInWords(since) }
  if (/summar/i.test(text)) return { text: buildSummary(asked) }
  if (text === '' || isNote(text)) return { text: 'The conversation so far was compacted.' }
  return { text: answerQuestion(asked, text, at) ?? `You said ${quoted(text)}. I have noted it.` }
}

/** The current request, without compaction notes and answered requests. */
function withoutNotes(parts: readonly AskedPart[]): readonly AskedPart[] {
  const isSaid = (part: AskedPart) => part.type !== 'text' || !isNote(part.text)
  const said = parts.filter(
    (part) => isSaid(part) && (part.type !== 'text' || textIn([part]) !== ''),
  )
  if (textIn(said) === '') return parts
  const answered = ANSWERED.exec(textIn(parts.filter((part) => !isSaid(part))))?.[1]
  if (answered === undefined) return said
  // A repeated request is a new one.
  return said.slice(1 + said.slice(0, -1).findLastIndex((part) => begins(textIn([part]), answered)))
}

const ANSWERED = /^Requests are answered up to and including \[ref:[^\]\s]+\] \(“(.{1,90}?)”\): /m

function begins(text: string, short: string): boolean {
  const line = text.replaceAll(/\s+/g, ' ')
  return short.endsWith('…') ? line.startsWith(short.slice(0, -1)) : line === short
}

/** A session may open with a summary, followed by the user's text in the same turn. */
function behindSummary(text: string): string {
  const [, said = ''] = /<\/(?:conversation-)?summary>\s*([^<]*)$/.exec(text) ?? []
  return said.trim() === '' ? text : said
}

function readInstructions({ tools }: Asked, text: string): readonly Instruction[] {
  const found = instructionsIn(text)
  const offersCompact = tools.some(({ name }) => name === 'compact')
  // Without the tool, «compact» at the start of a line is an ordinary word.
  const possible = found.filter(({ kind }) => kind !== 'compact' || offersCompact)
  if (possible.length > 0 || !offersCompact || !asksToCompact(text)) return possible
  return [{ kind: 'compact', words: '', said: 'compact' }]
}

/** Runs the next open instructions, or reports on all of them. */
function work(
  asked: Asked,
  instructions: readonly Instruction[],
  since: readonly AskedPart[],
  mayCall: boolean,
): ScriptedAnswer {
  const tools = mayCall ? asked.tools : []
  const callOf = (instruction: Instruction): AnswerCall | undefined => {
    if (instruction.kind !== 'compact') return callFor(instruction, tools)
    const rest = instructions.slice(instructions.indexOf(instruction) + 1)
    return compactCall({ ...asked, tools }, instruction.words, saidIn(rest))
  }
  const possible = instructions.filter((each) => callOf(each) !== undefined)
  const impossible = instructions.filter((each) => !possible.includes(each))
  let done = since.filter(isDone).length
  for (const group of findGroups(possible, asked.parallelCalls)) {
    if (done < group.length) {
      const calls = group.slice(done).flatMap((each) => callOf(each) ?? [])
      return { text: `I will ${group.slice(done).map(inWords).join(' and ')}.`, calls }
    }
    done -= group.length
  }
  const lacking = impossible.map((each) => `I have no tool to ${inWords(each)}.`)
  return { text: [...reports(possible, since), ...lacking].join('\n') }
}

/** True for a call, or for the note of a call that compacted its own conversation. */
function isDone(part: AskedPart): boolean {
  return part.type === 'call' || (part.type === 'text' && COMPACTED.test(part.text))
}

const COMPACTED = /(?:^|\n)I compacted the thread$/

function saidIn(instructions: readonly Instruction[]): string {
  return instructions.map(({ said }) => said).join('\n')
}

function reports(instructions: readonly Instruction[], since: readonly AskedPart[]) {
  return since.filter(isDone).map((call, index) => {
    const instruction = instructions[index]
    if (call.type !== 'call') return 'The conversation is compacted.'
    const result = since.find((part) => part.type === 'result' && part.id === call.id)
    const what = instruction === undefined ? call.name : inWords(instruction)
    return result?.type === 'result' ? buildReport(what, result) : `${what}: no result.`
  })
}

function resultsInWords(since: readonly AskedPart[]): string {
  return since
    .flatMap((part) => (part.type === 'result' ? [buildReport('The tool', part)] : []))
    .join('\n')
}

function buildReport(what: string, { text, failed }: { text: string; failed: boolean }): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const begin = lines.length === 0 ? 'nothing' : quoted(lines[0] ?? '')
  if (failed) return `${what} failed: ${begin}.`
  return `${what}: it begins ${begin} and has ${lines.length} lines, ${text.length} characters.`
}

/** A forced call is made once; then the results are reported. */
function forcedCall(asked: Asked, since: readonly AskedPart[]): ScriptedAnswer | undefined {
  const { toolChoice, tools } = asked
  if (toolChoice === 'auto' || toolChoice === 'none') return undefined
  const wanted = typeof toolChoice === 'string' ? undefined : toolChoice.name
  const fitting = tools.filter(({ name }) => wanted === undefined || name === wanted)
  const text = textIn(asked.turns[lastUserTurn(asked)]?.parts ?? [])
  const done = since.filter(({ type }) => type === 'call').length
  const next = instructionsIn(text)[done]
  const [first] = fitting
  if (first === undefined) return undefined
  const call = next === undefined ? undefined : callFor(next, fitting)
  const compact = first.name === 'compact' ? compactCall(asked, '', '') : undefined
  return { calls: [call ?? compact ?? plainCall(first)] }
}

/** A command or a request for the call, but not an instruction at the start of a line. */
function asksToCompact(text: string): boolean {
  return /(?:^|\s)[@/]compact\b|`compact`/.test(text)
}

/**
 * `words` may name a range (`from abc123 to def456`) and files (`with a.ts b.ts`); `rest` is what to do
 * afterwards. Undefined if the tool is not offered.
 */
function compactCall(asked: Asked, words: string, rest: string): AnswerCall | undefined {
  const tool = asked.tools.find(({ name }) => name === 'compact')
  if (tool === undefined) return undefined
  const { properties } = readFields(tool.schema)
  const summary = buildSummary(asked)
  const isRanged = 'replacements' in readFields(properties)
  const value: Json = isRanged
    ? { replacements: [{ ...rangeIn(asked, words), summary }] }
    : {
        summary,
        ...filesIn(words, readFields(properties)),
        ...(rest !== '' && 'continuation' in readFields(properties) && { continuation: rest }),
      }
  return { name: tool.name, arguments: value }
}

/** The named range; otherwise everything between the first and the last checkpoint before the request. */
function rangeIn(asked: Asked, words: string): { from?: string; to?: string } {
  const from = /\bfrom ([A-Za-z0-9]{6})\b/.exec(words)?.[1]
  const to = /\bto ([A-Za-z0-9]{6})\b/.exec(words)?.[1]
  if (from !== undefined || to !== undefined)
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const seen = checkpointsIn(asked)
  const [first, last] = [seen[0], seen.at(-1)]
  if (last === undefined) return {}
  return first === undefined || first === last ? { to: last } : { from: first, to: last }
}

/** Checkpoints before the request: what follows must stay. */
function checkpointsIn(asked: Asked): readonly string[] {
  return asked.turns
    .slice(0, lastUserTurn(asked))
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .flatMap((text) => [...text.matchAll(/^<checkpoint:([A-Za-z0-9]{6})>$/gm)])
    .map((found) => found[1] ?? '')
}

function filesIn(words: string, properties: { readonly [key: string]: Json }) {
  const named = /\bwith (?:the files? )?(.+)$/i.exec(words)?.[1]
  if (named === undefined || !('contextFiles' in properties)) return {}
  return { contextFiles: named.split(/[\s,]+/).filter((word) => /[./]/.test(word)) }
}

/** Edits a summary that is kept in a file. */
function edlStep(
  asked: Asked,
  text: string,
  since: readonly AskedPart[],
): ScriptedAnswer | undefined {
  if (!asked.tools.some(({ name }) => name === 'edl') || !text.includes('/summary.md'))
    return undefined
  if (since.some(({ type }) => type === 'call')) return { text: 'The summary is up to date.' }
  const script = `file \`/summary.md\`\ninsert_after <<END_OF_SUMMARY\n${buildSummary(asked, true)}\nEND_OF_SUMMARY`
  return { calls: [{ name: 'edl', arguments: { script } }] }
}
