// The small agent that folds one chunk into the summary: a talk of its own, with two tools and an end.
import { PrecisError } from '../../core/errors.ts'
import type { ConverseAnswer, ConverseRequest } from '../../core/ports.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import type { SummaryFile } from './fold-agent-tools.ts'
import { FOLD_SYSTEM } from './prompt.ts'
import { FOLD_TOOLS } from './tool-prompts.ts'

export interface FoldTask {
  readonly prompt: string
  readonly file: SummaryFile
  readonly converse: (request: ConverseRequest) => Promise<ConverseAnswer>
  /** Who is asked, how long an answer may be, whose conversation it is, and what stops it. */
  readonly request: Pick<ConverseRequest, 'model' | 'maxOutputTokens' | 'conversation' | 'signal'>
  /** Told of each answer, also of one that is of no use. */
  onUsage(usage: TokenUsage): void
}

/** Answers with calls that one chunk may take. */
const MAX_TOOL_ROUNDS = 16
/** Calls in one answer that are run. */
const MAX_CALLS = 16

/** Rejects if the talk does not come to a good end; the file may be half done then. */
export async function runFoldAgent(task: FoldTask): Promise<void> {
  const { prompt, file, request } = task
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }]
  for (let round = 0; round <= MAX_TOOL_ROUNDS; round += 1) {
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
    messages.push(answer.message, { role: 'user', parts: await resultsOf(file, answer) })
  }
  throw new PrecisError(
    'model-failed',
    `The model was still editing the summary after ${MAX_TOOL_ROUNDS} rounds of tool calls.`,
    { hint: 'Choose another model as models.fast, or another strategy.' },
  )
}

/** An answer that comes after the end of it all changes nothing. */
function requireGoingOn({ request: { signal } }: FoldTask): void {
  if (signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
}

const ENDINGS: Readonly<Record<string, string>> = {
  length: 'was cut off at its longest',
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
    `The model that edits the summary ${ending ?? 'called a tool that did not arrive'} (${stopReason}).`,
    {
      hint: 'Try again, choose another model as models.fast, or use another strategy.',
      retryable: stopReason === 'error',
    },
  )
}

/** All calls, one after the other, since each may change the file for the next. */
async function resultsOf(file: SummaryFile, { calls }: ConverseAnswer): Promise<MessagePart[]> {
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
