// The output of an agent on a non-interactive terminal
import type { Agent } from '../../agent/agent.ts'
import { CompactionWatch } from '../../agent/compaction/compaction-watch.ts'
import type { AgentFrame } from '../../core/agent/frame.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Io } from '../process-io.ts'
import { ConsoleCompactionDisplay } from './compaction-display.ts'
import { oneLine, styleOf } from './terminal.ts'

const SUBJECT_COLUMNS = 80

export interface AgentWatch {
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
  const style = styleOf(stderr, environment)
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
    const line = lineOf(frame)
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

function lineOf(frame: AgentFrame): string | undefined {
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
