// Texts of clients, and texts that are outdated once an answer is complete.
import type { ToolResult } from '../../core/view/content.ts'

const TODO_ITEM = /^(?:completed|in_progress|pending|cancelled): ./

/** A reminder of the todo list, one status per item: the ledger has the current one. */
export function isTodoList(text: string): boolean {
  return text.split('\n').every((line) => TODO_ITEM.test(line))
}

const PLAN_NOTICE = /\n\s*If you need specific details from before exiting plan mode[^\n]*\s*$/

export function withoutNotice(text: string): string {
  return text.replace(PLAN_NOTICE, '')
}

/** Claude Code's wording; older files do not mark it otherwise. */
const TURNED_DOWN = /^The user doesn't want to (?:proceed with this tool use|take this action)/

/** A call somebody denied. */
export function isRefused({ status, content }: ToolResult): boolean {
  return status === 'denied' || (status === 'failed' && TURNED_DOWN.test(content[0]?.text ?? ''))
}
