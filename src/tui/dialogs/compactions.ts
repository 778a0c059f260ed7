// Actions on a compaction: summary, report, diff, undo, recall
import type { CompactionBlock } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'

const NOTHING_COMPACTED = 'Nothing has been compacted here.'

/** The newest first. */
export async function openCompactions(chat: OpenChat): Promise<void> {
  const blocks = chat.blocks
    .filter((block): block is CompactionBlock => block.kind === 'compaction')
    .filter(({ state, isEmpty }) => (state === 'done' || state === 'undone') && !isEmpty)
    .reverse()
  const [only] = blocks
  if (only === undefined) return chat.say(`${NOTHING_COMPACTED} /compact does it now.`)
  if (blocks.length === 1) return openCompaction(chat, only)
  const chosen = await chat.ports.dialogs.choose(
    'Compactions',
    blocks.map((block, index) => ({
      value: String(index),
      label: block.strategy,
      description: wordsOf(block),
    })),
  )
  const block = blocks[Number(chosen ?? -1)]
  if (block) await openCompaction(chat, block)
}

export async function openCompaction(chat: OpenChat, block: CompactionBlock): Promise<void> {
  if (block.isEmpty) return chat.say(NOTHING_COMPACTED)
  const { client, dialogs } = chat.ports
  const { seq, summary = 'It removed content without a summary.' } = block
  const former = formerSession(chat, block)
  const choices = choicesFor(block, former !== undefined)
  const chosen = await dialogs.choose(`Compaction by ${block.strategy}`, choices)
  switch (chosen) {
    case 'summary':
      return dialogs.show('Summary', summary, 'markdown')
    case 'report':
      if (seq !== undefined)
        await dialogs.show('Report', (await client.report(chat.threadId, seq)).text)
      return
    case 'diff':
      if (seq !== undefined)
        await dialogs.show('Diff', (await client.diff(chat.threadId, seq)).unified)
      return
    case 'undo':
      await client.undo(chat.threadId, seq)
      return chat.say('The compaction was undone.', 'reply')
    case 'redo':
      await client.redo(chat.threadId)
      return chat.say('The compaction is applied again.', 'reply')
    case 'back':
      return former === undefined ? undefined : chat.open(former)
    case 'recall':
      return recallFrom(chat)
    default:
      return
  }
}

/** Where the session was opened by this compaction: the one before, which is as it was. */
function formerSession({ threadId, detail }: OpenChat, block: CompactionBlock): string | undefined {
  const opened = block.freshThreadId ?? threadId
  const isOpener = block.isFresh && opened === threadId && detail?.reason === 'fresh-session'
  return isOpener ? detail.parent?.threadId : undefined
}

function choicesFor({ seq, state, isFresh }: CompactionBlock, hasFormer: boolean) {
  const summary = { value: 'summary', label: 'Summary', description: 'what it says' }
  const recall = { value: 'recall', label: 'Recall', description: 'search the removed content' }
  const back = { value: 'back', label: 'Go back', description: 'to the session before it' }
  if (seq === undefined || isFresh) return [summary, ...(hasFormer ? [back] : []), recall]
  const change =
    state === 'undone'
      ? { value: 'redo', label: 'Redo', description: 'bring it back' }
      : { value: 'undo', label: 'Undo', description: 'the context as it was' }
  return [
    summary,
    { value: 'report', label: 'Report', description: 'kept and removed content, with reasons' },
    { value: 'diff', label: 'Diff', description: 'the context before and after' },
    change,
    recall,
  ]
}

async function recallFrom(chat: OpenChat): Promise<void> {
  const { client, dialogs } = chat.ports
  const query = (await dialogs.edit('Recall: search for', '', 'line'))?.trim()
  if (!query) return
  const { text } = await client.recall(chat.threadId, { query })
  await dialogs.show(`Recall: ${query}`, text)
}

function wordsOf({ state, seq, beforeTokens, afterTokens }: CompactionBlock): string {
  const figures =
    beforeTokens === undefined || afterTokens === undefined
      ? ''
      : `${beforeTokens} → ${afterTokens} tokens`
  const place = seq === undefined ? '' : `event ${seq}`
  return [place, figures, state === 'undone' ? 'undone' : '']
    .filter((word) => word !== '')
    .join(', ')
}
