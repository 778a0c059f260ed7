// Compacting: a preview of savings and removals, editable, comparable with other strategies, then applied.
import { X } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, Hello, Preview, ThreadDetail } from '../../../protocol/index.ts'
import { goTo } from '../../route.ts'
import { readMessage, tokensText } from '../../shown-text.ts'
import { followsInstructions, strategyWords } from '../../strategy-words.ts'
import { useTask } from '../../use-loaded.ts'
import { StateIcon } from '../texts.tsx'
import { Comparison, useModal } from './comparison.tsx'
import { type Made, Proposal } from './proposed-texts.tsx'

export function CompactDialog({
  client,
  hello,
  detail,
  onClose,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly detail: ThreadDetail
  /** Called with a description of what was done, if anything. */
  readonly onClose: (done?: string) => void
}) {
  const { threadId } = detail
  const [strategy, setStrategy] = useState(detail.strategy ?? '')
  const [instructions, setInstructions] = useState('')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const { made, propose, forget } = useProposal(client, threadId)
  const acting = useTask()
  const place = useModal()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first one; others are asked for
  useEffect(() => propose(detail.strategy ?? '', ''), [])
  const { preview } = made
  const isEmpty =
    preview?.figures?.drops.length === 0 && preview.before.tokens === preview.after.tokens
  const isStale = preview !== undefined && instructions.trim() !== made.followed
  const isEdited = preview?.texts.some(({ key, text }) => (texts[key] ?? text) !== text) ?? false
  const mayDiscard = () => !isEdited || window.confirm(DISCARDS)
  const choose = (id: string) => {
    if (!mayDiscard()) return
    setStrategy(id)
    setTexts({})
    propose(id, instructions)
  }
  // Pinned, so every strategy keeps it.
  const keep = (line: string) => {
    if (!mayDiscard()) return
    acting.run(async () => {
      await client.pin(threadId, line)
      setTexts({})
      propose(strategy, instructions)
    })
  }
  const close = () => {
    forget()
    onClose()
  }
  const apply = () =>
    acting.run(async () => {
      if (!preview) return
      const outcome = await client.applyPreview(threadId, preview.previewId, texts)
      if (!outcome.ok) throw new Error(outcome.text)
      const { before, after } = preview
      const isFresh = outcome.threadId !== undefined
      const sizes = `${tokensText(before.tokens)} → ${tokensText(after.tokens)} tokens`
      onClose(isFresh ? undefined : `Compacted by ${preview.strategy}: ${sizes}.`)
      if (outcome.threadId !== undefined) goTo(outcome.threadId)
    })
  return (
    <dialog
      ref={place}
      className="compact-dialog"
      aria-labelledby="compact-title"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <Head onClose={close} />
      <div className="dialog-body">
        <Asking
          strategies={hello.strategies}
          byDefault={strategy === '' ? preview?.strategy : undefined}
          {...{ strategy, instructions }}
          onStrategy={choose}
          onInstructions={setInstructions}
        />
        <Comparison
          client={client}
          threadId={threadId}
          strategies={hello.strategies}
          preview={preview}
          onChoose={(id) => {
            choose(id)
            place.current?.querySelector('.dialog-body')?.scrollTo({ top: 0 })
          }}
        />
        <div className="proposal" aria-live="polite" aria-busy={made.since !== undefined}>
          <Proposal
            {...{ client, threadId, made, isEmpty, texts }}
            onTexts={setTexts}
            onKeep={keep}
          />
        </div>
      </div>
      {acting.error !== undefined && (
        <p role="alert" className="failure">
          <StateIcon state="failed" /> {acting.error}
        </p>
      )}
      <Foot
        isReady={preview !== undefined && !isEmpty && !isStale}
        isStale={isStale}
        isRunning={acting.isRunning}
        onClose={close}
        onApply={apply}
      />
    </dialog>
  )
}

function Asking({
  strategies,
  byDefault,
  strategy,
  instructions,
  onStrategy,
  onInstructions,
}: {
  readonly strategies: readonly string[]
  /** The preset's choice, if the user made none. */
  readonly byDefault: string | undefined
  readonly strategy: string
  readonly instructions: string
  readonly onStrategy: (id: string) => void
  readonly onInstructions: (instructions: string) => void
}) {
  return (
    <form
      className="asking"
      onSubmit={(event) => {
        event.preventDefault()
        onStrategy(strategy)
      }}
    >
      <label className="field">
        Strategy
        <select value={strategy} onChange={(event) => onStrategy(event.target.value)}>
          <option value="">
            Default for this preset{byDefault === undefined ? '' : ` (${byDefault})`}
          </option>
          {strategies.map((id) => (
            <option key={id} value={id}>
              {id}: {strategyWords(id)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        Instructions (optional)
        <input
          value={instructions}
          placeholder="Such as: keep the port number"
          onChange={(event) => onInstructions(event.target.value)}
        />
      </label>
      <button type="submit" className="preview-again">
        Update the preview
      </button>
      <NotFollowed strategy={strategy} instructions={instructions} />
    </form>
  )
}

function Head({ onClose }: { readonly onClose: () => void }) {
  return (
    <div className="dialog-head">
      <h2 id="compact-title">Compact this thread</h2>
      <button type="button" className="icon" aria-label="Close" onClick={onClose}>
        <X size={18} aria-hidden />
      </button>
    </div>
  )
}

/** Says that fixed-rule strategies ignore instructions. */
function NotFollowed({
  strategy,
  instructions,
}: Readonly<Record<'strategy' | 'instructions', string>>) {
  if (instructions.trim() === '' || followsInstructions(strategy)) return null
  return (
    <p className="warning" role="status">
      <StateIcon state="warning" /> {strategy} follows no instructions. Pin a text to keep it, or
      choose another strategy.
    </p>
  )
}

const DISCARDS = 'The preview replaces the texts that you changed. Discard your changes?'
const STALE = 'Update the preview first: it does not follow these instructions yet.'

function Foot({
  isReady,
  isStale,
  isRunning,
  onClose,
  onApply,
}: {
  readonly isReady: boolean
  readonly isStale: boolean
  readonly isRunning: boolean
  readonly onClose: () => void
  readonly onApply: () => void
}) {
  return (
    <div className="dialog-foot">
      <span className="quiet assurance" role="status">
        {isStale ? STALE : 'Nothing is changed yet. Undo brings everything back.'}
      </span>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type="button"
        className="main"
        aria-disabled={!isReady || isRunning}
        onClick={isReady ? onApply : undefined}
      >
        {isRunning ? 'Compacting…' : 'Compact'}
      </button>
    </div>
  )
}

/** Only the latest proposal counts; unused ones are dropped. */
function useProposal(client: Client, threadId: string) {
  const [made, setMade] = useState<Made>({})
  const latest = useRef(0)
  const kept = useRef<Preview>(undefined)
  const drop = useCallback(
    (preview: Preview | undefined) => {
      // If it cannot be dropped, it expires.
      if (preview) client.dropPreview(threadId, preview.previewId).catch(() => undefined)
    },
    [client, threadId],
  )
  const forget = useCallback(() => {
    latest.current += 1
    drop(kept.current)
    kept.current = undefined
  }, [drop])
  const propose = useCallback(
    (strategy: string, instructions: string) => {
      forget()
      const own = latest.current
      setMade({ since: new Date() })
      const asked = {
        ...(strategy !== '' && { strategy }),
        ...(instructions.trim() !== '' && { instructions: instructions.trim() }),
      }
      client.preview(threadId, asked).then(
        (preview) => {
          if (own !== latest.current) return drop(preview)
          kept.current = preview
          setMade({ preview, followed: instructions.trim() })
        },
        (thrown: unknown) => {
          if (own === latest.current) setMade({ error: readMessage(thrown) })
        },
      )
    },
    [client, threadId, forget, drop],
  )
  return { made, propose, forget }
}
