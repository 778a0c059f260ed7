// The state of an open thread: what is open beside it, what was started here, and what is known of it
// Whether there is room for one column only, as in the styles.
// What became of the entries of the transcript, in pages, asked for as they come in sight.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Client, EntryPlace, ThreadDetail } from '../protocol/index.ts'
import type { ThreadFeed, ThreadSnapshot } from './thread-feed.ts'
import { useTask } from './use-loaded.ts'
import {
  useBlockActions,
  useBringBack,
  useLinked,
  useNotice,
  useStable,
} from './use-thread-parts.ts'
import { useTimeline } from './use-timeline.ts'
import type { Panel } from './views/panels/side-panels.tsx'

export type Opened = ThreadSnapshot & { readonly detail: ThreadDetail }

/** What is open beside the thread, what was started here, and what is known of it. */
export function useOpened({
  client,
  threadId,
  feed,
  thread,
  onChange,
}: {
  readonly client: Client
  readonly threadId: string
  readonly feed: ThreadFeed
  readonly thread: Opened
  readonly onChange: () => void
}) {
  const { detail } = thread
  const panels = usePanels()
  const { setPanel, setLookingIn, look, openCompaction } = panels
  const [isCompacting, setCompacting] = useState(false)
  const [sent, setSent] = useState(0)
  const doing = useTask()
  const notice = useNotice()
  const { points, compactions } = useTimeline(client, thread)
  const changed = () => {
    notice.forget() // its Undo would undo what came after it
    feed.refresh()
    onChange()
  }
  const undo = useStable((seq?: number) =>
    doing.run(async () => {
      await client.undo(threadId, seq)
      changed()
    }),
  )
  const { actions, acting } = useBlockActions(client, threadId, { openCompaction, undo, look })
  const places = usePlaces(client, threadId, detail.version, thread.changes)
  const bringBack = useBringBack(client, threadId, acting, (answer) => {
    changed()
    notice.say(answer)
  })
  const linked = useLinked(feed, client, threadId, {
    placeOf: places.of,
    wantPlace: places.want,
    bringBack,
    onShow(side) {
      setLookingIn(side === 'seen')
      setPanel((was) => (side === 'seen' ? 'Model’s view' : was))
    },
  })
  const sizeOf = useCallback(
    (seq: number) => compactions.find((each) => each.seq === seq),
    [compactions],
  )
  return {
    ...panels,
    isCompacting,
    setCompacting,
    sent,
    setSent,
    doing,
    points,
    compactions,
    changed,
    undo,
    actions,
    acting,
    notice,
    places,
    linked,
    sizeOf,
  }
}

/** Which panel is open beside the thread, and which compaction in it. */
function usePanels() {
  const [panel, setPanel] = useState<Panel>('Model’s view')
  const [isLookingIn, setLookingIn] = useState(false) // if there is room for one of the two
  const [compaction, setCompaction] = useState<number>()
  const look = useCallback((at: Panel) => {
    setPanel(at)
    setLookingIn(true)
  }, [])
  const openCompaction = useCallback(
    (seq: number) => {
      setCompaction(seq)
      look('Compactions')
    },
    [look],
  )
  return {
    isPhone: usePhone(),
    panel,
    setPanel,
    isLookingIn,
    setLookingIn,
    compaction,
    setCompaction,
    look,
    openCompaction,
  }
}

const NARROW = '(max-width: 60rem)'

function usePhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(NARROW)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => window.matchMedia(NARROW).matches,
  )
}

const PAGE = 500
const ORIGINAL = /^e(\d+)$/

export interface Places {
  of(ref: string): EntryPlace | undefined
  /** Of an entry anywhere, known soon and from then on. */
  want(ref: string): void
  /** The numbers of the events in sight. */
  need(first: number, last: number): void
}

/** `changes` says how often the context was changed: then everything may be elsewhere. */
function usePlaces(client: Client, threadId: string, version: number, changes: number): Places {
  const [known, setKnown] = useState<ReadonlyMap<string, EntryPlace>>(new Map())
  const inSight = useRef<readonly [number, number]>([1, 0])
  const asked = useRef(new Map<number, string>())
  const wanted = useRef(new Set<number>())

  const ask = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor((first - 1) / PAGE); page * PAGE < last; page += 1) {
        const from = page * PAGE + 1
        // Events behind the last one of a page do not change it; a change of the context does.
        const state = `${changes}/${Math.min(version, from + PAGE - 1)}`
        if (asked.current.get(page) === state) continue
        asked.current.set(page, state)
        client.places(threadId, { from, limit: PAGE }).then(
          (items) =>
            setKnown((was) => new Map([...was, ...items.map((item) => [item.ref, item] as const)])),
          () => asked.current.delete(page), // asked again with the next look
        )
      }
    },
    [client, threadId, version, changes],
  )
  const latest = useRef(ask)
  latest.current = ask
  const need = useCallback((first: number, last: number) => {
    inSight.current = [first, last]
    latest.current(first, last)
  }, [])
  const want = useCallback((ref: string) => {
    const seq = ORIGINAL.exec(ref)?.[1]
    if (seq === undefined) return
    wanted.current.add(Number(seq))
    latest.current(Number(seq), Number(seq))
  }, [])
  useEffect(() => {
    ask(...inSight.current)
    for (const seq of wanted.current) ask(seq, seq)
  }, [ask])
  const of = useCallback((ref: string) => known.get(ref), [known])
  return { of, need, want }
}
