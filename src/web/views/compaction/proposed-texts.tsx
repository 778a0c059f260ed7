// A proposed compaction: what it saves, what goes, what it kept as asked, and the texts it would put in, to edit
// What of a preview names the same things as the typed instructions: the lines that stay, the best first.
import { useCallback, useState } from 'react'
import type { Client, Preview } from '../../../protocol/index.ts'
import { useLoaded } from '../../use-loaded.ts'
import { countText, labelWords, splitEnvelope, strategyWords, visibleText } from '../../words.ts'
import { Elapsed, LongText, StateIcon } from '../texts.tsx'
import { Aligned } from './aligned.tsx'
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
}: {
  readonly client: Client
  readonly threadId: string
  readonly made: Made
  readonly isEmpty: boolean
  readonly texts: Readonly<Record<string, string>>
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void
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
          {...{ client, threadId, preview }}
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
  instructions,
}: {
  readonly client: Client
  readonly threadId: string
  readonly preview: Preview
  readonly instructions: string
}) {
  const { previewId, figures, texts } = preview
  // Of a new thread, its text is all there is.
  const load = useCallback(
    async () =>
      figures
        ? (await client.previewDiff(threadId, previewId)).after.map(({ text }) => text)
        : texts.map(({ text }) => text),
    [client, threadId, previewId, figures, texts],
  )
  const { value } = useLoaded(load, 0)
  if (!value) return null
  const found = findAskedFor(instructions, value)
  if (found.length === 0) return null
  return (
    <section aria-label="What stays of what you asked for" className="asked-for">
      <h3>What stays of what you asked for</h3>
      <ul>
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

/** Every entry that would go, beside what would be left of it; read when it is opened. */
function PreviewDiff(given: {
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

/** Words that say what to do, and not what with. */
const PLAIN = new Set(
  'keep kept hold remember retain preserve please need needs want must should also about with from that this these those them they what which when where every each everything anything only never drop remove most more important matters still'.split(
    ' ',
  ),
)
const LEAST_CHARS = 3
const LINE_CHARS = 240

/** One word of the instructions, and how often what stays names it. */
export interface AskedFor {
  readonly word: string
  readonly count: number
  /** The line that says most of what was asked for. */
  readonly line?: string
}

/** The words of instructions that can be looked for; names and numbers are whole. */
export function askedWords(instructions: string): string[] {
  const found = instructions.match(/[\p{L}\p{N}][\p{L}\p{N}_./:-]*[\p{L}\p{N}]|\p{N}/gu) ?? []
  const words = found
    .map((word) => word.toLowerCase())
    .filter((word) => /\p{N}/u.test(word) || (word.length >= LEAST_CHARS && !PLAIN.has(word)))
    .filter((word) => word !== 'the' && word !== 'all' && word !== 'and' && word !== 'not')
    .map((word) => (/\p{L}{4,}s$/u.test(word) ? word.slice(0, -1) : word))
  return [...new Set(words)]
}

/** Each word with the line that has most of the words, the shortest of them. A word counts from its beginning. */
export function findAskedFor(instructions: string, texts: readonly string[]): AskedFor[] {
  const words = askedWords(instructions)
  const lines = [...new Set(texts.flatMap((text) => text.split('\n').map((line) => line.trim())))]
  const named = lines.map((line) => ({
    line,
    words: words.filter((word) => buildStartPattern(word).test(line)),
  }))
  return words.map((word) => {
    const found = named
      .filter((each) => each.words.includes(word))
      .toSorted((a, b) => b.words.length - a.words.length || a.line.length - b.line.length)
    const [best] = found
    return { word, count: found.length, ...(best && { line: cutAround(best.line, word) }) }
  })
}

/** The word at its beginning: `port` is not in `import`, and is in `ports`. */
function buildStartPattern(word: string): RegExp {
  const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}`, 'iu')
}

/** A long line around the word. */
function cutAround(line: string, word: string): string {
  if (line.length <= LINE_CHARS) return line
  const from = Math.max(0, line.search(buildStartPattern(word)) - LINE_CHARS / 2)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LINE_CHARS)}…`
}
