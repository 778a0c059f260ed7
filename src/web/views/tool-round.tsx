// A round of work between two answers: tools and thinking, folded into one line.
import { Brain, Wrench } from 'lucide-react'
import {
  escapeHidden,
  inputText,
  type ShownImage,
  type ThinkingBlock,
  type ToolBlock,
  type ViewBlock,
} from '../../protocol/index.ts'
import { useLinks } from '../links.ts'
import { countText, tokensText, visibleText } from '../shown-text.ts'
import { DiffText } from './compaction/diff-text.tsx'
import { Clock, Gone, LongText, StateIcon, type WorkState } from './texts.tsx'

export interface Round {
  readonly kind: 'round'
  readonly key: string
  readonly blocks: readonly (ToolBlock | ThinkingBlock)[]
}

const STATES: Readonly<Record<ToolBlock['state'], readonly [WorkState, string]>> = {
  waiting: ['nothing', 'no result yet'],
  asking: ['warning', 'waits for your answer'],
  running: ['running', 'running'],
  completed: ['done', 'done'],
  failed: ['failed', 'failed'],
  aborted: ['stopped', 'stopped'],
  denied: ['stopped', 'denied'],
}
const NAMES_SHOWN = 3

export function ToolRound({ round: { blocks } }: { readonly round: Round }) {
  const tools = blocks.filter((block): block is ToolBlock => block.kind === 'tool')
  const { placeOf, shown } = useLinks()
  const isGone = (entry: string | undefined) => {
    const place = entry === undefined ? undefined : placeOf(entry)
    return place !== undefined && (place.by !== undefined || place.place === undefined)
  }
  const tokens = tools.reduce((sum, { entry }) => sum + (placeOf(entry ?? '')?.tokens ?? 0), 0)
  const worst =
    tools.find(({ state }) => state === 'asking' || state === 'running' || state === 'waiting') ??
    tools.find(({ state }) => state === 'failed') ??
    tools.at(-1)
  const isShown = shown !== undefined && blocks.some(({ entry }) => entry === shown)
  const [only] = tools
  return (
    <details
      className="block round"
      data-gone={tools.length > 0 && tools.every(({ entry }) => isGone(entry))}
      data-shown={isShown}
      open={isShown || undefined}
    >
      <summary>
        {worst ? (
          <StateIcon state={STATES[worst.state][0]} />
        ) : (
          <Brain size={15} className="state-icon" aria-hidden />
        )}
        <span className="who">{tools.length === 0 ? 'Thinking' : roundWords(tools)}</span>
        {tools.length === 1 && only && <span className="subject">{visibleText(only.subject)}</span>}
        {worst && worst.state !== 'completed' && (
          <span className="state">{STATES[worst.state][1]}</span>
        )}
        {blocks[0]?.time && <Clock time={blocks[0].time} />}
        {tokens > 0 && <span className="figure">{tokensText(tokens)} tokens</span>}
      </summary>
      {blocks.map((block) =>
        block.kind === 'tool' ? (
          <Tool key={block.key} block={block} isAlone={tools.length === 1} />
        ) : (
          <section key={block.key} className="thinking" aria-label="Thinking">
            <h4>
              <Brain size={14} aria-hidden /> Thinking{block.isStreaming ? '…' : ''}
            </h4>
            <LongText text={block.text} />
          </section>
        ),
      )}
    </details>
  )
}

/** `read ×3, run, edit` */
function roundWords(tools: readonly ToolBlock[]): string {
  const counts = new Map<string, number>()
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts].map(([name, count]) =>
    count === 1 ? visibleText(name) : `${visibleText(name)} ×${count}`,
  )
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  const left = names.length - NAMES_SHOWN
  return left > 0 ? `${shown} and ${countText(left, 'other tool', 'other tools')}` : shown
}

function Tool({ block, isAlone }: { readonly block: ToolBlock; readonly isAlone: boolean }) {
  const { entry, name, subject, state, input, progress, result, images = [] } = block
  const { shown } = useLinks()
  const isShown = shown !== undefined && shown === entry
  return (
    <details
      className={`tool ${state}`}
      open={isAlone || isShown || undefined}
      data-entry={entry}
      data-shown={isShown}
    >
      <summary>
        <StateIcon state={STATES[state][0]} /> <Wrench size={14} aria-hidden />{' '}
        <code>{visibleText(name)}</code> <span className="subject">{visibleText(subject)}</span>{' '}
        <span className="state">{STATES[state][1]}</span>
      </summary>
      <Gone entry={entry} />
      {input !== undefined && <ToolInput input={input} />}
      {progress !== undefined && result === undefined && <LongText text={progress} />}
      {result !== undefined && (
        <section aria-label="Result" className="result">
          <LongText text={result} />
          <Images images={images} />
        </section>
      )}
    </details>
  )
}

/** An edit as a diff; other calls with their input. */
export function ToolInput({
  input,
  isExact = false,
}: {
  readonly input: Exclude<ToolBlock['input'], undefined>
  /** Shows every character, as needed for a decision. */
  readonly isExact?: boolean
}) {
  const shown = (text: string) => (isExact ? escapeHidden(text) : text)
  const edit = editIn(input)
  if (edit) return <DiffText before={shown(edit.before)} after={shown(edit.after)} />
  return <LongText text={shown(inputText(input))} />
}

const PAIRS = [
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
  ['old_str', 'new_str'],
  ['old', 'new'],
] as const

function editIn(input: unknown): { before: string; after: string } | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const fields = input as Readonly<Record<string, unknown>>
  for (const [was, is] of PAIRS) {
    const [before, after] = [fields[was], fields[is]]
    if (typeof before === 'string' && typeof after === 'string') return { before, after }
  }
  return undefined
}

export function Images({ images }: { readonly images: readonly ShownImage[] }) {
  return images.map(({ mimeType, data }) => (
    <img
      key={data.slice(0, 64)}
      className="picture"
      src={`data:${mimeType};base64,${data}`}
      alt="Attached to this message"
      loading="lazy"
    />
  ))
}

type OtherBlock = Exclude<ViewBlock, { kind: 'tool' | 'thinking' }>

const SUCCESS = /^(?:✅ )?Conversation compacted/
const NOTHING = /^Nothing was compacted: /

/** The answer to /compact after its card: a success repeats the card, anything else says why. */
function toldAbove(
  block: OtherBlock,
  card: OtherBlock | Round | undefined,
): OtherBlock | undefined {
  if (block.kind !== 'notice' || card?.kind !== 'compaction') return undefined
  if (SUCCESS.test(block.text)) return card
  if (!NOTHING.test(block.text) || !card.isEmpty) return undefined
  return { ...card, hint: block.text.replace(NOTHING, '') }
}

/** Merges consecutive tools and thoughts into one row. */
export function groupRows(blocks: readonly ViewBlock[]): (OtherBlock | Round)[] {
  const rows: (OtherBlock | Round)[] = []
  let round: (ToolBlock | ThinkingBlock)[] | undefined
  for (const block of blocks) {
    if (block.kind !== 'tool' && block.kind !== 'thinking') {
      const told = toldAbove(block, rows.at(-1))
      if (told) rows[rows.length - 1] = told
      else rows.push(block)
      round = undefined
    } else if (round) round.push(block)
    else {
      round = [block]
      rows.push({ kind: 'round', key: `round:${block.key}`, blocks: round })
    }
  }
  return rows
}
