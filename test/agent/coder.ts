// A coder who needs no model: tasks from a seed, and a script that works them off from what each request says.
import { prose } from '../../bench/core/conversation.ts'
import type { Json } from '../../src/core/text/json.ts'
import { assist } from '../../src/dev-model/assistant/assistant.ts'
import type { AnswerCall, Asked, AskedPart, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { Random } from '../generate/random.ts'

interface Step {
  readonly name: string
  readonly arguments: Json
}

export interface CodingTask {
  readonly number: number
  readonly message: string
  readonly steps: readonly Step[]
}

/** How many files there are to read, edit and search from the start. */
export const MODULES = 8
const [FEWEST_STEPS, MOST_STEPS] = [3, 7]
/** One task in so many the coder compacts by itself, once, where it has the tool for it. */
const COMPACTS_EVERY = 4

/** The path of a file, and what stands in it at the start. */
export function moduleFile(number: number): { readonly path: string; readonly content: string } {
  const random = new Random(number)
  const lines = Array.from(
    { length: 40 },
    (_, index) => `export const value${index} = '${prose(random, 60)}'`,
  )
  return { path: `src/module-${number}.ts`, content: `// version 0\n${lines.join('\n')}\n` }
}

/**
 * What it answers follows from the seed and the request, and from which steps it has seen results of: a
 * model would read that in the files. It never relies on a step whose result a compaction has swallowed.
 */
export class Coder {
  readonly #seed: number
  readonly #seen = new Set<string>()
  readonly #compactedIn = new Set<number>()

  constructor(seed: number) {
    this.#seed = seed
  }

  taskOf(number: number): CodingTask {
    const random = new Random(this.#seed * 10_007 + number)
    const steps = Array.from({ length: random.int(FEWEST_STEPS, MOST_STEPS) }, (_, index) =>
      stepOf(random, number, index),
    )
    return { number, message: `Task ${number}: ${prose(random, random.int(20, 60))}.`, steps }
  }

  /** Whether the results of all its steps were read. */
  hasDone(number: number): boolean {
    return this.taskOf(number).steps.every((_, index) => this.#seen.has(`${number}_${index}`))
  }

  /** For the stand-in. Summaries are those of its assistant, which are honest, and name the task. */
  readonly script = (asked: Asked): ScriptedAnswer | undefined => {
    const number = latestTask(asked)
    if (asksForSummary(asked)) return this.#summary(asked, number)
    if (number === undefined) return { text: 'I do not see a task.' }
    if (/call your `compact` tool/.test(lastText(asked))) return undefined
    this.#noteResults(asked)
    const random = new Random(this.#seed + hashOf(JSON.stringify(asked.turns)))
    const open = this.#openSteps(number)
    const compact = this.#compactCall(asked, number, random)
    if (compact) return { text: 'This is getting long.', calls: [compact] }
    if (open.length === 0) return { text: `Task ${number} is done. ${prose(random, 80)}` }
    const calls = open
      .slice(0, random.int(1, 3))
      .map(({ key, step }): AnswerCall => ({ ...step, id: `step_${key}_${random.int(0, 1e9)}` }))
    return { text: prose(random, random.int(10, 200)), calls }
  }

  /** What the assistant says, or writes into a file of its own, with the task before it. */
  #summary(asked: Asked, number: number | undefined): ScriptedAnswer {
    const answer = assist(asked)
    if (number === undefined) return answer
    const task = `Asked last: ${this.taskOf(number).message}`
    const { text = '', calls = [] } = answer
    if (calls.length === 0) return { ...answer, text: `${task}\n\n${text}` }
    return { ...answer, calls: calls.map((call) => withLine(call, task)) }
  }

  #openSteps(number: number): { readonly key: string; readonly step: Step }[] {
    return this.taskOf(number)
      .steps.map((step, index) => ({ key: `${number}_${index}`, step }))
      .filter(({ key }) => !this.#seen.has(key))
  }

  /** A call that was stopped is made again. */
  #noteResults(asked: Asked): void {
    for (const part of asked.turns.flatMap(({ parts }) => parts)) {
      if (part.type !== 'result' || /^aborted/i.test(part.text)) continue
      const key = /step_(\d+_\d+)_\d+$/.exec(part.id)?.[1]
      if (key !== undefined) this.#seen.add(key)
    }
  }

  /** Undefined where it is not due, or not offered. The summary says all that is needed to go on. */
  #compactCall(asked: Asked, number: number, random: Random): AnswerCall | undefined {
    const tool = asked.tools.find(({ name }) => name === 'compact')
    if (!tool || number % COMPACTS_EVERY !== 0 || this.#compactedIn.has(number)) return undefined
    this.#compactedIn.add(number)
    const { message } = this.taskOf(number)
    const summary = `I am asked: ${message} Before that: ${prose(random, 300)}`
    if (!JSON.stringify(tool.schema).includes('replacements')) {
      const file = moduleFile(random.int(0, MODULES - 1)).path
      const isDone = this.hasDone(number)
      return {
        name: 'compact',
        arguments: {
          summary,
          ...(random.chance(0.3) && { contextFiles: [file] }),
          ...(!isDone && { continuation: `Go on with task ${number}.` }),
        },
      }
    }
    const checkpoints = checkpointsIn(asked)
    const from = random.chance(0.5) ? checkpoints[random.int(0, checkpoints.length - 2)] : undefined
    const to = checkpoints.at(-1)
    return {
      name: 'compact',
      arguments: {
        replacements: [
          { summary, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
        ],
      },
    }
  }
}

/** Without the tools of the conversation, with them and no leave to call them, or in so many words. */
export function asksForSummary(asked: Asked): boolean {
  const { tools, toolChoice } = asked
  if (toolChoice === 'none' || !tools.some(({ name }) => name === 'run')) return true
  return /about to be replaced by|CONTEXT CHECKPOINT COMPACTION/.test(lastText(asked))
}

/** The text that an EDL script inserts, with one more line before it. */
function withLine(call: AnswerCall, line: string): AnswerCall {
  const { script } = call.arguments as { script?: string }
  if (script === undefined) return call
  return { ...call, arguments: { script: script.replace(/(<<\w+\n)/, `$1${line}\n\n`) } }
}

function stepOf(random: Random, task: number, index: number): Step {
  const { path } = moduleFile(random.int(0, MODULES - 1))
  const kind = random.weighted({ read: 4, write: 2, edit: 2, search: 1, list: 1, test: 1, git: 1 })
  switch (kind) {
    case 'read':
      return { name: 'read', arguments: { path } }
    case 'write': {
      const content = `// task ${task}\n${prose(random, random.int(50, 1_500))}\n`
      return { name: 'write', arguments: { path: `notes/${random.int(0, 20)}.md`, content } }
    }
    case 'edit':
      // What stands there depends on the tasks before: where it does not match, that is a result, too.
      return {
        name: 'edit',
        arguments: { path, oldText: '// version', newText: `// task ${task}.${index}, version` },
      }
    case 'search':
      return {
        name: 'search',
        arguments: { pattern: `value${random.int(10, 29)} = `, path: 'src' },
      }
    case 'list':
      return { name: 'list', arguments: {} }
    case 'test':
      return { name: 'run', arguments: { command: 'sh test.sh' } }
    case 'git':
      return {
        name: 'run',
        arguments: { command: `git add -A && git commit -qm 'task ${task}'; git log --oneline -5` },
      }
  }
}

/** The task with the highest number that the request speaks of. */
function latestTask(asked: Asked): number | undefined {
  const texts = asked.turns.flatMap(({ parts }) => parts.flatMap(saidIn))
  const numbers = texts.flatMap((text) =>
    [...text.matchAll(/\b[Tt]ask (\d+)\b/g)].map(([, number]) => Number(number)),
  )
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

function lastText(asked: Asked): string {
  return asked.turns.at(-1)?.parts.flatMap(saidIn).join('\n') ?? ''
}

function checkpointsIn(asked: Asked): string[] {
  const texts = asked.turns.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)
  return texts
    .flatMap(saidIn)
    .flatMap((text) => [...text.matchAll(/^<checkpoint:([a-z0-9]{6})>$/gm)])
    .map(([, id]) => id ?? '')
}

function saidIn(part: AskedPart): string[] {
  return part.type === 'text' ? [part.text] : []
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
