// One thread: its transcript, what stands around it, and the panels that look into it.
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Client, Hello, Preview } from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { useTask } from '../use-task.ts'
import { useThread } from '../use-thread.ts'
import type { BlockActions } from './block.tsx'
import { Composer } from './composer.tsx'
import { PreviewDialog } from './preview-dialog.tsx'
import { type Panel, SidePanels } from './side-panels.tsx'
import { ThreadActions } from './thread-actions.tsx'
import { ThreadHead } from './thread-head.tsx'
import { Transcript } from './transcript.tsx'
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
  const [isLookingIn, setLookingIn] = useState(false) // where there is room for one of the two
  const [compaction, setCompaction] = useState<number>()
  const [preview, setPreview] = useState<Preview>()
  const previewing = useTask()
  const openCompaction = useCallback((seq: number) => {
    setCompaction(seq)
    setPanel('Compaction')
    setLookingIn(true)
  }, [])
  const actions = useMemo<BlockActions>(() => ({ openCompaction, goTo }), [openCompaction])
  const { detail, status } = thread
  useTitle(detail?.title)
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
  const problem = previewing.error ?? thread.error
  return (
    <main className="thread" tabIndex={-1}>
      <ThreadHead
        detail={detail}
        actions={
          <ThreadActions
            client={client}
            hello={hello}
            threadId={threadId}
            isPreviewing={previewing.isRunning}
            onPreview={propose}
            onChange={changed}
          />
        }
      >
        <Usage detail={detail} status={status} />
        {problem !== undefined && <p role="alert">{problem}</p>}
      </ThreadHead>
      <div className="switch">
        <button type="button" aria-pressed={!isLookingIn} onClick={() => setLookingIn(false)}>
          Conversation
        </button>
        <button type="button" aria-pressed={isLookingIn} onClick={() => setLookingIn(true)}>
          Look into it
        </button>
      </div>
      <div className="columns" data-side={isLookingIn}>
        <section className="column told" aria-label="As it was">
          <Transcript
            blocks={thread.blocks}
            hasEarlier={thread.hasEarlier}
            loadEarlier={() => feed.loadEarlier()}
            actions={actions}
          />
          <Composer
            client={client}
            feed={feed}
            status={status}
            threadId={threadId}
            onChange={changed}
          />
        </section>
        <aside className="column side" aria-label="Look into it">
          <SidePanels
            client={client}
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

function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'précis' : `${title} · précis`
    return () => {
      document.title = 'précis'
    }
  }, [title])
}
