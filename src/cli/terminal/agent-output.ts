// The output of an agent on a non-interactive terminal.
import type { Agent } from '../../agent/agent.ts'
import { CompactionWatch } from '../../agent/compaction/compaction-watch.ts'
import type { AgentFrame } from '../../core/agent/frame.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Io } from '../process-io.ts'
import { ConsoleCompactionDisplay } from './compaction-display.ts'
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
  let answering = threadId // or the new session that `@compact` opens
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
    if (frame.type === 'COMPACTION_COMPLETE') {
      display.noteReport(frame)
      if (frame.threadId === answering) answering = frame.fresh?.threadId ?? answering
    }
    // The text of a sub-task is not the answer.
    const isAnswer = frame.type === 'text-delta' && frame.threadId === answering
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
