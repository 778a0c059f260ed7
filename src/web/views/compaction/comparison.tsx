// What each strategy would leave now, on one scale. A dialog as wide as the window, and the modal behaviour
// of all dialogs.

import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Client, ContextPicture, Preview } from '../../../protocol/index.ts'
import { readMessage, savedText, tokensText } from '../../shown-text.ts'
import { asksModel, strategyWords } from '../../strategy-words.ts'
import { useTask } from '../../use-loaded.ts'
import { inOrder } from '../../words.ts'
import { CategoryBar, StateIcon, TableHead } from '../texts.tsx'

interface StrategyResult {
  readonly before?: number
  readonly after?: number
  /** By category; unknown if it would open a new thread. */
  readonly left?: ContextPicture['categories']
  readonly error?: string
}

/**
 * What each strategy would leave now. Strategies that ask a model run only when chosen; their results stay in
 * the table.
 */
export function Comparison({
  client,
  threadId,
  strategies,
  preview,
  onChoose,
}: {
  readonly client: Client
  readonly threadId: string
  readonly strategies: readonly string[]
  readonly preview: Preview | undefined
  readonly onChoose: (id: string) => void
}) {
  const [rows, setRows] = useState<Readonly<Record<string, StrategyResult>>>({})
  const [isOpen, setOpen] = useState(false)
  const comparing = useTask()
  const put = (id: string, row: StrategyResult) => setRows((others) => ({ ...others, [id]: row }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each preview
  useEffect(() => {
    if (preview) put(preview.strategy, buildRow(preview))
  }, [preview])
  const compare = () =>
    comparing.run(async () => {
      for (const id of strategies)
        if (!asksModel(id) && !rows[id]) put(id, await compared(client, threadId, id))
    })
  return (
    <details
      className="comparison"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && !isOpen) compare()
        setOpen(currentTarget.open)
      }}
    >
      <summary>Compare strategies</summary>
      <table>
        <TableHead
          first="Strategy"
          figures={['What is left', 'Tokens', 'Change']}
          readOut="Choose"
        />
        <tbody>
          {strategies.map((id) => (
            <tr key={id} aria-current={preview?.strategy === id || undefined}>
              <td>
                <strong>{id}</strong>
                {rows[id]?.error === undefined ? (
                  <p className="quiet does">{strategyWords(id)}</p>
                ) : (
                  <p className="failure">{rows[id].error}</p>
                )}
              </td>
              <Left row={rows[id]} isAsked={asksModel(id)} />
              <td>
                <button type="button" className="small" onClick={() => onChoose(id)}>
                  Preview
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {comparing.isRunning && (
        <p role="status">
          <StateIcon state="running" /> Comparing…
        </p>
      )}
    </details>
  )
}

function Left({
  row,
  isAsked,
}: {
  readonly row: StrategyResult | undefined
  readonly isAsked: boolean
}) {
  const { before, after, left, error } = row ?? {}
  if (after === undefined)
    return (
      <td colSpan={3} className="quiet">
        {error !== undefined ? '—' : isAsked ? 'asks a model' : ''}
      </td>
    )
  return (
    <>
      <td className="left">
        {left && <CategoryBar parts={inOrder(left)} whole={Math.max(1, before ?? after)} />}
      </td>
      <td className="figure">{tokensText(after)}</td>
      <td className="figure">{savedText(before, after)}</td>
    </>
  )
}

async function compared(client: Client, threadId: string, id: string): Promise<StrategyResult> {
  try {
    const preview = await client.preview(threadId, { strategy: id })
    await client.dropPreview(threadId, preview.previewId)
    return buildRow(preview)
  } catch (thrown) {
    return { error: readMessage(thrown) }
  }
}

function buildRow({ before, after, figures }: Preview): StrategyResult {
  const left = figures?.categories.map(({ name, after: tokens }) => ({ name, tokens }))
  const sum = left?.reduce((total, { tokens }) => total + tokens, 0) ?? 0
  const beyond = Math.max(0, (after.tokens ?? 0) - sum)
  return {
    ...(before.tokens !== undefined && { before: before.tokens }),
    ...(after.tokens !== undefined && { after: after.tokens }),
    ...(left && { left: beyond > 0 ? [{ name: 'tools', tokens: beyond }, ...left] : left }),
  }
}

export function WideDialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const place = useModal()
  const id = useId()
  return (
    <dialog
      ref={place}
      className="wide"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon" aria-label="Close" onClick={onClose}>
          <X size={18} aria-hidden />
        </button>
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  )
}

export function useModal() {
  const place = useRef<HTMLDialogElement>(null)
  // Before it is removed from the page, so the focus can return.
  useLayoutEffect(() => {
    const element = place.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return place
}
