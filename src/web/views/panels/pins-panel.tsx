// The pins of a thread: list, add, remove
import { type FormEvent, useCallback, useState } from 'react'
import type { Client } from '../../../protocol/index.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'
import { LongText } from '../texts.tsx'

const PINNED_BY: Readonly<Record<string, string>> = {
  user: 'Pinned by you',
  detected: 'Found in your messages',
  pattern: 'Kept by a rule',
}

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
      <p className="quiet">
        {pins?.length === 0 && 'No pins yet. '}A pin survives every compaction, word for word.
      </p>
      <ul className="pins">
        {pins?.map((pin) => (
          <li key={pin.pinId} className="entry">
            <header className="block-head">
              <span>{PINNED_BY[pin.by] ?? `Pinned by ${pin.by}`}</span>
              <span className="tools">
                <button
                  type="button"
                  className="small"
                  aria-label={`Unpin ${pin.text.slice(0, 60)}`}
                  onClick={() => act(() => client.unpin(threadId, pin.pinId))}
                >
                  Unpin
                </button>
              </span>
            </header>
            <LongText text={pin.text} />
          </li>
        ))}
      </ul>
    </>
  )
}
