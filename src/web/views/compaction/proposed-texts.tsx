// The texts that a compaction would put in: summaries to edit, and others to read
import { useCallback, useState } from 'react'
import type { Client, Preview } from '../../../protocol/index.ts'
import { useLoaded } from '../../use-loaded.ts'
import { splitEnvelope } from '../../words.ts'
import { StateIcon } from '../state-mark.tsx'
import { LongText } from '../texts.tsx'
import { Aligned } from './aligned.tsx'

/** Only what people read is edited: what introduces it to the model stays around it. */
export function EditedText({
  label,
  text,
  onText,
}: {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
}) {
  const { intro, body, outro } = splitEnvelope(text)
  return (
    <label className="field">
      {label}, to be edited
      <textarea
        className="edited"
        rows={8}
        value={body}
        onChange={(event) => onText(`${intro}${event.target.value}${outro}`)}
      />
    </label>
  )
}

/** What stands for the words of tools: to be read, not to be changed. */
export function Fixed({ texts }: { readonly texts: Preview['texts'] }) {
  if (texts.length === 0) return null
  const count = texts.length === 1 ? 'One text' : `${texts.length.toLocaleString()} texts`
  return (
    <details>
      <summary>{count} in place of what tools said, as they are</summary>
      {texts.map(({ key, label, text }) => (
        <article key={key} className="entry" aria-label={label}>
          <LongText text={text} />
        </article>
      ))}
    </details>
  )
}

/** Every entry that would go, beside what would be left of it; read when it is opened. */
export function PreviewDiff(given: {
  readonly client: Client
  readonly threadId: string
  readonly previewId: string
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Before and after, word by word</summary>
      {isOpen && <LoadedDiff key={given.previewId} {...given} />}
    </details>
  )
}

function LoadedDiff({ client, threadId, previewId }: Parameters<typeof PreviewDiff>[0]) {
  const load = useCallback(
    () => client.previewDiff(threadId, previewId),
    [client, threadId, previewId],
  )
  const { value, error } = useLoaded(load, 0)
  if (error !== undefined) return <p role="alert">{error}</p>
  if (value) return <Aligned diff={value} />
  return (
    <p role="status">
      <StateIcon state="running" /> Comparing…
    </p>
  )
}
