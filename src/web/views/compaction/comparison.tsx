// What each strategy would do now, side by side
import { useState } from 'react'
import type { Client } from '../../../protocol/index.ts'
import { readMessage, savedText, tokensText } from '../../shown-text.ts'
import { useTask } from '../../use-loaded.ts'
import { asksModel, strategyWords } from '../../words.ts'
import { StateIcon, TableHead } from '../state-mark.tsx'

interface Compared {
  readonly id: string
  readonly before?: number
  readonly after?: number
  readonly removed?: number
  readonly error?: string
}

/** What each strategy would do now. Those that ask a model are asked only one by one, by choosing them. */
export function Comparison({
  client,
  threadId,
  strategies,
  onChoose,
}: {
  readonly client: Client
  readonly threadId: string
  readonly strategies: readonly string[]
  readonly onChoose: (id: string) => void
}) {
  const [rows, setRows] = useState<readonly Compared[]>([])
  const comparing = useTask()
  const free = strategies.filter((id) => !asksModel(id))
  const compare = () =>
    comparing.run(async () => {
      setRows([])
      for (const id of free) {
        const row = await compared(client, threadId, id)
        setRows((before) => [...before, row])
      }
    })
  return (
    <details
      className="comparison"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && rows.length === 0) compare()
      }}
    >
      <summary>Compare strategies</summary>
      <table>
        <TableHead
          first="Strategy"
          figures={['Change', 'Left', 'Entries changed']}
          readOut="Choose"
        />
        <tbody>
          {[...rows, ...strategies.filter(asksModel).map((id): Compared => ({ id }))].map(
            ({ id, before, after, removed, error }) => (
              <tr key={id}>
                <td>
                  {id}
                  <br />
                  <span className="quiet">{error ?? strategyWords(id)}</span>
                </td>
                <td className="figure">
                  {after === undefined
                    ? error === undefined
                      ? 'asks a model'
                      : '—'
                    : savedText(before, after)}
                </td>
                <td className="figure">{after === undefined ? '' : tokensText(after)}</td>
                <td className="figure">{removed ?? ''}</td>
                <td>
                  <button type="button" className="small" onClick={() => onChoose(id)}>
                    Preview
                  </button>
                </td>
              </tr>
            ),
          )}
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

async function compared(client: Client, threadId: string, id: string): Promise<Compared> {
  try {
    const { previewId, before, after, figures } = await client.preview(threadId, { strategy: id })
    await client.dropPreview(threadId, previewId)
    const removed = figures?.drops.reduce((sum, { entries }) => sum + entries, 0)
    return {
      id,
      ...(before.tokens !== undefined && { before: before.tokens }),
      ...(after.tokens !== undefined && { after: after.tokens }),
      ...(removed !== undefined && { removed }),
    }
  } catch (thrown) {
    return { id, error: readMessage(thrown) }
  }
}
