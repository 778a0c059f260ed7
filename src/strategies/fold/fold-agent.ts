// The small agent that folds one chunk into the summary, in a separate conversation with two tools.
import { PrecisError } from '../../core/errors.ts'
import type { AskedCall, ConverseAnswer, ConverseRequest } from '../../core/ports.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { TokenUsage, ToolStatus } from '../../core/view/content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import {
  createRegisters,
  type EdlRegisters,
  type FileIO,
  InMemoryFileIO,
  runScript,
} from '../../edl/index.ts'
import { FOLD_SYSTEM, FOLD_TOOLS, SUMMARY_PATH } from './prompt.ts'

export interface FoldTask {
  readonly prompt: string
  readonly file: SummaryFile
  readonly converse: (request: ConverseRequest) => Promise<ConverseAnswer>
  /** The model, its output limit, the conversation's model, and the signal. */
  readonly request: Pick<ConverseRequest, 'model' | 'maxOutputTokens' | 'conversation' | 'signal'>
  /** Called for each answer, even a useless one. */
  onUsage(usage: TokenUsage): void
}

/** Answers with calls per chunk. */
const MAX_TOOL_ROUNDS = 16
/** How many of these in a row may change nothing: each sends the chunk again. */
const MAX_IDLE_ROUNDS = 6
/** Calls run per answer. */
const MAX_CALLS = 16

/** Rejects if the conversation fails; the file may then be incomplete. */
export async function runFoldAgent(task: FoldTask): Promise<void> {
  const { prompt, file, request } = task
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }]
  let idle = 0
  for (let round = 0; round <= MAX_TOOL_ROUNDS && idle <= MAX_IDLE_ROUNDS; round += 1) {
    const before = file.text
    requireGoingOn(task)
    const answer = await task.converse({
      ...request,
      system: FOLD_SYSTEM,
      messages: [...messages],
      tools: FOLD_TOOLS,
    })
    if (answer.usage) task.onUsage(answer.usage)
    requireGoingOn(task)
    requireGoodEnd(answer)
    if (answer.calls.length === 0) return
    messages.push(answer.message, { role: 'user', parts: await readResults(file, answer) })
    idle = file.text === before ? idle + 1 : 0
  }
  const isIdle = idle > MAX_IDLE_ROUNDS
  throw new PrecisError(
    'model-failed',
    isIdle
      ? `The model called tools ${idle} times in a row without changing the summary.`
      : `The model was still editing the summary after ${MAX_TOOL_ROUNDS} rounds of tool calls.`,
    { hint: 'Choose another model as models.fast, or type /strategy cascade and then /compact.' },
  )
}

/** Ignores an answer that arrives after the abort. */
function requireGoingOn({ request: { signal } }: FoldTask): void {
  if (signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
}

const ENDINGS: Readonly<Record<string, string>> = {
  length: 'was cut off: its answer reached the longest that it may have',
  pause: 'paused in the middle of its answer',
  refusal: 'refused to answer',
  aborted: 'was stopped',
  error: 'ended with an error',
}

function requireGoodEnd({ stopReason, calls }: ConverseAnswer): void {
  const ending = ENDINGS[stopReason]
  const isLost = stopReason === 'tool_use' && calls.length === 0
  if (ending === undefined && !isLost) return
  throw new PrecisError(
    'model-failed',
    `The model that edits the summary ${ending ?? 'called a tool that did not arrive'}.`,
    {
      hint: 'Try again, choose another model as models.fast, or type /strategy cascade and then /compact.',
      retryable: stopReason === 'error',
    },
  )
}

/** Runs all calls in order, since each may change the file. */
async function readResults(file: SummaryFile, { calls }: ConverseAnswer): Promise<MessagePart[]> {
  const results: MessagePart[] = []
  for (const [at, call] of calls.entries()) {
    const { status, text } =
      at < MAX_CALLS
        ? await file.run(call)
        : ({ status: 'failed', text: `Only ${MAX_CALLS} calls of an answer are run.` } as const)
    results.push({ type: 'tool_result', id: call.id, content: [{ type: 'text', text }], status })
  }
  return results
}

/** The small agent's tools on one file in memory; nothing else is readable or writable. */
interface ToolAnswer {
  readonly status: Extract<ToolStatus, 'completed' | 'failed'>
  readonly text: string
}

/** Limits of a script: far more than a summary needs. */
const SCRIPT_LIMITS = {
  scriptChars: 200_000,
  commands: 1_000,
  ranges: 10_000,
  regexSteps: 10_000_000,
}
/** How much of a script's report the model sees. */
const REPORT_CHARS = 8_000
/** Registers the agent may still remember. */
const KEPT_REGISTERS = 32
const TOO_LONG = /The file would have \d+ characters; at most/
const UNCHANGED = `${SUMMARY_PATH} is as you have read it last; nothing has changed since.`

/** The state between chunks. Plain JSON, so it can be stored and resumed. */
export interface FoldState {
  readonly summary: string
  readonly registers: readonly (readonly [name: string, text: string])[]
  readonly nextSavedId: number
}

export const EMPTY_FOLD: FoldState = { summary: '', registers: [], nextSavedId: 1 }

/** The summary as one agent edits it, starting from the previous chunk's result. */
export class SummaryFile {
  readonly #files: InMemoryFileIO
  readonly #registers: EdlRegisters
  readonly #maxChars: number
  /** What the agent has seen, to avoid repeating it. */
  #shown: string | undefined

  constructor(state: FoldState, maxChars: number) {
    this.#files = new InMemoryFileIO({ [SUMMARY_PATH]: state.summary })
    this.#registers = createRegisters()
    for (const [name, text] of state.registers) this.#registers.registers.set(name, text)
    this.#registers.nextSavedId = state.nextSavedId
    this.#maxChars = Math.max(maxChars, state.summary.length)
  }

  get text(): string {
    return this.#files.getFileContents(SUMMARY_PATH) ?? ''
  }

  get state(): FoldState {
    const { registers, nextSavedId } = this.#registers
    return { summary: this.text, registers: [...registers].slice(-KEPT_REGISTERS), nextSavedId }
  }

  /** Never rejects: a problem is the call's result. */
  async run({ name, arguments: input, problem }: AskedCall): Promise<ToolAnswer> {
    if (problem !== undefined) return failed(problem)
    if (name === 'get_file') return this.#getFile(input)
    if (name === 'edl') return this.#edit(input)
    return failed(
      `There is no tool ${JSON.stringify(cutHead(name, 100))}; there are get_file and edl.`,
    )
  }

  #getFile(input: Json): ToolAnswer {
    const path = readField(input, 'path')
    if (path !== SUMMARY_PATH) return failed(`get_file takes {"path": "${SUMMARY_PATH}"}.`)
    const { text } = this
    const isKnown = this.#shown === text
    this.#shown = text
    if (isKnown) return { status: 'completed', text: UNCHANGED }
    return { status: 'completed', text: text === '' ? '(the file is empty)' : text }
  }

  async #edit(input: Json): Promise<ToolAnswer> {
    const script = readField(input, 'script')
    if (script === undefined) return failed('edl takes {"script": "…"}.')
    const result = await runScript(script, this.#confined(), {
      registers: this.#registers,
      limits: { ...SCRIPT_LIMITS, fileChars: this.#maxChars },
    })
    if (result.status === 'error') return failed(cutHead(result.error, REPORT_CHARS))
    if (TOO_LONG.test(result.text))
      return failed(`${cutHead(result.text, REPORT_CHARS)}\n${this.#roomLeft()}`)
    const status = result.errors.length > 0 ? 'failed' : 'completed'
    return { status, text: cutHead(result.text, REPORT_CHARS) }
  }

  /** What to do about an edit that was too long. */
  #roomLeft(): string {
    const left = Math.max(0, this.#maxChars - this.text.length)
    return `${SUMMARY_PATH} has ${this.text.length} of at most ${this.#maxChars} characters: ${left} are left. Write less, or first replace what is out of date or said twice by fewer words; keep names and values.`
  }

  /** Other paths do not exist and cannot be created. */
  #confined(): FileIO {
    const files = this.#files
    const only = (path: string) => {
      if (path !== SUMMARY_PATH) throw new Error(`there is only ${SUMMARY_PATH}`)
    }
    return {
      async readFile(path) {
        only(path)
        return files.readFile(path)
      },
      async writeFile(path, text) {
        only(path)
        await files.writeFile(path, text.toWellFormed())
      },
      fileExists: async (path) => path === SUMMARY_PATH,
      mkdir: async () => undefined,
    }
  }
}

function failed(text: string): ToolAnswer {
  return { status: 'failed', text }
}

function readField(input: Json, name: string): string | undefined {
  const value = isFields(input) ? input[name] : undefined
  return typeof value === 'string' ? value : undefined
}
