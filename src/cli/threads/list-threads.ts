// The threads of the store: when they were last used, how long they are, how they began.
import type { Store, ThreadInfo } from '../../core/ports.ts'
import { printableJson } from '../../core/text/visible.ts'
import { RESERVED_PREFIX } from '../../server/accounts/owners.ts'
import { buildSummary } from '../../server/views/thread-summary.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { buildStyle, oneLine, padColumns } from '../terminal/terminal.ts'
import { openHome } from './home.ts'

export interface ThreadsFlags {
  readonly limit: string
  readonly json?: boolean
}

const ID_COLUMNS = 34
const MOST_TITLE_COLUMNS = 60
/** Narrower ones say nothing: then the line is longer than the terminal. */
const LEAST_TITLE_COLUMNS = 10

export async function listThreads(flags: ThreadsFlags, io: Io): Promise<void> {
  const limit = wholeNumber(flags.limit, '--limit', 1, 1_000)
  const { settings } = loadSettings(io)
  const home = await openHome(settings, io)
  try {
    const { items } = await home.store.list({ limit })
    // What a server keeps for itself is no conversation.
    const threads = items.filter(({ threadId }) => !threadId.startsWith(RESERVED_PREFIX))
    const listed = await Promise.all(threads.map((info) => readEntry(home.store, info)))
    await writeStream(io.stdout, flags.json ? `${printableJson(listed)}\n` : buildTable(listed, io))
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
  readonly isPartial?: true
}

async function readEntry(store: Store, info: ThreadInfo): Promise<Listed> {
  const { threadId, createdAt, updatedAt, version, parent } = info
  const { title, isPartial } = await buildSummary(store, info)
  return {
    threadId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    events: version,
    title,
    ...(isPartial && { isPartial }),
    ...(parent && { parent: parent.threadId }),
  }
}

function buildTable(listed: readonly Listed[], io: Io): string {
  if (listed.length === 0)
    return asTyped('No threads yet. `precis send` begins one.\n', programName(io))
  const { isTTY, columns: own } = io.stdout
  const columns = (isTTY && own) || Number.POSITIVE_INFINITY
  const style = buildStyle(io.stdout, io.environment)
  const widest = Math.max(...listed.map(({ events }) => `${events}`.length))
  return listed
    .map(({ threadId, updatedAt, events, title: named, isPartial }) => {
      const title = isPartial ? `(partial import) ${named}` : named
      const time = updatedAt.slice(0, 16).replace('T', ' ')
      const facts = `${time} ${String(events).padStart(widest)} events `
      const room = columns - ID_COLUMNS - 1 - facts.length - 1
      const width = Math.min(MOST_TITLE_COLUMNS, Math.max(LEAST_TITLE_COLUMNS, room))
      return `${style.bold(padColumns(threadId, ID_COLUMNS))} ${facts} ${style.dim(oneLine(title, width))}\n`
    })
    .join('')
}
