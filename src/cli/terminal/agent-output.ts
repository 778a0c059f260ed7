// The output of an agent on a non-interactive terminal.
import type { Agent } from '../../agent/agent.ts'
import { type CompactionDisplay, CompactionWatch } from '../../agent/compaction/compaction-watch.ts'
import type { AgentFrame, RunResult } from '../../core/agent/frame.ts'
import type { ReportFallback } from '../../core/edit/report.ts'
import {
  committedFacts,
  isAsPlanned,
  renderCaveats,
  renderSizes,
} from '../../core/edit/report-text.ts'
import type { EventOf } from '../../core/log/event.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Io } from '../process-io.ts'
import { buildStyle, oneLine } from './terminal.ts'

const SUBJECT_COLUMNS = 80

interface AgentWatch {
  /**
   * Ends the line of an unfinished answer, so that the next output starts on its own line. Returns the end of
   * the last compaction if nothing followed: the command's end may repeat it.
   */
  end(): string
  stop(): void
}

/** The answer goes to standard output, everything else to standard error. */
export function watchAgent(
  agent: Agent,
  threadId: string,
  isQuiet: boolean,
  { stdout, stderr, environment }: Io,
): AgentWatch {
  const style = buildStyle(stderr, environment)
  let isLineOpen = false
  let held = ''
  const end = () => {
    if (isLineOpen) stdout.write('\n')
    isLineOpen = false
    const ended = held
    held = ''
    return ended
  }
  const beside = {
    write(text: string) {
      stderr.write(end() + text)
    },
  }
  const ends = {
    write(text: string) {
      beside.write('')
      held = text
    },
  }
  const display = new ConsoleCompactionDisplay(ends, ends)
  const ignore = agent.on((frame) => {
    if (frame.type === 'COMPACTION_COMPLETE') display.noteReport(frame)
    // The text of a sub-task is not the answer.
    const isAnswer = frame.type === 'text-delta' && frame.threadId === threadId
    if (isAnswer && !isQuiet && frame.text !== '') {
      if (held !== '') beside.write('')
      stdout.write(escapeSteering(frame.text))
      isLineOpen = !frame.text.endsWith('\n')
    }
    const line = readLine(frame)
    if (line !== undefined) beside.write(`${style.dim(escapeSteering(line))}\n`)
  })
  const watch = new CompactionWatch(agent, {
    onCompactionStart() {
      display.onCompactionStart()
      beside.write('')
    },
    onCompactionComplete: (event) => display.onCompactionComplete(event),
    onCompactionError: (error) => display.onCompactionError(error),
  })
  return {
    end,
    stop() {
      beside.write('')
      ignore()
      watch.cleanup()
    },
  }
}

function readLine(frame: AgentFrame): string | undefined {
  switch (frame.type) {
    case 'tool-start':
      return `→ ${frame.name} ${oneLine(frame.subject, SUBJECT_COLUMNS)}`
    case 'tool-end':
      return frame.status === 'completed' ? undefined : `  ${frame.name}: ${frame.status}`
    case 'notice':
      return frame.message
    case 'messages-returned':
      return frame.messages
        .map(
          (message) => `Not delivered, since the turn was cut short: ${textOfUserContent(message)}`,
        )
        .join('\n')
    case 'COMPACTION_PROGRESS':
      return frame.message
    case 'answer-restart':
      return `[${frame.reason} Asking again.]`
    case 'model-retry':
      return `[Attempt ${frame.attempt} of ${frame.attempts} in ${Math.ceil(frame.waitMs / 1_000)} s: ${frame.reason}]`
    default:
      return undefined
  }
}

// Compactions as console lines.

/** Provider messages are foreign text. */
const LONGEST_MESSAGE = 400

/** A destination of lines, such as standard output. */
interface LineStream {
  write(text: string): unknown
}

/** Surrounded by blank lines, because answers are streamed to the same console. */
export class ConsoleCompactionDisplay implements CompactionDisplay {
  readonly #out: LineStream
  readonly #err: LineStream
  #fallback: ReportFallback | undefined
  #isReplaced = false

  constructor(out: LineStream, err: LineStream) {
    this.#out = out
    this.#err = err
  }

  onCompactionStart(): void {
    this.#out.write('\n🔄 Compacting conversation to reduce size...\n')
  }

  /** Facts the event lacks; call this before showing its end. */
  noteReport({ report, fresh }: Pick<RunResult, 'report' | 'fresh'>): void {
    this.#fallback = report?.fallback
    this.#isReplaced = fresh?.replacedFor !== undefined
  }

  onCompactionComplete(event?: EventOf<'COMPACTION'>): void {
    const fresh = this.#isReplaced ? 'Compaction complete.' : '✅ Compaction complete!'
    const lines = event ? committedLines(event, this.#fallback) : [fresh]
    this.#out.write(`${lines.map((line) => oneLine(line, LONGEST_MESSAGE)).join('\n')}\n\n`)
  }

  onCompactionError(error: Error): void {
    const hint = 'hint' in error && typeof error.hint === 'string' ? [error.hint] : []
    const lines = [`❌ Compaction failed: ${error.message}`, ...hint]
    this.#err.write(`${lines.map((line) => oneLine(line, LONGEST_MESSAGE)).join('\n')}\n\n`)
  }
}

/** The sentence of LOG-59 if it is true, then the relevant figures. */
function committedLines({ data }: EventOf<'COMPACTION'>, fallback?: ReportFallback): string[] {
  const facts = committedFacts(data, fallback)
  const { strategy, isEmpty } = facts
  const sizes = renderSizes(facts)
  const caveats = renderCaveats(facts)
  if (isEmpty) return ['Nothing to compact: the context is as it was.', ...caveats]
  return [
    isAsPlanned(facts) ? `✅ Compaction complete! ${reduction(data)}` : `Compacted by ${strategy}.`,
    ...(sizes === '' ? [] : [`${strategy}: ${sizes}`]),
    ...caveats,
  ]
}

/** An empty thread, or one that grew, was not reduced. */
function reduction(data: EventOf<'COMPACTION'>['data']): string {
  const { originalEventCount: before, compactedEventCount: after } = data
  const percent = before > after ? Math.round((1 - after / before) * 100) : 0
  return `Reduced from ${before} to ${after} events (${percent}% reduction)`
}
