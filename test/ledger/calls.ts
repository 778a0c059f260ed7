// Short words for calls with their results, and the ledger that comes of them.
import { ledgerReducer } from '../../src/core/ledger/ledger.ts'
import { ledgerFiles } from '../../src/core/ledger/ledger-lines.ts'
import type { Ledger } from '../../src/core/ledger/records.ts'
import { EVENT_VERSION, type EventDraft, type ThreadEvent } from '../../src/core/log/event.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { ToolStatus } from '../../src/core/view/content.ts'

let count = 0

/** A call and its result. */
export function done(
  name: string,
  input: Json,
  text = '',
  more: { readonly status?: ToolStatus; readonly metadata?: Json } = {},
): EventDraft[] {
  count += 1
  const id = `call_${count}`
  const { status = 'completed', metadata } = more
  return [
    { type: 'AGENT_MESSAGE', data: { content: '', calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name, arguments: input, answer: 0 } },
    {
      type: 'TOOL_RESULT',
      data: {
        id,
        status,
        content: [{ type: 'text', text }],
        ...(metadata !== undefined && { metadata }),
      },
    },
  ]
}

/** A command of a shell that stays open, as Claude Code has it. */
export function ran(command: string, text = '', exitCode = 0): EventDraft[] {
  const isDone = exitCode === 0
  const output = isDone ? text : `Exit code ${exitCode}\n${text}`
  return done('Bash', { command }, output, { status: isDone ? 'completed' : 'failed' })
}

export function eventsOf(drafts: readonly EventDraft[]): ThreadEvent[] {
  return drafts.map(
    (draft, at) =>
      ({
        v: EVENT_VERSION,
        threadId: 'thr_1',
        timestamp: new Date(0),
        id: `evt_${at + 1}`,
        seq: at + 1,
        ...draft,
      }) as ThreadEvent,
  )
}

export function ledgerOf(...drafts: readonly EventDraft[]): Ledger {
  return eventsOf(drafts).reduce(
    (ledger, event) => ledgerReducer.step(ledger, event),
    ledgerReducer.init(),
  )
}

/** `created a.ts`, `renamed a.ts → b.ts`, `read a.ts`: what became of the files, in order. */
export function fates(ledger: Ledger): string[] {
  return ledgerFiles(ledger)
    .map(({ path, state, from }) => {
      const name = from === undefined ? path : `${from} → ${path}`
      return `${state ?? 'read'} ${name}`
    })
    .sort()
}
