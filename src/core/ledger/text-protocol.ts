// Agents without tool calls: a fenced command in the answer, its outcome in the next user message.
import { textOfUserContent, type UserContent } from '../view/content.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { shellIntent } from './dialects.ts'
import type { OpenCall } from './intent.ts'
import { OPEN_FILE } from './operation.ts'
import type { Outcome } from './settle.ts'

const FENCED = /(?:^|\n)```(?:mswea_bash_command|bash|sh|shell)?\n/g

const LONGEST_CHARS = 200_000

/** The command of an answer that has exactly one. */
export function actionIn(content: string, seq: number): OpenCall | undefined {
  if (!content.includes('```') || content.length > LONGEST_CHARS) return undefined
  const opening = [...content.matchAll(FENCED)]
  const start = opening[0] ? opening[0].index + opening[0][0].length : -1
  const end = content.indexOf('\n```', start)
  // A closing fence at the end of a line looks like an opening one.
  const isOnly = opening.every(({ index }) => index <= start || index >= end)
  if (start < 0 || end < 0 || !isOnly || opening.length > 2) return undefined
  const command = content.slice(start, end)
  return {
    id: '',
    name: 'command',
    subject: cutHead(command.split('\n', 1)[0] ?? '', 300),
    at: seq,
    // SWE-agent passes the new lines of an edit as lines of the command.
    intent: /^edit \d+:\d+\n/.test(command)
      ? { kind: 'files', operations: [{ op: 'edit', path: OPEN_FILE }] }
      : shellIntent(command, { persists: false }),
  }
}

interface SettledCall {
  readonly call: OpenCall
  readonly result: Outcome
}

/** Results in user messages: of Cline, SWE-agent and mini-SWE-agent. */
export function settledByText(calls: readonly OpenCall[], content: UserContent): SettledCall[] {
  const text = textOfUserContent(content)
  const said = calls.find(({ id }) => id === '')
  if (said !== undefined) {
    const isOutcome =
      /^\s*<returncode>-?\d/.test(text) ||
      /\(Current directory: .{1,1024}\)\s*bash-\$\s*$/.test(text.slice(-1_200))
    return isOutcome ? [{ call: said, result: asResult(text) }] : []
  }
  const [, name] = /^\s*\[(\w{1,100})(?: for '[^\n]{0,1024}'|)\] Result:/.exec(text) ?? []
  const call = calls.find((candidate) => candidate.name === name)
  return call ? [{ call, result: asResult(text) }] : []
}

function asResult(text: string): Outcome {
  const isError = /Result:\s*(?:The tool execution failed|<error>|Error)/.test(text.slice(0, 400))
  return { status: isError ? 'failed' : 'completed', content: [{ type: 'text', text }] }
}
