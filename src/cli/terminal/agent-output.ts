// The output of an agent on a non-interactive terminal
import type { Agent } from '../../agent/agent.ts'
import { type CompactionDisplay, CompactionWatch } from '../../agent/compaction/compaction-watch.ts'
import type { AgentFrame } from '../../core/agent/frame.ts'
import type { EventOf } from '../../core/log/event.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Io } from '../process-io.ts'
import { buildStyle, oneLine } from './terminal.ts'

const SUBJECT_COLUMNS = 80

interface AgentWatch {
  /** Ends the line of the answer, if one is open: whatever follows has a line of its own. */
  endLine(): void
  stop(): void
}

/** The answer to standard output, everything else to standard error. */
export function watchAgent(
  agent: Agent,
  threadId: string,
  isQuiet: boolean,
  { stdout, stderr, environment }: Io,
): AgentWatch {
  const style = buildStyle(stderr, environment)
  let isLineOpen = false
  const endLine = () => {
    if (isLineOpen) stdout.write('\n')
    isLineOpen = false
  }
  const beside = {
    write(text: string) {
      endLine()
      stderr.write(text)
    },
  }
  const watch = new CompactionWatch(agent, new ConsoleCompactionDisplay(beside, beside))
  const ignore = agent.on((frame) => {
    // What is said in a task of its own is not the answer.
    const isAnswer = frame.type === 'text-delta' && frame.threadId === threadId
    if (isAnswer && !isQuiet && frame.text !== '') {
      stdout.write(escapeSteering(frame.text))
      isLineOpen = !frame.text.endsWith('\n')
    }
    const line = readLine(frame)
    if (line !== undefined) beside.write(`${style.dim(escapeSteering(line))}\n`)
  })
  return {
    endLine,
    stop() {
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
    case 'answer-restart':
      return `[${frame.reason} Asking again.]`
    default:
      return undefined
  }
}

// Compactions as lines in a console.

/** What providers say is not ours, and may be anything. */
const LONGEST_MESSAGE = 400

/** Where lines go to, such as standard output. */
interface LineStream {
  write(text: string): unknown
}

/** A blank line stands around each, since answers are streamed to the same console. */
export class ConsoleCompactionDisplay implements CompactionDisplay {
  readonly #out: LineStream
  readonly #err: LineStream

  constructor(out: LineStream, err: LineStream) {
    this.#out = out
    this.#err = err
  }

  onCompactionStart(): void {
    this.#out.write('\n🔄 Compacting conversation to reduce size...\n')
  }

  onCompactionComplete(event?: EventOf<'COMPACTION'>): void {
    this.#out.write(`✅ Compaction complete!${event ? ` ${reduction(event)}` : ''}\n\n`)
  }

  onCompactionError(error: Error): void {
    this.#err.write(`❌ Compaction failed: ${oneLine(error.message, LONGEST_MESSAGE)}\n\n`)
  }
}

/** A thread that had nothing, or has more than before, was not reduced. */
function reduction({ data }: EventOf<'COMPACTION'>): string {
  const { originalEventCount: before, compactedEventCount: after, edits } = data
  if (edits?.length === 0) return 'Nothing had to go: the context is as it was'
  const percent = before > after ? Math.round((1 - after / before) * 100) : 0
  return `Reduced from ${before} to ${after} events (${percent}% reduction)`
}
