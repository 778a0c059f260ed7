// One row of a transcript: a message, a round of tools, a compaction, a notice.
import { ArrowLeftRight, Bot, GitFork, Info, Pin, User } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { AnswerBlock, NoticeBlock, UserBlock, ViewBlock } from '../../protocol/index.ts'
import { useLinks } from '../links.ts'
import { readAddress } from '../route.ts'
import { tokensText, visibleText } from '../shown-text.ts'
import type { BlockActions } from '../use-thread-parts.ts'
import { originWords } from '../words.ts'
import { CompactionCard } from './compaction/compaction-panel.tsx'
import { Markdown } from './markdown.tsx'
import { Clock, Gone, LongText, StateIcon } from './texts.tsx'
import { Images, type Round, ToolRound } from './tool-round.tsx'

export type TranscriptRow = Exclude<ViewBlock, { kind: 'tool' | 'thinking' }> | Round

export const Block = memo(function Block({
  block,
  actions,
  sizeOf,
}: {
  readonly block: TranscriptRow
  readonly actions: BlockActions
  /** The sizes of a compaction in the window's token base, by event number. */
  readonly sizeOf: (seq: number) => { before?: number; after?: number } | undefined
}) {
  switch (block.kind) {
    case 'user':
      return <Said block={block} actions={actions} />
    case 'answer':
      return <Answered block={block} />
    case 'round':
      return <ToolRound round={block} />
    case 'compaction':
      return <CompactionCard block={block} actions={actions} sizeOf={sizeOf} />
    case 'notice':
      return <Notice block={block} />
  }
})

/** Speaker, time, size, and where the entry is now. */
function Message({
  entry,
  time,
  kind,
  name,
  children,
  tools,
  isBusy,
}: {
  readonly entry: string | undefined
  readonly time: Date | undefined
  readonly kind: 'user' | 'answer' | 'automatic'
  readonly name: string
  readonly children: ReactNode
  readonly tools?: ReactNode
  readonly isBusy?: boolean
}) {
  const { placeOf, show, shown } = useLinks()
  const place = entry === undefined ? undefined : placeOf(entry)
  const isGone = place !== undefined && (place.by !== undefined || place.place === undefined)
  const Icon = kind === 'answer' ? Bot : kind === 'user' ? User : Info
  return (
    <article
      className={`block ${kind === 'answer' ? 'answer' : 'user'}`}
      aria-label={name}
      aria-busy={isBusy}
      data-gone={isGone}
      data-shown={shown !== undefined && shown === entry}
      data-entry={entry}
      tabIndex={-1}
    >
      <header className="block-head">
        <Icon size={15} aria-hidden />
        <span className="who">{name}</span>
        {time && <Clock time={time} />}
        {place && <span className="figure">{tokensText(place.tokens)} tokens</span>}
        <span className="tools">
          {tools}
          {entry !== undefined && (
            <button
              type="button"
              className="icon"
              aria-label="Show in the model’s view"
              title="Show in the model’s view"
              onClick={() => show(entry, 'seen')}
            >
              <ArrowLeftRight size={14} aria-hidden />
            </button>
          )}
        </span>
      </header>
      {isGone && <Gone entry={entry} />}
      {children}
    </article>
  )
}

function Said({ block, actions }: { readonly block: UserBlock; readonly actions: BlockActions }) {
  const seq = Number(block.key.split('/').at(-1))
  const { isAutomatic, text, attachments, images = [] } = block
  const tools = !isAutomatic && Number.isInteger(seq) && (
    <>
      <button
        type="button"
        className="icon"
        aria-label="Pin"
        title="Keep it word for word through every compaction"
        onClick={() => actions.pin(text)}
      >
        <Pin size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon"
        aria-label="Fork here"
        title="Fork: a new thread from here"
        onClick={() => actions.fork(seq)}
      >
        <GitFork size={14} aria-hidden />
      </button>
    </>
  )
  return (
    <Message
      entry={block.entry}
      time={block.time}
      kind={isAutomatic ? 'automatic' : 'user'}
      name={isAutomatic ? 'Said by précis' : 'You'}
      tools={tools}
    >
      <LongText text={text} />
      <Images images={images} />
      {attachments.slice(images.length).map((name) => (
        <span key={name} className="attachment">
          {visibleText(name)}
        </span>
      ))}
    </Message>
  )
}

const CUTS: Readonly<Record<NonNullable<AnswerBlock['cut']>, string>> = {
  aborted: 'You stopped it here.',
  error: 'It failed here.',
  length: 'The model reached its longest answer here.',
  refusal: 'The model refused to continue.',
}

function Answered({ block }: { readonly block: AnswerBlock }) {
  const { cut, isStreaming } = block
  return (
    <Message entry={block.entry} time={block.time} kind="answer" name="Agent" isBusy={isStreaming}>
      <Markdown text={block.text} />
      {cut !== undefined && (
        <p className="quiet">
          <StateIcon state={cut === 'aborted' ? 'stopped' : 'warning'} /> {CUTS[cut]}
        </p>
      )}
    </Message>
  )
}

const LEVELS = { info: 'nothing', reply: 'done', warning: 'warning', error: 'failed' } as const

/** A link to the thread this one came from. */
function Origin({ threadId, reason }: NonNullable<NoticeBlock['origin']>) {
  return (
    <>
      This thread came from <a href={readAddress(threadId)}>an earlier one</a>:{' '}
      {originWords(reason)}.
    </>
  )
}

function Notice({ block: { level, text, command, origin } }: { readonly block: NoticeBlock }) {
  return (
    <div className={`block notice ${level}`} role={level === 'error' ? 'alert' : 'note'}>
      {level === 'info' ? <Info size={15} aria-hidden /> : <StateIcon state={LEVELS[level]} />}
      <div>
        {command !== undefined && (
          <>
            <code>{visibleText(command)}</code>{' '}
          </>
        )}
        {origin ? <Origin {...origin} /> : visibleText(text)}
      </div>
    </div>
  )
}
