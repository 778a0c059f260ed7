// The model's view: every entry of the context, with the entries it replaces
import { useCallback } from 'react'
import type { Client, ContextEntry } from '../../protocol/index.ts'
import { tokensText } from '../shown-text.ts'
import { useContextPages } from '../use-context-pages.ts'
import type { BlockActions } from './block.tsx'
import { LongText, Rows } from './rows.tsx'

const GUESS_PX = 110

export function ModelView({
  client,
  threadId,
  version,
  actions,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
  readonly actions: BlockActions
}) {
  const { total, error, at, need } = useContextPages(client, threadId, version)
  // Entries of pages that are not there yet go by their place.
  const keyOf = useCallback((index: number) => String(index), [])
  return (
    <>
      {error !== undefined && <p role="alert">{error}</p>}
      <p className="quiet">
        {total === undefined
          ? 'Reading…'
          : `${total.toLocaleString()} entries, in the order in which they are sent.`}
      </p>
      <Rows
        count={total ?? 0}
        keyOf={keyOf}
        guessPx={GUESS_PX}
        label="As the model sees it"
        onSight={need}
      >
        {(index) => {
          const entry = at(index)
          return entry ? (
            <Entry entry={entry} actions={actions} />
          ) : (
            <div className="entry waiting" />
          )
        }}
      </Rows>
    </>
  )
}

/** The change that put an entry there, by its name. */
const PUT_BY = /^c(\d+)\./

function Entry({
  entry,
  actions,
}: {
  readonly entry: ContextEntry
  readonly actions: BlockActions
}) {
  const { role, label, text, tokens, covers, ref } = entry
  const change = PUT_BY.exec(ref)?.[1]
  return (
    <article className={`entry ${role}`} data-label={label}>
      <h3>
        {role}
        {label !== undefined && ` · ${label}`} · {tokensText(tokens)} tokens <code>{ref}</code>
      </h3>
      {change !== undefined && (
        <p className="stands-for">
          Stands for {covers.toLocaleString()} {covers === 1 ? 'entry' : 'entries'}.{' '}
          <button type="button" onClick={() => actions.openCompaction(Number(change))}>
            Replaced entries
          </button>
        </p>
      )}
      <LongText key={ref} text={text} />
    </article>
  )
}
