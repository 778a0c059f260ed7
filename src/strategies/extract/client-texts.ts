// What clients put into a conversation and what no longer holds once it is over

const TODO_ITEM = /^(?:completed|in_progress|pending|cancelled): ./

/** A list that the agent is put in mind of, each item behind its status: the ledger has it as it is now. */
export function isTodoList(text: string): boolean {
  return text.split('\n').every((line) => TODO_ITEM.test(line))
}

const PLAN_NOTICE = /\n\s*If you need specific details from before exiting plan mode[^\n]*\s*$/

export function withoutNotice(text: string): string {
  return text.replace(PLAN_NOTICE, '')
}
