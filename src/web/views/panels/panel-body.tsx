// The chosen panel next to the transcript.
import type { Client, Hello, ThreadDetail } from '../../../protocol/index.ts'
import type { BlockActions } from '../../use-thread-parts.ts'
import type { useTimeline } from '../../use-timeline.ts'
import { CompactionPanel } from '../compaction/compaction-panel.tsx'
import { ModelView } from '../model-view.tsx'
import { CostPanel, WindowPanel } from './cost-panel.tsx'
import { PinsPanel, RecallPanel } from './recall-panel.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import type { Panel } from './side-panels.tsx'

export function PanelBody({
  client,
  hello,
  detail,
  panel,
  points,
  compactions,
  compaction,
  actions,
  target,
  onCompaction,
  onChange,
}: ReturnType<typeof useTimeline> & {
  readonly client: Client
  readonly hello: Hello
  readonly onChange: () => void
  readonly detail: ThreadDetail
  readonly panel: Panel
  readonly compaction: number | undefined
  readonly actions: BlockActions
  readonly target: { readonly place: number } | undefined
  readonly onCompaction: (seq: number) => void
}) {
  const { threadId } = detail
  return (
    <div id="panel" role="tabpanel" aria-label={panel}>
      {panel === 'Model’s view' && (
        <ModelView
          client={client}
          threadId={threadId}
          version={detail.version}
          actions={actions}
          target={target}
        />
      )}
      {panel === 'Compactions' && (
        <CompactionPanel
          client={client}
          threadId={threadId}
          compactions={compactions}
          chosen={compaction}
          onChoose={onCompaction}
          onUndo={actions.undo}
        />
      )}
      {panel === 'Window' && (
        <WindowPanel
          client={client}
          threadId={threadId}
          version={detail.version}
          points={points}
          onCompaction={actions.openCompaction}
        />
      )}
      {panel === 'Cost' && <CostPanel client={client} detail={detail} points={points} />}
      {panel === 'Pins' && (
        <PinsPanel client={client} threadId={threadId} version={detail.version} />
      )}
      {panel === 'Recall' && <RecallPanel client={client} threadId={threadId} />}
      {panel === 'Settings' && (
        <SettingsPanel client={client} hello={hello} detail={detail} onChange={onChange} />
      )}
    </div>
  )
}
