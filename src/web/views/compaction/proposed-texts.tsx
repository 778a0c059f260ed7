// A proposed compaction: savings, removals, kept requests, and the new texts to edit.
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
  /** When the pending preview was requested. */
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
  /** Keeps a line that would go, word for word. */
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

/** Only the readable part is editable; the introduction for the model stays. */
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

/** Replaces tool output: read-only. */
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

/** Whether the kept text has what was asked for, with the lines. */
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
  /** The current texts, including edits. */
  readonly texts: Readonly<Record<string, string>>
  readonly instructions: string
  readonly onKeep: (line: string) => void
}) {
  const { previewId, figures, texts } = preview
  // A new thread consists of its text only.
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
 * Every entry that would go, next to what would remain; loaded when opened. Drawn once per preview, not for
 * each typed character.
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
