// A proposed compaction: what it saves, what goes, what it kept as asked, and the texts it would put in, to edit
import { type ComponentProps, memo, useCallback, useState } from 'react'
import type { Client, Preview } from '../../../protocol/index.ts'
import { countText, visibleText } from '../../shown-text.ts'
import { strategyWords } from '../../strategy-words.ts'
import { useLoaded } from '../../use-loaded.ts'
import { labelWords, splitEnvelope } from '../../words.ts'
import { Elapsed, LongText, StateIcon } from '../texts.tsx'
import { Aligned } from './aligned.tsx'
import { findAskedFor, findLost, isTogether } from './asked-for.ts'
import { Figures, Sizes } from './compaction-figures.tsx'

export interface Made {
  readonly preview?: Preview
  /** The instructions that it follows. */
  readonly followed?: string
  readonly error?: string
  /** When the one that is being made was asked for. */
  readonly since?: Date
}

export function Proposal({
  client,
  threadId,
  made: { preview, followed = '', error, since },
  isEmpty,
  texts,
  onTexts,
  onKeep,
}: {
  readonly client: Client
  readonly threadId: string
  readonly made: Made
  readonly isEmpty: boolean
  readonly texts: Readonly<Record<string, string>>
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void
  /** A line that would go stays, word for word. */
  readonly onKeep: (line: string) => void
}) {
  if (since)
    return (
      <p role="status">
        <StateIcon state="running" /> Preparing the preview… <Elapsed since={since} />
      </p>
    )
  if (error !== undefined)
    return (
      <p role="alert" className="failure">
        <StateIcon state="failed" /> {error}
      </p>
    )
  if (!preview) return null
  if (isEmpty)
    return (
      <p>
        <StateIcon state="nothing" /> {preview.strategy} has nothing to remove now. Another strategy
        may find something.
      </p>
    )
  return (
    <>
      <p className="quiet">
        Preview by {preview.strategy}: {strategyWords(preview.strategy)}
      </p>
      {followed !== '' && (
        <KeptForYou
          key={preview.previewId}
          {...{ client, threadId, preview, texts, onKeep }}
          instructions={followed}
        />
      )}
      {preview.figures ? (
        <Figures figures={preview.figures} isProposal />
      ) : (
        <>
          <Sizes before={preview.before.tokens} after={preview.after.tokens} />
          <p>The conversation continues in a new thread. This one does not change.</p>
        </>
      )}
      {preview.texts
        .filter(({ isEditable }) => isEditable)
        .map(({ key, label, text }) => (
          <EditedText
            key={key}
            label={labelWords(label)}
            text={texts[key] ?? text}
            onText={(now) => onTexts({ ...texts, [key]: now })}
          />
        ))}
      {preview.figures && (
        <PreviewDiff client={client} threadId={threadId} previewId={preview.previewId} />
      )}
      <Fixed texts={preview.texts.filter(({ isEditable }) => !isEditable)} />
    </>
  )
}

/** Only what people read is edited: what introduces it to the model stays around it. */
function EditedText({
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
function Fixed({ texts }: { readonly texts: Preview['texts'] }) {
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

/** Whether what was asked for is in what would stay, with the lines that say so. */
function KeptForYou({
  client,
  threadId,
  preview,
  texts: edited,
  instructions,
  onKeep,
}: {
  readonly client: Client
  readonly threadId: string
  readonly preview: Preview
  /** As they are now: what is typed into a text stays. */
  readonly texts: Readonly<Record<string, string>>
  readonly instructions: string
  readonly onKeep: (line: string) => void
}) {
  const { previewId, figures, texts } = preview
  // Of a new thread, its text is all there is.
  const load = useCallback(async () => {
    if (!figures) return { going: [], staying: texts.map(({ text }) => text) }
    const { before, after } = await client.previewDiff(threadId, previewId)
    const going = before.filter(({ state }) => state === 'removed')
    return { going: going.map(({ text }) => text), staying: after.map(({ text }) => text) }
  }, [client, threadId, previewId, figures, texts])
  const { value } = useLoaded(load, 0)
  if (!value) return null
  const now = new Map(texts.map(({ key, text }) => [text, edited[key] ?? text]))
  const staying = value.staying.map((text) => now.get(text) ?? text)
  const found = findAskedFor(instructions, staying)
  if (found.length === 0) return null
  const lost = findLost(instructions, value.going, staying)
  const isApart =
    found.every(({ line }) => line !== undefined) && !isTogether(instructions, staying)
  return (
    <section aria-label="What stays of what you asked for" className="asked-for">
      <h3>What stays of what you asked for</h3>
      <ul>
        {lost !== undefined && (
          <li>
            <StateIcon state="warning" />
            <span>
              This line would go: <q>{visibleText(lost.shown)}</q>{' '}
              <button type="button" className="small" onClick={() => onKeep(lost.line)}>
                Keep this line
              </button>
            </span>
          </li>
        )}
        {lost === undefined && isApart && (
          <li>
            <StateIcon state="warning" />
            <span>
              No line that stays has all of these words. If it went before, Recall brings it back.
            </span>
          </li>
        )}
        {found.map(({ word, count, line }) => (
          <li key={word}>
            <StateIcon state={line === undefined ? 'warning' : 'done'} />
            <span>
              “{visibleText(word)}”:{' '}
              {line === undefined
                ? 'no remaining line mentions it. Add it to a text below, or pin it.'
                : `in ${countText(count, 'line that stays', 'lines that stay')}, such as`}
              {line !== undefined && <q>{visibleText(line)}</q>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/**
 * Every entry that would go, beside what would be left of it; read when it is opened. Drawn once for a
 * preview, not for each character of the texts beside it.
 */
const PreviewDiff = memo(function PreviewDiff(given: {
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
})

function LoadedDiff({ client, threadId, previewId }: ComponentProps<typeof PreviewDiff>) {
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
