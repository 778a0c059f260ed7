// Makes room in the summary between two chunks: by a fresh agent, and by code where that does not do it.
import { PrecisError } from '../../core/errors.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { countKept, exactFacts } from '../summary/checks.ts'
import { type FoldState, type FoldTask, runFoldAgent, SummaryFile } from './fold-agent.ts'
import { makeRoomPrompt } from './prompt.ts'

/** Above this share of what the summary may have, room is made before the next chunk. */
const FULL = 0.75
/** What it may have afterwards. */
const ROOMY = 0.5
/** Of the exact facts, so many must still be there, or as many as code keeps. */
const LEAST_KEPT = 0.8

/** What one chunk may add: a fair part of what is left, and never next to nothing. */
export function allowanceOf(summaryChars: number, maxChars: number, chunksLeft: number): number {
  const left = Math.max(0, maxChars - summaryChars)
  return Math.floor(Math.max(maxChars / 8, Math.min(left, (2 * left) / Math.max(1, chunksLeft))))
}

export function isFull({ summary }: FoldState, maxChars: number): boolean {
  return summary.length > maxChars * FULL
}

/** Never fails for what a model does: then every line is cut by code, the oldest as much as the newest. */
export async function makeRoom(
  task: Pick<FoldTask, 'request' | 'converse' | 'onUsage'>,
  state: FoldState,
  maxChars: number,
): Promise<FoldState> {
  const targetChars = Math.floor(maxChars * ROOMY)
  const byCode = shortened(state.summary, targetChars)
  const file = new SummaryFile(state, maxChars)
  const prompt = makeRoomPrompt({ summaryChars: state.summary.length, targetChars })
  try {
    await runFoldAgent({ ...task, prompt, file })
  } catch (error) {
    if (!PrecisError.is(error) || error.code !== 'model-failed') throw error
    return { ...state, summary: byCode }
  }
  const made = file.state
  const isShort = made.summary.length <= maxChars * FULL && made.summary.trim() !== ''
  return isShort && keepsEnough(state.summary, made.summary, byCode)
    ? made
    : { ...state, summary: byCode }
}

function keepsEnough(before: string, after: string, byCode: string): boolean {
  const facts = exactFacts(before)
  const kept = countKept(facts, [after])
  return kept >= facts.size * LEAST_KEPT || kept >= countKept(facts, [byCode])
}

/** Below this a line would say nothing. */
const SHORTEST_LINE_CHARS = 24

/** Every line to the same length, the longest that fits; then, of too many, those in the middle go. */
function shortened(text: string, targetChars: number): string {
  const lines = [...new Set(text.split('\n').filter((line) => line.trim() !== ''))]
  const longest = Math.max(...lines.map(({ length }) => length), SHORTEST_LINE_CHARS)
  const cutTo = (chars: number) => lines.map((line) => cutLine(line, chars))
  let [low, high] = [SHORTEST_LINE_CHARS, longest]
  while (low < high) {
    const chars = Math.ceil((low + high) / 2)
    if (cutTo(chars).join('\n').length <= targetChars) low = chars
    else high = chars - 1
  }
  const cut = cutTo(low)
  while (cut.length > 2 && cut.join('\n').length > targetChars)
    cut.splice(Math.floor(cut.length / 2), 1)
  return `${cut.join('\n')}\n`
}

/** Without words that carry nothing, as long as that is enough; then what is exact behind its beginning. */
function cutLine(line: string, chars: number): string {
  if (line.length <= chars) return line
  const bare = line.replace(FILLERS, '')
  if (bare.length <= chars) return bare
  const facts = cutHead([...exactFacts(bare)].join(', '), chars - 1)
  return `${cutHead(bare, chars - facts.length - 1).trimEnd()} ${facts}`.trim()
}

const FILLERS =
  /\b(?:the|an?|is|are|was|were|has|have|had|been|be|that|which|of|so|and|then|also|very|really|just|in order)\b[ \t]+/gi
