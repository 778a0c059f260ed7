// One thread: the window, the conversation, and the panels.
import { X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { Client, Hello, ThreadDetail } from '../../protocol/index.ts'
import { LinksContext } from '../links.ts'
import { titleText } from '../shown-text.ts'
import { useThread } from '../thread-feed.ts'
import { type Opened, useOpened } from '../use-opened.ts'
import { Composer } from './composer.tsx'
import { Splitter } from './menu.tsx'
import { PanelBody } from './panels/panel-body.tsx'
import { CONVERSATION, PanelTabs } from './panels/side-panels.tsx'
import { StateIcon } from './texts.tsx'
import { ThreadHead } from './thread-head.tsx'
import { Transcript, TranscriptTools } from './transcript.tsx'
import { WindowStrip } from './window-strip.tsx'

/** Loaded when opened: the first view does not need it. */
const CompactDialog = lazy(async () => ({
  default: (await import('./compaction/compact-dialog.tsx')).CompactDialog,
}))

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
          onUndo={() => opened.undo()}
          onChange={changed}
        >
          <Done {...opened.notice} undoes={detail.undoes} onUndo={() => opened.undo()} />
        </ThreadHead>
        <WindowStrip
          client={client}
          detail={detail}
          points={points}
          compactions={compactions}
          onCompaction={opened.openCompaction}
        />
        <section id="conversation" className="told" aria-label="As it was">
          <TranscriptTools
            client={client}
            threadId={threadId}
            compactions={compactions.filter(({ isUndone }) => !isUndone).map(({ seq }) => seq)}
            onCompaction={linked.showCompaction}
          />
          {problem !== undefined && (
            <p role="alert" className="failure">
              {problem}
            </p>
          )}
          <Transcript
            blocks={blocks}
            sent={opened.sent}
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
            for (const each of [doing, opened.acting, opened.notice]) each.forget()
            opened.setSent((count) => count + 1)
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
          <Suspense>
            <CompactDialog
              client={client}
              hello={hello}
              detail={detail}
              onClose={(done) => {
                opened.setCompacting(false)
                changed()
                if (done !== undefined) opened.notice.say(done)
              }}
            />
          </Suspense>
        )}
      </main>
    </LinksContext>
  )
}

/** The last action, with an undo. */
function Done({
  notice,
  undoes,
  forget,
  onUndo,
}: {
  readonly notice: string | undefined
  readonly undoes: string | undefined
  readonly forget: () => void
  readonly onUndo: () => void
}) {
  if (notice === undefined) return null
  return (
    <p className="just-done" role="status">
      <span>
        <StateIcon state="done" /> {notice}
      </span>
      <button
        type="button"
        className="small"
        title={undoes === undefined ? undefined : `Undo: ${undoes}`}
        onClick={onUndo}
      >
        Undo
      </button>
      <button type="button" className="icon" aria-label="Close" onClick={forget}>
        <X size={15} aria-hidden />
      </button>
    </p>
  )
}

/** The list of threads shows titles, and sorts by activity. */
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
