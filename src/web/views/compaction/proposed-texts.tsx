// The texts that a compaction would put in: summaries to edit, and others to read
import type { Preview } from '../../../protocol/index.ts'
import { splitEnvelope } from '../../words.ts'
import { LongText } from '../texts.tsx'

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
