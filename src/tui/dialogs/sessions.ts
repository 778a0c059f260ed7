// The list of threads, to choose one and continue it
import type { ThreadSummary } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import { visibleLine } from '../screen/visible.ts'

const PAGE = 50
const MORE = '\u0000more'

export async function chooseSession(chat: OpenChat, search: string): Promise<void> {
  const { client, dialogs } = chat.ports
  const shown: ThreadSummary[] = []
  let after: string | undefined
  for (;;) {
    const page = await client.threads({
      limit: PAGE,
      ...(search !== '' && { search }),
      ...(after !== undefined && { after }),
    })
    shown.push(...page.items)
    after = page.next
    if (shown.length === 0) {
      chat.say(search === '' ? 'No threads yet.' : `No thread has «${search}».`)
      return
    }
    const more = after === undefined ? [] : [{ value: MORE, label: 'More …' }]
    const chosen = await dialogs.choose('Sessions', [
      ...shown.map((thread) => choiceOf(thread, chat.threadId)),
      ...more,
    ])
    if (chosen === MORE) continue
    if (chosen !== undefined && chosen !== chat.threadId) await chat.open(chosen)
    return
  }
}

function choiceOf(
  { threadId, title, updatedAt, version, reason }: ThreadSummary,
  openThreadId: string,
) {
  const day = updatedAt.toISOString().slice(0, 16).replace('T', ' ')
  const origin = reason === undefined ? '' : `, ${reason}`
  const now = threadId === openThreadId ? ', now open' : ''
  return {
    value: threadId,
    label: visibleLine(title) || threadId,
    description: `${day}, ${version} events${origin}${now}`,
  }
}
