// What clients put into a conversation and what no longer holds once it is over
import type { ToolResult } from '../../core/view/content.ts'

const TODO_ITEM = /^(?:completed|in_progress|pending|cancelled): ./

/** A list that the agent is put in mind of, each item behind its status: the ledger has it as it is now. */
export function isTodoList(text: string): boolean {
  return text.split('\n').every((line) => TODO_ITEM.test(line))
}

const PLAN_NOTICE = /\n\s*If you need specific details from before exiting plan mode[^\n]*\s*$/

export function withoutNotice(text: string): string {
  return text.replace(PLAN_NOTICE, '')
}

/** How Claude Code says it: older files have no mark of their own for it. */
const TURNED_DOWN = /^The user doesn't want to (?:proceed with this tool use|take this action)/

/** A call that somebody did not allow. */
export function isRefused({ status, content }: ToolResult): boolean {
  return status === 'denied' || (status === 'failed' && TURNED_DOWN.test(content[0]?.text ?? ''))
}
