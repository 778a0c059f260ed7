// The header of a thread: title, model, connection, and actions.
import {
  ArrowLeft,
  Download,
  Ellipsis,
  GitFork,
  Play,
  Radio,
  Redo2,
  Shrink,
  Trash2,
  Undo2,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Client, Hello, ThreadDetail } from '../../protocol/index.ts'
import { useReachable } from '../connection.ts'
import { goTo } from '../route.ts'
import { titleText } from '../shown-text.ts'
import { type Task, useTask } from '../use-loaded.ts'
import { agentWords } from '../words.ts'
import { Menu, MenuItem } from './menu.tsx'
import { StateIcon } from './texts.tsx'

export function ThreadHead({
  client,
  hello,
  detail,
  doing,
  onSettings,
  onCompact,
  onUndo,
  onChange,
  children,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly detail: ThreadDetail
  /** The work started by buttons here. */
  readonly doing: Task
  readonly onSettings: () => void
  readonly onCompact: () => void
  readonly onUndo: () => void
  readonly onChange: () => void
  readonly children?: ReactNode
}) {
  const isReachable = useReachable()
  const { model, preset, strategy, threadId, canUndo, undoes, canRedo } = detail
  const act = (work: () => Promise<unknown>) => () =>
    doing.run(async () => {
      await work()
      onChange()
    })
  const remove = async () => {
    if (!window.confirm('Delete this thread and its whole log?')) return
    await client.deleteThread(threadId)
    goTo(undefined)
  }
  return (
    <header className="head">
      <div className="head-line">
        <a className="back" href="#/" aria-label="All threads">
          <ArrowLeft size={18} aria-hidden />
        </a>
        <div className="titles">
          <h1 title={titleText(detail.title)}>{titleText(detail.title)}</h1>
          <button
            type="button"
            className="chosen"
            title="Model, preset and strategy of this thread"
            onClick={onSettings}
          >
            {[model ?? 'no model', preset, strategy].filter(Boolean).join(' · ')}
          </button>
          {detail.file && <FileMark {...detail.file} />}
        </div>
        {/* Left of Undo, which keeps its place: a second click there never brings back what the first undid. */}
        {canRedo && (
          <button
            type="button"
            className="with-icon undo"
            aria-disabled={doing.isRunning}
            title="Redo the change that was undone"
            onClick={act(() => client.redo(threadId))}
          >
            <Redo2 size={16} aria-hidden /> <span>Redo</span>
          </button>
        )}
        <button
          type="button"
          className="with-icon undo"
          aria-disabled={!canUndo || doing.isRunning}
          title={
            canUndo
              ? `Undo: ${undoes ?? 'the last change of the context'}`
              : 'There is nothing to undo'
          }
          onClick={canUndo ? onUndo : undefined}
        >
          <Undo2 size={16} aria-hidden /> <span>Undo</span>
        </button>
        <button type="button" className="main with-icon" onClick={onCompact}>
          <Shrink size={16} aria-hidden /> Compact…
        </button>
        <Menu label="More actions" icon={Ellipsis}>
          <MenuItem
            icon={Shrink}
            label="Compact without a preview"
            onChoose={act(() => compactNow(client, threadId))}
          />
          <MenuItem icon={Play} label="Resume" onChoose={act(() => client.resume(threadId))} />
          <MenuItem
            icon={GitFork}
            label="Fork"
            onChoose={act(async () => goTo((await client.fork(threadId)).threadId))}
          />
          <Export client={client} threadId={threadId} formats={hello.formats.written} />
          <MenuItem icon={Trash2} label="Delete" onChoose={act(remove)} />
        </Menu>
      </div>
      {!isReachable && (
        <p className="warning" role="status">
          <StateIcon state="warning" /> The connection is lost. The page reconnects automatically;
          no event is lost.
        </p>
      )}
      {doing.error !== undefined && (
        <p role="alert" className="failure">
          <StateIcon state="failed" /> {doing.error}
        </p>
      )}
      {children}
    </header>
  )
}

/** Whether new events of the agent's own file are added here. */
function FileMark({ agent, state }: NonNullable<ThreadDetail['file']>) {
  const name = agentWords(agent)
  if (state === 'parted')
    return (
      <span
        className="quiet follows"
        title="Open the session again for a thread that goes on with it."
      >
        <StateIcon state="stopped" /> no longer follows {name}
      </span>
    )
  return (
    <span
      className="quiet follows"
      title={`This thread follows the session file of ${name}. It stops if you send a message here.`}
    >
      <Radio size={14} className="live" aria-hidden /> follows {name}
    </span>
  )
}

async function compactNow(client: Client, threadId: string): Promise<void> {
  const outcome = await client.compact(threadId)
  if (!outcome.ok) throw new Error(outcome.text)
  if (outcome.threadId !== undefined) goTo(outcome.threadId)
}

function Export({
  client,
  threadId,
  formats,
}: {
  readonly client: Client
  readonly threadId: string
  readonly formats: readonly string[]
}) {
  const [format, setFormat] = useState(formats[0] ?? 'markdown')
  const saving = useTask()
  const write = () =>
    saving.run(async () => save(threadId, format, await client.exportThread(threadId, format)))
  return (
    <div className="menu-row">
      <button type="button" className="menu-item" aria-disabled={saving.isRunning} onClick={write}>
        <Download size={16} aria-hidden /> Export as
      </button>
      <select
        aria-label="Format"
        value={format}
        onChange={(event) => setFormat(event.target.value)}
      >
        {formats.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      {saving.error !== undefined && <p role="alert">{saving.error}</p>}
    </div>
  )
}

const ENDINGS: Readonly<Record<string, string>> = { html: 'html', markdown: 'md' }

function save(threadId: string, format: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${threadId}.${format}.${ENDINGS[format] ?? 'jsonl'}`
  link.click()
  URL.revokeObjectURL(address)
}
