// Parts of an open thread: what can be done with a block, and how the two sides are linked
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Client, ViewBlock } from '../protocol/index.ts'
import type { Links, Side } from './links.ts'
import { goTo } from './route.ts'
import type { ThreadFeed } from './thread-feed.ts'
import { type Task, useTask } from './use-loaded.ts'
import type { Panel } from './views/panels/side-panels.tsx'

/** A function with a stable identity that calls the latest one. */
export function useStable<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
  const latest = useRef(work)
  latest.current = work
  return useCallback((...args: A) => latest.current(...args), [])
}

/** Actions on one block of the transcript. The given functions must be stable. */
export function useBlockActions(
  client: Client,
  threadId: string,
  {
    openCompaction,
    undo,
    look,
  }: Pick<BlockActions, 'openCompaction' | 'undo'> & { readonly look: (panel: Panel) => void },
): { readonly actions: BlockActions; readonly acting: Task } {
  const acting = useTask()
  const { run } = acting
  const actions = useMemo<BlockActions>(
    () => ({
      openCompaction,
      undo,
      goTo,
      pin: (text) =>
        run(async () => {
          await client.pin(threadId, text)
          look('Pins')
        }),
      fork: (seq) => run(async () => goTo((await client.fork(threadId, seq)).threadId)),
    }),
    [openCompaction, undo, look, run, client, threadId],
  )
  return { actions, acting }
}

/** The last action that can be undone here; shown until the next one. */
export function useNotice() {
  const [notice, setNotice] = useState<string>()
  const forget = useCallback(() => setNotice(undefined), [])
  return { notice, say: setNotice, forget }
}

const HINT = / \/undo .*$/

/** Restores removed entries with a command and shows its answer. */
export function useBringBack(
  client: Client,
  threadId: string,
  { run }: Task,
  done: (answer: string) => void,
) {
  return useStable((ref: string) =>
    run(async () => {
      const reply = await client.send(threadId, `/expand ${ref}`)
      if (reply.status !== 'command') return
      if (!reply.ok) throw new Error(reply.text)
      done(reply.text.replace(HINT, ''))
    }),
  )
}

interface LinkedSides {
  readonly links: Links
  /** The entry the transcript should scroll to. */
  readonly told: { readonly entry?: string; readonly seq?: number } | undefined
  /** The place the model's view should scroll to. */
  readonly seen: { readonly place: number } | undefined
  showCompaction(seq: number): void
}

const ORIGINAL = /^e(\d+)$/
const MOST_ENTRIES = 1_000

/** A click on one side shows the same thing on both. */
export function useLinked(
  feed: ThreadFeed,
  client: Client,
  threadId: string,
  {
    placeOf,
    wantPlace,
    bringBack,
    onShow,
  }: Pick<Links, 'placeOf' | 'wantPlace' | 'bringBack'> & { onShow(side: Side): void },
): LinkedSides {
  const [told, setTold] = useState<LinkedSides['told']>()
  const [seen, setSeen] = useState<LinkedSides['seen']>()
  const [shown, setShown] = useState<string>()
  const shows = useStable(onShow)
  const showOriginal = useCallback(
    async (ref: string, seq: number) => {
      const [place] = await client.places(threadId, { from: seq, limit: 1 })
      await feed.loadFrom(seq)
      setShown(ref)
      setTold({ entry: ref })
      if (place?.place !== undefined) setSeen({ place: place.place })
    },
    [client, threadId, feed],
  )
  /** Shows a compaction's text in the model's view, and the compaction itself. */
  const showWritten = useCallback(
    async (ref: string) => {
      const { items } = await client.contextEntries(threadId, { limit: MOST_ENTRIES })
      const place = items.findIndex((entry) => entry.ref === ref)
      if (place === -1) return
      shows('seen')
      setShown(ref)
      setSeen({ place })
    },
    [client, threadId, shows],
  )
  const show = useCallback(
    (ref: string, side: Side) => {
      const seq = ORIGINAL.exec(ref)?.[1]
      if (seq !== undefined) shows(side)
      const showing = seq === undefined ? showWritten(ref) : showOriginal(ref, Number(seq))
      showing.catch(() => undefined) // an entry that cannot be shown stays a name
    },
    [shows, showOriginal, showWritten],
  )
  const links = useMemo(
    () => ({ placeOf, wantPlace, show, bringBack, shown }),
    [placeOf, wantPlace, show, bringBack, shown],
  )
  const showCompaction = useCallback(
    (seq: number) => {
      feed
        .loadFrom(seq)
        .then(() => setTold({ seq }))
        .catch(() => undefined) // the transcript does not move
    },
    [feed],
  )
  return { links, told, seen, showCompaction }
}

/** The blocks of a waiting call, for the person who decides. */
export function findInput(blocks: readonly ViewBlock[], callId: string) {
  const block = blocks.findLast((each) => each.kind === 'tool' && each.callId === callId)
  return block?.kind === 'tool' ? block.input : undefined
}

/** Actions on a block of the transcript. */
export interface BlockActions {
  openCompaction(seq: number): void
  undo(seq: number): void
  goTo(threadId: string): void
  /** Pins a text: it survives every compaction. */
  pin(text: string): void
  /** Forks: a new thread that shares everything up to that event. */
  fork(seq: number): void
}
