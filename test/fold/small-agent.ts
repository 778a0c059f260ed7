// The small agent of a fold, played by the stand-in: reads the summary, adds its line, and says that it is done.
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Asked, ScriptedAnswer, ScriptFunction } from '../../src/dev-model/index.ts'
import { textOf } from '../agent/past.ts'
import { answer, user } from '../say.ts'

/** Which chunk a request is about, and how often the agent has got results so far. */
export interface Stage {
  readonly chunk: number
  readonly total: number
  readonly round: number
  readonly prompt: string
  readonly asked: Asked
}

/** Undefined for requests of the main agent. */
export function stageOf(asked: Asked): Stage | undefined {
  if (asked.tools.map(({ name }) => name).join() !== 'get_file,edl') return undefined
  const [first, ...rest] = asked.turns
  const prompt = first?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  const [, chunk, total] = /^This is chunk (\d+) of (\d+)/.exec(prompt) ?? []
  const round = rest.filter(({ parts }) => parts.some(({ type }) => type === 'result')).length
  return { chunk: Number(chunk), total: Number(total), round, prompt, asked }
}

export const READ = { calls: [{ name: 'get_file', arguments: { path: '/summary.md' } }] }
export const DONE = { text: 'Done.' }

export function edit(script: string): ScriptedAnswer {
  return { calls: [{ name: 'edl', arguments: { script } }] }
}

export function addLine(line: string): ScriptedAnswer {
  return edit(`file /summary.md\ninsert_after <<END_OF_LINE\n${line}\nEND_OF_LINE`)
}

/** What an honest agent does at each stage. */
function honest({ chunk, round }: Stage): ScriptedAnswer {
  return [READ, addLine(`Chunk ${chunk} was folded.`)][round] ?? DONE
}

/** In place of what an honest agent does; undefined leaves it to that. */
export type SmallAgent = (
  stage: Stage,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

export interface Folding {
  readonly fold?: SmallAgent
  /** What the main agent says. */
  readonly main?: ScriptedAnswer
}

/** A script for the stand-in: the small agents, and the main one. */
export function folding({ fold, main = { text: 'On we go.' } }: Folding = {}): ScriptFunction {
  return async (asked) => {
    const stage = stageOf(asked)
    if (!stage) return main
    return (await fold?.(stage)) ?? honest(stage)
  }
}

/** A past of so many exchanges, each of about so many tokens; each with a mark of its own. */
export function pastOf(exchanges: number, tokens: number): EventDraft[] {
  return Array.from({ length: exchanges }, (_, at) => [
    user(`Request ${at + 1}, marked MARK-${at + 1}.\n${textOf(tokens)}`),
    ...answer(`Answer ${at + 1}.`),
  ]).flat()
}
