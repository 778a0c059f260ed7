// `old-images`: of many images the newest stay; the others become a caption, under which they can be seen again.
import type { Block, Part } from '../../core/view/content.ts'
import { rootOf } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { captionOf } from '../../core/view/image-caption.ts'
import { lastSaid } from '../drop-note.ts'
import type { Elision, Prune } from './prune-kind.ts'
import type { PruneView } from './tool-uses.ts'

const NEWEST = 3

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
  return isImage(block) ? { type: 'text', text: captionOf(block, ref) } : block
}

function imagesSaid({ items, eventAt }: PruneView, at: number): readonly Part[] {
  return partsAt({ items, eventAt }, at).filter(isImage)
}

function captioned({ items, eventAt }: PruneView, at: number): readonly Part[] {
  const ref = rootOf(items[at]?.id ?? 'e1', eventAt)
  return partsAt({ items, eventAt }, at).map((part) =>
    part.type === 'image' ? { type: 'text', text: captionOf(part.media, ref) } : part,
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
