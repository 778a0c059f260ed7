// One thread: its transcript, header and panels
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Client, Hello, Preview, ThreadDetail } from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { titleText } from '../shown-text.ts'
import { useThread } from '../thread-feed.ts'
import { type Task, useTask } from '../use-loaded.ts'
import type { BlockActions } from './block.tsx'
import { Composer } from './composer.tsx'
import { type Panel, SidePanels } from './side-panels.tsx'
import { ThreadActions, ThreadHead } from './thread-head.tsx'
import { PreviewDialog, Transcript } from './transcript.tsx'
import { Usage } from './usage.tsx'

export function ThreadPage({
  client,
  hello,
  threadId,
  onChange,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly threadId: string
  readonly onChange: () => void
}) {
  const { feed, thread } = useThread(client, threadId)
  const [panel, setPanel] = useState<Panel>('Model’s view')
  const [isLookingIn, setLookingIn] = useState(false) // if there is room for one of the two
  const [compaction, setCompaction] = useState<number>()
  const [preview, setPreview] = useState<Preview>()
  const previewing = useTask()
  const doing = useTask()
  const look = useCallback((at: Panel) => {
    setPanel(at)
    setLookingIn(true)
  }, [])
  const openCompaction = useCallback(
    (seq: number) => {
      setCompaction(seq)
      look('Compaction')
    },
    [look],
  )
  const { actions, acting } = useBlockActions(client, threadId, { openCompaction, look })
  const { detail, status } = thread
  useTitle(detail?.title)
  useNews(detail, onChange)
  if (!detail)
    return (
      <main className="alone" tabIndex={-1}>
        {thread.error === undefined ? 'Opening…' : <p role="alert">{thread.error}</p>}
      </main>
    )
  const changed = () => {
    feed.refresh()
    onChange()
  }
  const propose = (strategy: string | undefined, instructions: string) =>
    previewing.run(async () => {
      const asked = {
        ...(strategy !== undefined && { strategy }),
        ...(instructions !== '' && { instructions }),
      }
      setPreview(await client.preview(threadId, asked))
    })
  const problem = previewing.error ?? acting.error ?? thread.error
  return (
    <main className="thread" tabIndex={-1}>
      <ThreadHead
        detail={detail}
        onSettings={() => look('Settings')}
        actions={
          <ThreadActions
            client={client}
            hello={hello}
            detail={detail}
            doing={doing}
            isPreviewing={previewing.isRunning}
            onPreview={propose}
            onChange={changed}
          />
        }
      >
        <Usage detail={detail} status={status} />
        {problem !== undefined && <p role="alert">{problem}</p>}
      </ThreadHead>
      <Switch isLookingIn={isLookingIn} onSwitch={setLookingIn} />
      <div className="columns" data-side={isLookingIn}>
        <section className="column told" aria-label="As it was">
          <Transcript
            blocks={thread.blocks}
            hasEarlier={thread.hasEarlier}
            isCaughtUp={thread.isCaughtUp}
            loadEarlier={() => feed.loadEarlier()}
            actions={actions}
          />
          <Composer
            client={client}
            feed={feed}
            status={status}
            threadId={threadId}
            onSend={() => {
              for (const task of [previewing, doing, acting]) task.forget()
            }}
            onChange={changed}
          />
        </section>
        <aside className="column side" aria-label="Look into it">
          <SidePanels
            client={client}
            hello={hello}
            thread={{ ...thread, detail }}
            panel={panel}
            compaction={compaction}
            actions={actions}
            onPanel={setPanel}
            onChange={changed}
          />
        </aside>
      </div>
      {preview && (
        <PreviewDialog
          client={client}
          threadId={threadId}
          preview={preview}
          onClose={() => {
            setPreview(undefined)
            changed()
          }}
        />
      )}
    </main>
  )
}

/** Between the two columns, if there is room for one. */
function Switch({
  isLookingIn,
  onSwitch,
}: {
  readonly isLookingIn: boolean
  readonly onSwitch: (isLookingIn: boolean) => void
}) {
  return (
    <div className="switch">
      <button type="button" aria-pressed={!isLookingIn} onClick={() => onSwitch(false)}>
        Conversation
      </button>
      <button type="button" aria-pressed={isLookingIn} onClick={() => onSwitch(true)}>
        Look into it
      </button>
    </div>
  )
}

/** What can be done with one block of the transcript. `openCompaction` and `look` must be stable. */
function useBlockActions(
  client: Client,
  threadId: string,
  {
    openCompaction,
    look,
  }: { openCompaction(seq: number): void; readonly look: (panel: Panel) => void },
): { readonly actions: BlockActions; readonly acting: Task } {
  const acting = useTask()
  const { run } = acting
  const actions = useMemo<BlockActions>(
    () => ({
      openCompaction,
      goTo,
      pin: (text) =>
        run(async () => {
          await client.pin(threadId, text)
          look('Pins')
        }),
      fork: (seq) => run(async () => goTo((await client.fork(threadId, seq)).threadId)),
    }),
    [openCompaction, look, run, client, threadId],
  )
  return { actions, acting }
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
