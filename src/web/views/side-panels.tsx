// The side panels of a thread, one visible at a time
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useRef,
  useState,
} from 'react'
import type { Client, Hello, ThreadDetail, TimelinePoint } from '../../protocol/index.ts'
import { tokensText } from '../shown-text.ts'
import type { ThreadSnapshot } from '../thread-feed.ts'
import { useLoaded, useTask } from '../use-loaded.ts'
import type { BlockActions } from './block.tsx'
import { ModelView } from './model-view.tsx'
import { CompactionPanel, RecallPanel } from './recall-panel.tsx'
import { LongText } from './rows.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { TimelineChart } from './timeline-chart.tsx'
import { WindowPicture } from './usage.tsx'

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

/** The size of the context over the whole thread, as a chart and as a list of its compactions. */
function TimelinePanel({
  client,
  threadId,
  measured,
  changes,
  limit,
  onCompaction,
}: {
  readonly client: Client
  readonly threadId: string
  /** What came since the thread was opened. */
  readonly measured: readonly TimelinePoint[]
  readonly changes: number
  readonly limit: number | undefined
  readonly onCompaction: (seq: number) => void
}) {
  const load = useCallback(() => client.timeline(threadId), [client, threadId])
  // Read again where the context was changed; one more answer is one more point.
  const { value: before, error } = useLoaded(load, changes)
  if (error !== undefined) return <p role="alert">{error}</p>
  if (!before) return <p className="empty">Measuring…</p>
  const last = before.at(-1)?.seq ?? 0
  const points = [...before, ...measured.filter(({ seq }) => seq > last)]
  if (points.length === 0)
    return <p className="empty">Nothing was measured yet: the first answer makes a first point.</p>
  const compactions = points.filter(({ compaction }) => compaction)
  return (
    <div className="timeline">
      <TimelineChart points={points} limit={limit} />
      <h2>Compactions</h2>
      {compactions.length === 0 && <p className="quiet">None so far.</p>}
      <ol aria-label="Compactions">
        {compactions.map(({ seq, compaction }) => (
          <li key={seq}>
            <button type="button" onClick={() => onCompaction(seq)}>
              {compaction?.strategy}: {tokensText(compaction?.before)} →{' '}
              {tokensText(compaction?.after)} tokens
            </button>{' '}
            <span className="quiet">event {seq.toLocaleString()}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** The pins panel: list, add, remove */
function PinsPanel({
  client,
  threadId,
  version,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
}) {
  const [changes, setChanges] = useState(0)
  const [text, setText] = useState('')
  const load = useCallback(() => client.pins(threadId), [client, threadId])
  const { value: pins, error } = useLoaded(load, version + changes)
  const acting = useTask()
  const act = (work: () => Promise<unknown>) =>
    acting.run(async () => {
      await work()
      setChanges((count) => count + 1)
    })
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    act(async () => {
      await client.pin(threadId, text)
      setText('')
    })
  }
  return (
    <>
      <form className="ask" onSubmit={add}>
        <input
          aria-label="Text to pin"
          placeholder="Keep this word for word"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" aria-disabled={acting.isRunning}>
          Pin
        </button>
      </form>
      {(error ?? acting.error) !== undefined && <p role="alert">{error ?? acting.error}</p>}
      {pins?.length === 0 && (
        <p className="empty">No pins. A pin survives every compaction unchanged.</p>
      )}
      <ul className="pins">
        {pins?.map((pin) => (
          <li key={pin.pinId} className="entry">
            <LongText text={pin.text} />
            <div className="line">
              <span className="quiet">pinned by {pin.by}</span>
              <button
                type="button"
                aria-label={`Let go of ${pin.text.slice(0, 60)}`}
                onClick={() => act(() => client.unpin(threadId, pin.pinId))}
              >
                Let go
              </button>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Tab panels, with the mouse or the standard tab keys */
function Tabs<Name extends string>({
  names,
  chosen,
  label,
  onChoose,
  children,
}: {
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly label: string
  readonly onChoose: (name: Name) => void
  readonly children: ReactNode
}) {
  const list = useRef<HTMLDivElement>(null)
  const pressed = (event: KeyboardEvent) => {
    const at = names.indexOf(chosen)
    const target = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: names.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = (target + names.length) % names.length
    const name = names[next]
    if (name === undefined) return
    onChoose(name)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} onKeyDown={pressed}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls="panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-label={chosen}>
        {children}
      </div>
    </>
  )
}
