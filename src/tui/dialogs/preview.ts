// A compaction looked at before it happens: its report, its texts to edit, then applied or dropped.
import type { Preview } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import { compact } from '../screen/footer.ts'

const EDIT = 'edit:'

export async function previewCompaction(chat: OpenChat, instructions: string): Promise<void> {
  const { client } = chat.ports
  const { threadId } = chat // another one may be open when it is ready
  const request = instructions === '' ? {} : { instructions }
  chat.say('Preparing a preview…')
  const preview = await client.preview(threadId, request)
  const texts = await decide(chat, preview)
  if (texts === undefined) {
    await client.dropPreview(threadId, preview.previewId)
    chat.say('The preview was dropped: nothing has changed.', 'reply', '/compact --preview')
    return
  }
  await chat.settle(threadId, await client.applyPreview(threadId, preview.previewId, texts))
}

/** The texts that were changed; undefined if nothing is to be applied. */
async function decide(
  chat: OpenChat,
  preview: Preview,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { dialogs } = chat.ports
  const changed: Record<string, string> = {}
  for (;;) {
    const chosen = await dialogs.choose(titleOf(preview), [
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

function titleOf({ strategy, before, after }: Preview): string {
  const figures =
    before.tokens === undefined || after.tokens === undefined
      ? ''
      : `: ${compact(before.tokens)} → ${compact(after.tokens)} tokens`
  return `Preview of ${strategy}${figures}`
}
