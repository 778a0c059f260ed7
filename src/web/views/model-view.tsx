// The model's view: every context entry, with the entries it replaces.
import { ArrowLeftRight, Wrench } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Client, ContextEntry, ToolBlock } from '../../protocol/index.ts'
import { useLinks } from '../links.ts'
import { countText, tokensText, visibleText } from '../shown-text.ts'
import { useContextPages } from '../use-context-pages.ts'
import type { BlockActions } from '../use-thread-parts.ts'
import { roleWords } from '../words.ts'
import { Markdown, SummaryText } from './markdown.tsx'
import { Rows } from './rows.tsx'
import { LongText, Swatch } from './texts.tsx'
import { ToolInput } from './tool-round.tsx'

const GUESS_PX = 110

export function ModelView({
  client,
  threadId,
  version,
  actions,
  target,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
  readonly actions: BlockActions
  /** The place of an entry to scroll to. */
  readonly target: { readonly place: number } | undefined
}) {
  const { total, error, at, need } = useContextPages(client, threadId, version)
  // Entries on unloaded pages are keyed by place.
  const keyOf = useCallback((index: number) => String(index), [])
  const aim = useMemo(() => target && { index: target.place }, [target])
  return (
    <>
      {error !== undefined && <p role="alert">{error}</p>}
      <p className="quiet">
        {total === undefined
          ? 'Reading…'
          : `${countText(total, 'entry', 'entries')}, in the order in which they are sent.`}
      </p>
      <Rows
        count={total ?? 0}
        keyOf={keyOf}
        guessPx={GUESS_PX}
        label="As the model sees it"
        staysAtEnd
        onSight={need}
        target={aim}
      >
        {(index) => {
          const entry = at(index)
          return entry ? (
            <Entry entry={entry} actions={actions} isShown={index === target?.place} />
          ) : (
            <div className="entry waiting" />
          )
        }}
      </Rows>
    </>
  )
}

/** The id of the change that added an entry. */
const PUT_BY = /^c(\d+)\./
const MARKDOWN: ReadonlySet<string> = new Set(['summary', 'brief'])

function Entry({
  entry,
  actions,
  isShown,
}: {
  readonly entry: ContextEntry
  readonly actions: BlockActions
  readonly isShown: boolean
}) {
  const { role, label, text, tokens, covers, ref, first } = entry
  const { show } = useLinks()
  const change = PUT_BY.exec(ref)?.[1]
  const { shown, category } = roleWords(role, label)
  return (
    <article className={`entry ${role}`} data-label={label} data-shown={isShown}>
      <header className="block-head">
        <Swatch name={category.name} />
        <span className="who">{shown}</span>
        <span className="figure">{tokensText(tokens)} tokens</span>
        <code className="quiet">{ref}</code>
        {role !== 'system' && (
          <span className="tools">
            <button
              type="button"
              className="icon"
              aria-label="Show in the transcript"
              title="Show in the transcript"
              onClick={() => show(first ?? ref, 'told')}
            >
              <ArrowLeftRight size={14} aria-hidden />
            </button>
          </span>
        )}
      </header>
      {change !== undefined && (
        <p className="stands-for">
          Stands for {countText(covers, 'entry', 'entries')}.{' '}
          <button
            type="button"
            className="link"
            onClick={() => actions.openCompaction(Number(change))}
          >
            Replaced entries
          </button>
        </p>
      )}
      {MARKDOWN.has(label ?? '') ? (
        <SummaryText key={ref} text={text} />
      ) : role === 'answer' ? (
        <Answer key={ref} text={text} />
      ) : (
        <LongText key={ref} text={text} />
      )}
    </article>
  )
}

const CALLS = /^\[call of /m
const BETWEEN_CALLS = /\n(?=\[call of )/
const CALL = /^\[call of (\S+): ([\s\S]*)\]$/

/** Its text is Markdown, the calls after it are not. */
function Answer({ text }: { readonly text: string }) {
  const at = text.search(CALLS)
  const words = at === -1 ? text : text.slice(0, at)
  return (
    <>
      {words.trim() !== '' && <Markdown text={words} />}
      {at !== -1 && (
        <div className="calls">
          {text
            .slice(at)
            .split(BETWEEN_CALLS)
            .map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls have no names of their own here
              <Call key={index} text={call} />
            ))}
        </div>
      )}
    </>
  )
}

/** As in the transcript; a truncated call is shown as it is. */
function Call({ text }: { readonly text: string }) {
  const [, name = '', given = ''] = CALL.exec(text) ?? []
  const input = parseFields(given)
  if (!input) return <LongText text={text} />
  return (
    <div className="call">
      <Wrench size={14} aria-hidden /> <code>{visibleText(name)}</code>
      <ToolInput input={input} />
    </div>
  )
}

function parseFields(json: string): Exclude<ToolBlock['input'], undefined> | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
