// Actions on a compaction: summary, report, diff, undo, recall.
import { type EditBlock, type Preview, parseCommand, renderSizes } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import { compact } from '../screen/context-picture.ts'

const NOTHING_COMPACTED = 'Nothing has been compacted here.'

/** Newest first. Escape goes back one step: from a text to its compaction, then to the list. */
export async function openCompactions(chat: OpenChat): Promise<void> {
  const blocks = chat.blocks
    .filter((block): block is EditBlock => block.kind === 'compaction')
    .filter(({ state, isEmpty }) => (state === 'done' || state === 'undone') && !isEmpty)
    .reverse()
  const [only] = blocks
  if (only === undefined) return chat.say(`${NOTHING_COMPACTED} /compact does it now.`)
  if (blocks.length === 1) return openCompaction(chat, only)
  for (;;) {
    const chosen = await chat.ports.dialogs.choose(
      'Compactions',
      blocks.map((block, index) => ({
        value: String(index),
        label: block.time === undefined ? block.strategy : timeWords(block.time),
        description: findWords(block),
      })),
    )
    const block = blocks[Number(chosen ?? -1)]
    if (!block || (await lookInto(chat, block))) return
  }
}

export async function openCompaction(chat: OpenChat, block: EditBlock): Promise<void> {
  await lookInto(chat, block)
}

/** True if it changed something, so the list closes. */
async function lookInto(chat: OpenChat, block: EditBlock): Promise<boolean> {
  if (block.isEmpty) {
    chat.say(NOTHING_COMPACTED)
    return true
  }
  const { dialogs } = chat.ports
  const former = formerSession(chat, block)
  for (;;) {
    const choices = choicesFor(block, former !== undefined)
    const chosen = await dialogs.choose(`Compaction by ${block.strategy}`, choices)
    if (chosen === undefined) return false
    if (await act(chat, block, chosen, former)) return true
  }
}

/** False if it only showed something. */
async function act(
  chat: OpenChat,
  { seq, summary = 'It removed content without a summary.' }: EditBlock,
  chosen: string,
  former: string | undefined,
): Promise<boolean> {
  const { client, dialogs } = chat.ports
  switch (chosen) {
    case 'summary':
      await dialogs.show('Summary', summary, 'markdown')
      return false
    case 'report':
      if (seq !== undefined)
        await dialogs.show('Report', (await client.report(chat.threadId, seq)).text)
      return false
    case 'diff':
      if (seq !== undefined)
        await dialogs.show('Diff', withoutHead((await client.diff(chat.threadId, seq)).unified))
      return false
    case 'undo':
      await client.undo(chat.threadId, seq)
      chat.say('The compaction was undone.', 'reply')
      return true
    case 'redo':
      await client.redo(chat.threadId)
      chat.say('The compaction is applied again.', 'reply')
      return true
    case 'back':
      if (former !== undefined) await chat.open(former)
      return true
    default:
      await recallFrom(chat)
      return false
  }
}

/** If this compaction opened the session: the session before, which is unchanged. */
function formerSession({ threadId, detail }: OpenChat, block: EditBlock): string | undefined {
  const opened = block.freshThreadId ?? threadId
  const isOpener = block.isFresh && opened === threadId && detail?.reason === 'fresh-session'
  return isOpener ? detail.parent?.threadId : undefined
}

function choicesFor({ seq, state, isFresh }: EditBlock, hasFormer: boolean) {
  const summary = { value: 'summary', label: 'Summary', description: 'what it says' }
  const recall = { value: 'recall', label: 'Recall', description: 'search the removed content' }
  const back = { value: 'back', label: 'Go back', description: 'to the previous thread' }
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

/** Drops the file lines of a patch: there are no files. */
function withoutHead(unified: string): string {
  return unified.replace(/^(?:=+\n)?--- before\t?\n\+\+\+ after\t?\n/, '')
}

/** Its outcome after its time, since one strategy may have run several times. */
function findWords(block: EditBlock): string {
  const { state, time, seq, strategy, beforeTokens, afterTokens } = block
  const figures =
    beforeTokens === undefined || afterTokens === undefined
      ? ''
      : `${compact(beforeTokens)} → ${compact(afterTokens)} tokens`
  const place = seq === undefined ? '' : `event ${seq}`
  const name = time === undefined ? '' : strategy
  return [name, figures, place, state === 'undone' ? 'undone' : '']
    .filter((word) => word !== '')
    .join(', ')
}

/** As the clock on the wall says. */
function timeWords(time: Date): string {
  const parts = [time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()]
  const [month, day, hour, minute] = parts.map((part) => String(part).padStart(2, '0'))
  return `${time.getFullYear()}-${month}-${day} ${hour}:${minute}`
}

const EDIT = 'edit:'

/** A compaction before it happens: shows its report and texts to edit, then applies or drops it. */
export async function previewCompaction(chat: OpenChat, argument: string): Promise<void> {
  const { client } = chat.ports
  const { threadId } = chat // another thread may be open when it is ready
  const typed = parseCommand(`/compact ${argument}`)
  if (typed?.command === 'invalid') return chat.say(typed.message, 'warning', '/compact --preview')
  const { instructions } = typed?.command === 'compact' ? typed : {}
  const request = instructions === undefined ? {} : { instructions }
  chat.say('Preparing a preview…')
  const preview = await client.preview(threadId, request)
  if (isEmpty(preview)) {
    await client.dropPreview(threadId, preview.previewId)
    const words = `${preview.strategy} has nothing to remove now: the context does not change.`
    chat.say(words, 'reply', '/compact --preview')
    return
  }
  const texts = await decide(chat, preview)
  if (texts === undefined) {
    await client.dropPreview(threadId, preview.previewId)
    chat.say('The preview was dropped: nothing has changed.', 'reply', '/compact --preview')
    return
  }
  await chat.settle(threadId, await client.applyPreview(threadId, preview.previewId, texts))
}

/** The changed texts; undefined if nothing is to be applied. */
async function decide(
  chat: OpenChat,
  preview: Preview,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { dialogs } = chat.ports
  const changed: Record<string, string> = {}
  for (;;) {
    const chosen = await dialogs.choose(readTitle(preview), [
      { value: 'apply', label: 'Apply', description: 'compact the context like this' },
      { value: 'report', label: 'Report', description: 'kept and removed content, with reasons' },
      ...preview.texts.map(({ key, label, isEditable }) => ({
        value: EDIT + key,
        label: `${isEditable ? 'Edit' : 'Read'}: ${label}`,
        ...(key in changed && { description: 'changed' }),
      })),
      { value: 'drop', label: 'Drop', description: 'nothing changes' },
    ])
    if (chosen === 'apply') return changed
    if (chosen === 'report') await dialogs.show('Report', preview.report)
    else if (chosen?.startsWith(EDIT)) await openText(chat, preview, chosen, changed)
    else return undefined
  }
}

async function openText(
  { ports: { dialogs } }: OpenChat,
  { texts }: Preview,
  chosen: string,
  changed: Record<string, string>,
): Promise<void> {
  const found = texts.find(({ key }) => EDIT + key === chosen)
  if (found === undefined) return
  const { key, label, isEditable } = found
  const text = changed[key] ?? found.text
  if (!isEditable) return dialogs.show(label, text, 'markdown')
  const edited = await dialogs.edit(label, text)
  if (edited === found.text) delete changed[key]
  else if (edited !== undefined) changed[key] = edited
}

function readTitle({ strategy, before, after }: Preview): string {
  const figures =
    before.tokens === undefined || after.tokens === undefined
      ? ''
      : `: ${renderSizes({ strategy, beforeTokens: before.tokens, afterTokens: after.tokens })}`
  return `Preview of ${strategy}${figures}`
}

function isEmpty({ figures, before, after }: Preview): boolean {
  return figures?.drops.length === 0 && before.tokens === after.tokens
}
