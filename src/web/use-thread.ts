// A thread in a component: followed for as long as the component is there.
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Client } from '../protocol/index.ts'
import { ThreadFeed, type ThreadSnapshot } from './thread-feed.ts'

export function useThread(
  client: Client,
  threadId: string,
): { readonly feed: ThreadFeed; readonly thread: ThreadSnapshot } {
  const feed = useMemo(() => new ThreadFeed(client, threadId), [client, threadId])
  useEffect(() => feed.start(), [feed])
  return { feed, thread: useSyncExternalStore(feed.subscribe, feed.snapshot) }
}
