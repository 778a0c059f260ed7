// The state of an open thread: what is open beside it, what was started here, and what is known of it
import { useCallback, useState } from 'react'
import type { Client, ThreadDetail } from '../protocol/index.ts'
import type { ThreadFeed, ThreadSnapshot } from './thread-feed.ts'
import { useTask } from './use-loaded.ts'
import { usePhone } from './use-phone.ts'
import { usePlaces } from './use-places.ts'
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

/** What is open next to the thread, what was started here, and what is known about it. */
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
    notice.forget() // its Undo would undo later changes
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

/** The open panel, and the compaction in it. */
function usePanels() {
  const [panel, setPanel] = useState<Panel>('Model’s view')
  const [isLookingIn, setLookingIn] = useState(false) // if there is room for only one of the two
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
