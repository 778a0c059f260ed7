// Notices of aider between messages: added files and edits
import type { Json } from '../text/json.ts'
import { fieldsOf, isPath, listIn } from './call-fields.ts'
import { FileWork } from './file-work.ts'
import type { Ledger } from './records.ts'

const MOST_RECORDS = 200

export function aiderNotices(ledger: Ledger, data: Json, seq: number): Ledger {
  const fields = fieldsOf(data)
  if (fields.format !== 'aider') return ledger
  const work = new FileWork(ledger.tree, seq)
  for (const record of listIn(fields, 'records')?.slice(0, MOST_RECORDS) ?? []) {
    const raw = fieldsOf(record).raw
    if (typeof raw === 'string') noteLines(work, raw)
  }
  return work.tree === ledger.tree ? ledger : { ...ledger, tree: work.tree }
}

function noteLines(work: FileWork, raw: string): void {
  const lines = raw.split('\n', 2_000)
  const agreed = new Set<string>()
  lines.forEach((line, at) => {
    if (/^> Create new file\? .*: y/i.test(line)) agreed.add(named(lines[at - 1] ?? ''))
    const [, verb, name] =
      /^> (Applied edit to|Added) (.{1,1024}?)(?: to the chat.{0,20})?\s*$/.exec(line) ?? []
    if (verb === undefined || name === undefined || !isPath(name)) return
    if (verb === 'Added' && !line.includes(' to the chat')) return
    const path = { name }
    if (verb === 'Added') work.apply({ op: 'read', path }, { folder: '' })
    else if (agreed.has(name)) work.apply({ op: 'write', path, isNew: true }, { folder: '' })
    else work.apply({ op: 'edit', path }, { folder: '' })
  })
}

function named(line: string): string {
  return line.replace(/^> /, '').trim()
}
