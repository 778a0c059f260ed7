// `repeated-results` and `old-images`: repeated output, and all but the newest images.
import type { EntryId } from '../../core/edit/change.ts'
import type { Block, Part } from '../../core/view/content.ts'
import { findRoot } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { buildCaption } from '../../core/view/image-caption.ts'
import { lastSaid } from '../drop-note.ts'
import { asRef } from '../trim.ts'
import { type Elision, type Prune, type PruneView, type ToolUse, withText } from './tool-uses.ts'

export const LEAST_CHARS = 1_200

const LEAST_REPEATED_CHARS = 200

/** This many equal calls are polling. */
const POLLS = 3

export const repeatedResults: Prune = {
  name: 'repeated-results',
  find({ uses, until }) {
    const keys = uses.map(callKey)
    const polled = pollsIn(keys)
    const later = new Map<string, EntryId>()
    const elisions: Elision[] = []
    for (let index = uses.length - 1; index >= 0; index -= 1) {
      const use = uses[index] as ToolUse
      const { text, call } = use
      const callText = keys[index] as string
      if (
        text.length < LEAST_REPEATED_CHARS ||
        use.result.content.some((block) => block.text === undefined)
      )
        continue
      const isPoll = polled.has(callText)
      const key = isPoll ? `${callText}\n${text.replace(/\d+/g, '0')}` : text
      const ref = later.get(key)
      if (ref === undefined) later.set(key, use.ref)
      else if (use.at < until) {
        const what = isPoll ? 'but for numbers the same' : 'the same'
        const line = `[Result of ${call.name}: ${what} again later ${asRef(ref)}; here: ${asRef(use.ref)}]`
        elisions.push(withText(use, line))
      }
    }
    return elisions
  },
}

function pollsIn(keys: readonly string[]): Set<string> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return new Set([...counts].flatMap(([key, count]) => (count >= POLLS ? [key] : [])))
}

function callKey({ call }: ToolUse): string {
  return `${call.name} ${JSON.stringify(call.arguments)}`
}

const NEWEST = 3

/** `old-images`: keeps the newest of many images; others become captions with refs. */
export const oldImages: Prune = {
  name: 'old-images',
  find(view) {
    const { items, eventAt } = view
    const uses = new Map(view.uses.map((use) => [use.at, use]))
    const newest = lastSaid(items, eventAt)
    const elisions: Elision[] = []
    let seen = 0
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const use = uses.get(at)
      const images = use ? use.result.content.filter(isImage).length : imagesSaid(view, at).length
      const isOld = seen >= NEWEST && at < view.until && at !== newest
      seen += images
      if (images === 0 || !isOld) continue
      if (use)
        elisions.push({ use, content: use.result.content.map((block) => caption(block, use.ref)) })
      else elisions.push({ at, words: captioned(view, at) })
    }
    return elisions
  },
}

function isImage(part: Block | Part): boolean {
  return part.type === 'image'
}

function caption(block: Block, ref: string): Block {
  return isImage(block) ? { type: 'text', text: buildCaption(block, ref) } : block
}

function imagesSaid({ items, eventAt }: PruneView, at: number): readonly Part[] {
  return partsAt({ items, eventAt }, at).filter(isImage)
}

function captioned({ items, eventAt }: PruneView, at: number): readonly Part[] {
  const ref = findRoot(items[at]?.id ?? 'e1', eventAt)
  return partsAt({ items, eventAt }, at).map((part) =>
    part.type === 'image' ? { type: 'text', text: buildCaption(part.media, ref) } : part,
  )
}

function partsAt(
  { items, eventAt }: Pick<PruneView, 'items' | 'eventAt'>,
  at: number,
): readonly Part[] {
  const item = items[at]
  const content = item?.kind === 'user' ? contentOf(item.id, eventAt) : undefined
  return content?.kind === 'user' && typeof content.content !== 'string' ? content.content : []
}
