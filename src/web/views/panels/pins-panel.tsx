// The pins of a thread: list, add, remove
import { type FormEvent, useCallback, useState } from 'react'
import type { Client } from '../../../protocol/index.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'
import { LongText } from '../texts.tsx'

export function PinsPanel({
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
