// The texts that a proposal would put into the context: shown to people, and changed by them.
import type { Edit, EntryLabel, NewEntry, Put } from '../../core/edit/change.ts'
import type { FreshStart, Proposal } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { isNewEntry } from '../../core/view/entry.ts'
import type { PreviewText } from '../../protocol/client.ts'

/** What was written for the conversation. The rest stands for what tools said, and is not for people to change. */
const WRITTEN: ReadonlySet<EntryLabel> = new Set(['summary', 'brief', 'continuation'])
const FRESH_KEY = 'fresh'

export function readTexts({ edits, fresh }: Proposal): PreviewText[] {
  if (fresh)
    return [
      { key: FRESH_KEY, label: 'summary', text: fresh.summary, isEditable: canEditFresh(fresh) },
    ]
  return edits.flatMap((edit, at) =>
    edit.put.flatMap((put, place) => {
      const text = isNewEntry(put) ? readText(put) : undefined
      if (!isNewEntry(put) || text === undefined) return []
      return [{ key: readKey(at, place), label: put.label, text, isEditable: canEdit(put) }]
    }),
  )
}

/** The proposal with other words. What people write is taken as it is: the model's own is judged no more. */
export function withTexts(proposal: Proposal, texts: Readonly<Record<string, string>>): Proposal {
  const known = new Map(readTexts(proposal).map((text) => [text.key, text]))
  const changed = Object.entries(texts).filter(([key, text]) => known.get(key)?.text !== text)
  for (const [key, text] of changed) requireEditable(key, text, known.get(key))
  if (changed.length === 0) return proposal
  const { written: _, stopReason: __, ...rest } = proposal
  const given = new Map(changed)
  return {
    ...rest,
    ...(proposal.fresh && { fresh: withSummary(proposal.fresh, given.get(FRESH_KEY)) }),
    edits: proposal.edits.map((edit, at) => withEdit(edit, at, given)),
  }
}

function withEdit(edit: Edit, at: number, given: ReadonlyMap<string, string>): Edit {
  const put = edit.put.map((each, place): Put => {
    const text = given.get(readKey(at, place))
    return text === undefined || !isNewEntry(each) ? each : withText(each, text)
  })
  return { ...edit, put }
}

function requireEditable(key: string, text: string, known: PreviewText | undefined): void {
  if (!known)
    throw new PrecisError('invalid-input', `The preview has no text ${key.slice(0, 100)}.`, {
      where: 'texts',
      hint: 'Use the keys of its `texts`.',
    })
  if (!known.isEditable)
    throw new PrecisError('invalid-input', `The text ${key} cannot be changed.`, {
      where: 'texts',
      hint: 'Omit it: only texts with `isEditable` can be changed.',
    })
  if (!/[^\p{C}\p{Z}]/u.test(text))
    throw new PrecisError('invalid-input', `The text ${key} would be empty.`, {
      where: 'texts',
      hint: 'Send a text, or drop the preview.',
    })
}

function readKey(edit: number, place: number): string {
  return `${edit}.${place}`
}

function readText(entry: NewEntry): string | undefined {
  switch (entry.type) {
    case 'USER_MESSAGE':
      return textOfUserContent(entry.data)
    case 'AGENT_MESSAGE':
      return entry.data.content
    case 'SYSTEM_REMINDER':
      return entry.data
    case 'TOOL_RESULT':
      return (entry.data.shown ?? entry.data.content).map(({ text = '' }) => text).join('\n')
  }
}

function canEdit({ label, type, data, native }: NewEntry): boolean {
  if (!WRITTEN.has(label) || native) return false
  if (type === 'USER_MESSAGE') return typeof data === 'string'
  return type === 'AGENT_MESSAGE' && data.parts === undefined
}

function withText(entry: NewEntry, text: string): NewEntry {
  if (entry.type === 'USER_MESSAGE') return { ...entry, data: text }
  if (entry.type === 'AGENT_MESSAGE') return { ...entry, data: { ...entry.data, content: text } }
  return entry
}

/** The message holds the summary once, between its tags. */
function canEditFresh({ message, summary }: FreshStart): boolean {
  return summary !== '' && message.split(summary).length === 2
}

function withSummary(fresh: FreshStart, text: string | undefined): FreshStart {
  if (text === undefined) return fresh
  const message = fresh.message.split(fresh.summary).join(text)
  return { message, summary: text, unverified: [] }
}
