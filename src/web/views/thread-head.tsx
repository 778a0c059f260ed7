// The header of a thread: title, model, connection
import { type ReactNode, useState } from 'react'
import type { Client, Hello, ThreadDetail } from '../../protocol/index.ts'
import { useReachable } from '../open-client.ts'
import { goTo } from '../route.ts'
import { titleText } from '../shown-text.ts'
import { type Task, useTask } from '../use-loaded.ts'

export function ThreadHead({
  detail,
  children,
  actions,
  onSettings,
}: {
  readonly detail: ThreadDetail
  readonly onSettings: () => void
  readonly children: ReactNode
  readonly actions: ReactNode
}) {
  const isReachable = useReachable()
  const [isOpen, setOpen] = useState(false)
  const { model, preset, strategy } = detail
  return (
    <header className="head" data-open={isOpen}>
      <div className="line">
        <a className="back" href="#/" aria-label="All threads">
          ←
        </a>
        <h1>{titleText(detail.title)}</h1>
        <button
          type="button"
          className="chosen"
          title="Model, preset and strategy of this thread"
          onClick={onSettings}
        >
          {[model ?? 'no model', preset, strategy].filter(Boolean).join(' · ')}
        </button>
        <button
          type="button"
          className="opener"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Actions
        </button>
      </div>
      {!isReachable && (
        <p className="warning" role="status">
          The connection is lost. It comes back by itself, and nothing is missed.
        </p>
      )}
      {children}
      {actions}
    </header>
  )
}

interface Action {
  readonly name: string
  /** Why there is nothing for it to do; absent if there is. */
  readonly idle?: string
  work(): Promise<unknown>
}

const NOT_COMPACTED = 'Nothing was compacted here'
const NOT_UNDONE = 'No undone compaction in this thread'

/** Actions on a thread: compact, preview, undo, fork, export, delete */
export function ThreadActions({
  client,
  hello,
  detail,
  doing,
  isPreviewing,
  onPreview,
  onChange,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly detail: ThreadDetail
  /** What the buttons here have started. */
  readonly doing: Task
  readonly isPreviewing: boolean
  readonly onPreview: (strategy: string | undefined, instructions: string) => void
  readonly onChange: () => void
}) {
  const [strategy, setStrategy] = useState('')
  const [instructions, setInstructions] = useState('')
  const { isRunning, error, run } = doing
  const { threadId, canUndo, canRedo } = detail
  const chosen = strategy === '' ? undefined : strategy
  const act = (work: () => Promise<unknown>) => () =>
    run(async () => {
      await work()
      onChange()
    })
  const compact = async () => {
    const outcome = await client.compact(threadId, {
      ...(chosen !== undefined && { strategy: chosen }),
      ...(instructions !== '' && { instructions }),
    })
    if (!outcome.ok) throw new Error(outcome.text)
    if (outcome.threadId !== undefined) goTo(outcome.threadId)
  }
  const remove = async () => {
    if (!window.confirm('Delete this thread, and everything that was ever said in it?')) return
    await client.deleteThread(threadId)
    goTo(undefined)
  }
  const compacting: readonly Action[] = [
    { name: 'Compact', work: compact },
    { name: 'Undo', work: () => client.undo(threadId), ...(!canUndo && { idle: NOT_COMPACTED }) },
    { name: 'Redo', work: () => client.redo(threadId), ...(!canRedo && { idle: NOT_UNDONE }) },
  ]
  const further: readonly Action[] = [
    { name: 'Resume', work: () => client.resume(threadId) },
    { name: 'Fork', work: async () => goTo((await client.fork(threadId)).threadId) },
    { name: 'Delete', work: remove },
  ]
  const button = ({ name, work, idle }: Action) => (
    <button
      key={name}
      type="button"
      aria-disabled={isRunning || idle !== undefined}
      title={idle}
      onClick={idle === undefined ? act(work) : undefined}
    >
      {name}
    </button>
  )
  return (
    <div className="actions">
      <div className="line">
        <label>
          Strategy{' '}
          <select value={strategy} onChange={(event) => setStrategy(event.target.value)}>
            <option value="">default for this preset</option>
            {hello.strategies.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <input
          aria-label="Instructions for the compaction"
          placeholder="Instructions (optional)"
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
        />
        <button
          type="button"
          className="main"
          aria-disabled={isPreviewing}
          onClick={() => onPreview(chosen, instructions)}
        >
          {isPreviewing ? 'Preparing…' : 'Preview'}
        </button>
        {compacting.map(button)}
        <More>
          {further.map(button)}
          <Export client={client} threadId={threadId} formats={hello.formats.written} />
        </More>
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
    </div>
  )
}

/** Closed again when the focus goes elsewhere, or with Escape. */
function More({ children }: { readonly children: ReactNode }) {
  return (
    <details
      className="more"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary>More</summary>
      <div className="line">{children}</div>
    </details>
  )
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
    <>
      <label>
        Export{' '}
        <select value={format} onChange={(event) => setFormat(event.target.value)}>
          {formats.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <button type="button" aria-disabled={saving.isRunning} onClick={write}>
        Save
      </button>
      {saving.error !== undefined && <p role="alert">{saving.error}</p>}
    </>
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
