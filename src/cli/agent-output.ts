// What a person sees of an agent at work, in a terminal that is not interactive.
import type { Agent } from '../agent/agent.ts'
import { CompactionWatch } from '../agent/compaction-watch.ts'
import { textOfUserContent } from '../core/content.ts'
import type { AgentFrame } from '../core/frame.ts'
import { ConsoleCompactionDisplay } from './compaction-display.ts'
import { oneLine, styleOf } from './terminal.ts'

const SUBJECT_COLUMNS = 80

/** The answer to standard output, everything else to standard error. Returns what ends it. */
export function watchAgent(agent: Agent, threadId: string, isQuiet: boolean): () => void {
  const style = styleOf(process.stderr)
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const watch = new CompactionWatch(
    agent,
    new ConsoleCompactionDisplay(process.stderr, process.stderr),
  )
  const ignore = agent.on((frame) => {
    // What is said in a task of its own is not the answer.
    const isAnswer = frame.type === 'text-delta' && frame.threadId === threadId
    if (isAnswer && !isQuiet) process.stdout.write(frame.text)
    const line = lineOf(frame)
    if (line !== undefined) say(style.dim(line))
  })
  return () => {
    ignore()
    watch.cleanup()
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
      return `\n[${frame.reason} Asking again.]`
    default:
      return undefined
  }
}
