// The threads of the store: when they were last used, how long they are, how they began.
import { readRow } from '../core/codec.ts'
import { textOfUserContent } from '../core/content.ts'
import type { Store, ThreadInfo } from '../core/ports.ts'
import { RESERVED_PREFIX } from '../server/owners.ts'
import { openHome } from './home.ts'
import { writeStream } from './io.ts'
import { wholeNumber } from './numbers.ts'
import { asTyped } from './program-name.ts'
import { loadSettings } from './settings.ts'
import { oneLine, padColumns, styleOf } from './terminal.ts'

export interface ThreadsFlags {
  readonly limit: string
  readonly json?: boolean
}

/** The first message of a user stands near the beginning, or it is no title. */
const LOOKED_AT = 20
const TITLE_COLUMNS = 60

export async function listThreads(flags: ThreadsFlags): Promise<void> {
  const limit = wholeNumber(flags.limit, '--limit', 1, 1_000)
  const { settings } = loadSettings({ cwd: process.cwd(), environment: process.env })
  const home = await openHome(settings, process.env)
  try {
    const { items } = await home.store.list({ limit })
    // What a server keeps for itself is no conversation.
    const threads = items.filter(({ threadId }) => !threadId.startsWith(RESERVED_PREFIX))
    const listed = await Promise.all(threads.map((info) => entryOf(home.store, info)))
    await writeStream(process.stdout, flags.json ? `${JSON.stringify(listed)}\n` : tableOf(listed))
  } finally {
    await home.close()
  }
}

interface Listed {
  readonly threadId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly events: number
  readonly title: string
  readonly parent?: string
}

async function entryOf(store: Store, info: ThreadInfo): Promise<Listed> {
  const { threadId, createdAt, updatedAt, version, parent } = info
  return {
    threadId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    events: version,
    title: await titleOf(store, threadId),
    ...(parent && { parent: parent.threadId }),
  }
}

async function titleOf(store: Store, threadId: string): Promise<string> {
  const events = (await store.read(threadId, { limit: LOOKED_AT })).map(readRow)
  for (const event of events)
    if (event.type === 'THREAD_STARTED' && event.data.title !== undefined) return event.data.title
  // What a fresh session begins with was written by nobody.
  const said = events.find((event) => event.type === 'USER_MESSAGE' && event.origin !== 'summary')
  return said?.type === 'USER_MESSAGE' ? textOfUserContent(said.data) : ''
}

function tableOf(listed: readonly Listed[]): string {
  if (listed.length === 0) return asTyped('There are no threads yet. `precis send` begins one.\n')
  const style = styleOf(process.stdout)
  return listed
    .map(
      ({ threadId, updatedAt, events, title }) =>
        `${style.bold(padColumns(threadId, 34))} ${updatedAt.slice(0, 16).replace('T', ' ')} ${String(events).padStart(7)} events  ${style.dim(oneLine(title, TITLE_COLUMNS))}\n`,
    )
    .join('')
}
