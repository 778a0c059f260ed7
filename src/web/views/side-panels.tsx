// The side panels of a thread, one visible at a time
import type { Client, Hello, ThreadDetail } from '../../protocol/index.ts'
import type { ThreadSnapshot } from '../thread-feed.ts'
import type { BlockActions } from './block.tsx'
import { CompactionPanel } from './compaction-panel.tsx'
import { ModelView } from './model-view.tsx'
import { PinsPanel } from './pins-panel.tsx'
import { RecallPanel } from './recall-panel.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { Tabs } from './tabs.tsx'
import { TimelinePanel } from './timeline-panel.tsx'
import { WindowPicture } from './window-picture.tsx'

const PANELS = [
  'Model’s view',
  'Window',
  'Timeline',
  'Compaction',
  'Pins',
  'Recall',
  'Settings',
] as const
export type Panel = (typeof PANELS)[number]

export function SidePanels({
  client,
  hello,
  thread,
  panel,
  compaction,
  actions,
  onPanel,
  onChange,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly thread: ThreadSnapshot & { readonly detail: ThreadDetail }
  readonly panel: Panel
  readonly compaction: number | undefined
  readonly actions: BlockActions
  readonly onPanel: (panel: Panel) => void
  readonly onChange: () => void
}) {
  const { threadId, version, context } = thread.detail
  const known = { client, threadId }
  return (
    <Tabs names={PANELS} chosen={panel} label="Look into the thread" onChoose={onPanel}>
      {panel === 'Model’s view' && <ModelView {...known} version={version} actions={actions} />}
      {panel === 'Window' && <WindowPicture {...known} version={version} />}
      {panel === 'Timeline' && (
        <TimelinePanel
          {...known}
          measured={thread.measured}
          changes={thread.changes}
          limit={context.limit}
          onCompaction={actions.openCompaction}
        />
      )}
      {panel === 'Compaction' && (
        <CompactionPanel {...known} compaction={compaction} onChange={onChange} />
      )}
      {panel === 'Pins' && <PinsPanel {...known} version={version} />}
      {panel === 'Recall' && <RecallPanel {...known} />}
      {panel === 'Settings' && (
        <SettingsPanel client={client} hello={hello} detail={thread.detail} onChange={onChange} />
      )}
    </Tabs>
  )
}
