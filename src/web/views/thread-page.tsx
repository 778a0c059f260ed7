// One thread: what is in the window, the conversation, and the panels beside it
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, Hello, ThreadDetail } from '../../protocol/index.ts'
import { LinksContext } from '../links.ts'
import { titleText } from '../shown-text.ts'
import { type ThreadSnapshot, useThread } from '../thread-feed.ts'
import { useTask } from '../use-loaded.ts'
import { usePhone } from '../use-phone.ts'
import { usePlaces } from '../use-places.ts'
import { useBlockActions, useLinked, useStable } from '../use-thread-parts.ts'
import { useTimeline } from '../use-timeline.ts'
import { CompactDialog } from './compaction/compact-dialog.tsx'
import { Composer } from './composer.tsx'
import { PanelBody } from './panels/panel-body.tsx'
import { CONVERSATION, type Panel, PanelTabs } from './panels/side-panels.tsx'
import { Splitter } from './splitter.tsx'
import { StateIcon } from './state-mark.tsx'
import { ThreadHead } from './thread-head.tsx'
import { Transcript, TranscriptTools } from './transcript.tsx'
import { WindowStrip } from './window-strip.tsx'

interface ThreadPageProps {
  readonly client: Client
  readonly hello: Hello
  readonly threadId: string
  readonly onChange: () => void
}

export function ThreadPage(props: ThreadPageProps) {
  const { client, threadId, onChange } = props
  const { feed, thread } = useThread(client, threadId)
  const { detail } = thread
  useTitle(detail?.title)
  useNews(detail, onChange)
  if (!detail)
    return (
      <main className="alone" tabIndex={-1}>
        {thread.error === undefined ? (
          <p role="status">
            <StateIcon state="running" /> Opening…
          </p>
        ) : (
          <>
            <h1>This thread cannot be opened</h1>
            <p role="alert">
              <StateIcon state="failed" /> {thread.error}
            </p>
            <a href="#/">All threads</a>
          </>
        )}
      </main>
    )
  return <OpenThread {...props} feed={feed} thread={{ ...thread, detail }} />
}

type Opened = ThreadSnapshot & { readonly detail: ThreadDetail }

function OpenThread({
  client,
  hello,
  threadId,
  feed,
  thread,
  onChange,
}: ThreadPageProps & {
  readonly feed: ReturnType<typeof useThread>['feed']
  readonly thread: Opened
}) {
  const { detail, status, blocks } = thread
  const opened = useOpened({ client, threadId, feed, thread, onChange })
  const { panel, compactions, points, actions, linked, doing, changed } = opened
  const problem = opened.acting.error ?? thread.error
  const chosen = opened.isPhone && !opened.isLookingIn ? CONVERSATION : panel
  return (
    <LinksContext value={linked.links}>
      <main className="thread" tabIndex={-1} data-side={opened.isLookingIn}>
        <ThreadHead
          client={client}
          hello={hello}
          detail={detail}
          doing={doing}
          onSettings={() => opened.look('Settings')}
          onCompact={() => opened.setCompacting(true)}
          onChange={changed}
        />
        <WindowStrip
          client={client}
          detail={detail}
          points={points}
          last={compactions[0]}
          onCompaction={opened.openCompaction}
          onUndo={opened.undo}
        />
        <section id="conversation" className="told" aria-label="As it was">
          <TranscriptTools
            client={client}
            threadId={threadId}
            compactions={compactions.map(({ seq }) => seq)}
            onCompaction={linked.showCompaction}
          />
          {problem !== undefined && (
            <p role="alert" className="failure">
              {problem}
            </p>
          )}
          <Transcript
            blocks={blocks}
            hasEarlier={thread.hasEarlier}
            isCaughtUp={thread.isCaughtUp}
            loadEarlier={() => feed.loadEarlier()}
            actions={actions}
            target={linked.told}
            onSight={opened.places.need}
            sizeOf={opened.sizeOf}
          />
        </section>
        <Composer
          client={client}
          feed={feed}
          detail={detail}
          status={status}
          blocks={blocks}
          onSend={() => {
            for (const task of [doing, opened.acting]) task.forget()
          }}
          onChange={changed}
        />
        <Splitter />
        <aside className="side" aria-label="Look into it">
          <PanelTabs
            chosen={chosen}
            isPhone={opened.isPhone}
            onChoose={(tab) => {
              if (tab === CONVERSATION) opened.setLookingIn(false)
              else opened.look(tab)
            }}
          />
          <PanelBody
            client={client}
            hello={hello}
            detail={detail}
            panel={panel}
            points={points}
            compactions={compactions}
            compaction={opened.compaction}
            actions={actions}
            target={linked.seen}
            onCompaction={opened.setCompaction}
            onChange={changed}
          />
        </aside>
        {opened.isCompacting && (
          <CompactDialog
            client={client}
            hello={hello}
            detail={detail}
            onClose={() => {
              opened.setCompacting(false)
              changed()
            }}
          />
        )}
      </main>
    </LinksContext>
  )
}

/** What is open beside the thread, what was started here, and what is known of it. */
function useOpened({
  client,
  threadId,
  feed,
  thread,
  onChange,
}: Pick<ThreadPageProps, 'client' | 'threadId' | 'onChange'> & {
  readonly feed: ReturnType<typeof useThread>['feed']
  readonly thread: Opened
}) {
  const { detail } = thread
  const isPhone = usePhone()
  const [panel, setPanel] = useState<Panel>('Model’s view')
  const [isLookingIn, setLookingIn] = useState(false) // if there is room for one of the two
  const [compaction, setCompaction] = useState<number>()
  const [isCompacting, setCompacting] = useState(false)
  const doing = useTask()
  const { points, compactions } = useTimeline(client, thread)
  const look = useCallback((at: Panel) => {
    setPanel(at)
    setLookingIn(true)
  }, [])
  const changed = () => {
    feed.refresh()
    onChange()
  }
  const undo = useStable((seq: number) =>
    doing.run(async () => {
      await client.undo(threadId, seq)
      changed()
    }),
  )
  const openCompaction = useCallback(
    (seq: number) => {
      setCompaction(seq)
      look('Compactions')
    },
    [look],
  )
  const { actions, acting } = useBlockActions(client, threadId, { openCompaction, undo, look })
  const places = usePlaces(client, threadId, detail.version, thread.changes)
  const linked = useLinked(feed, client, threadId, {
    placeOf: places.of,
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
    isPhone,
    panel,
    isLookingIn,
    setLookingIn,
    compaction,
    setCompaction,
    isCompacting,
    setCompacting,
    doing,
    points,
    compactions,
    look,
    changed,
    undo,
    openCompaction,
    actions,
    acting,
    places,
    linked,
    sizeOf,
  }
}

/** The list of threads shows titles, and who was worked on last. */
function useNews(detail: ThreadDetail | undefined, onChange: () => void): void {
  const state = detail && `${detail.isWorking} ${detail.title}`
  const known = useRef(state)
  useEffect(() => {
    if (known.current !== undefined && known.current !== state) onChange()
    known.current = state
  }, [state, onChange])
}

function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'précis' : `${titleText(title)} · précis`
    return () => {
      document.title = 'précis'
    }
  }, [title])
}
