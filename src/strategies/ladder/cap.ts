// Single things that are larger than their share, cut to head and tail: a paste, a huge result, images.
import type { EntryId, NewEntry } from '../../core/edit/change.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import {
  type Media,
  type Part,
  textOfUserContent,
  type UserContent,
} from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { type Item, rootOf } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { captionOf } from '../../core/view/image-caption.ts'
import { isSaidByUser } from '../../core/view/last-request.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { lastSaid } from '../drop-note.ts'
import { asRef, captionsOf, headAndTail, type Rewrite, resultWith, rewriteOf } from '../elision.ts'

/** What takes more of the target than this is a giant, and is cut to half of it. */
const GIANT_SHARE = 4
const LEAST_TOKENS = 400

/**
 * Results, also those of the last round where all its calls are answered, and what the user said except for the
 * newest message. Without a target nothing is a giant.
 */
export const capGiants: Strategy = {
  id: 'cap',
  async propose({ context, eventAt, targetTokens }) {
    if (targetTokens === undefined || weightOf(context) <= targetTokens) return { edits: [] }
    const items = context.items.toArray()
    const newest = lastSaid(items, eventAt)
    const open = openRoundStart(items, context.open)
    const giant = Math.max(LEAST_TOKENS, Math.floor(targetTokens / GIANT_SHARE))
    const edits = items.flatMap((item, at) => {
      if (item.tokens <= giant || at === newest || at >= open) return []
      const rewrite = cappedEntry(item, Math.floor(giant / 2), eventAt)
      return rewrite && rewrite.saved > 0 ? [rewrite.edit] : []
    })
    return { edits }
  },
}

/** A result, or something the user said, within so many tokens; undefined for anything else. */
export function cappedEntry(item: Item, maxTokens: number, eventAt: EventAt): Rewrite | undefined {
  const root = rootOf(item.id, eventAt)
  const content = contentOf(root, eventAt) ?? contentOf(item.id, eventAt)
  if (content?.kind === 'result') {
    const captions = captionsOf(content.result.content, root)
    const text = content.result.content.flatMap((block) => block.text ?? []).join('\n')
    const capped = cappedText(text, captions, maxTokens, root)
    const entry = resultWith(content.result, [{ type: 'text', text: capped }], 'trimmed')
    return rewriteOf(item, entry, eventAt)
  }
  if (content?.kind !== 'user' || !isSaidByUser(item, eventAt)) return undefined
  return rewriteOf(item, cappedWords(content.content, maxTokens, root), eventAt)
}

function cappedWords(content: UserContent, maxTokens: number, root: EntryId): NewEntry {
  const captions = typeof content === 'string' ? [] : content.flatMap((part) => caption(part, root))
  const text = cappedText(textOfUserContent(content), captions, maxTokens, root)
  return { type: 'USER_MESSAGE', data: text, label: 'trimmed' }
}

/** So many captions have a line of their own; the others are counted. */
const CAPTIONS = 4

function cappedText(
  text: string,
  captions: readonly string[],
  maxTokens: number,
  root: EntryId,
): string {
  const more = captions.length - CAPTIONS
  const shown = [
    ...captions.slice(0, CAPTIONS),
    ...(more > 0 ? [`[${more} more like these ${asRef(root)}]`] : []),
  ].join('\n')
  const room = Math.max(0, maxTokens - Math.ceil(shown.length / 2))
  const said = headAndTail(text, room, asRef(root))
  return [said, shown].filter((part) => part !== '').join('\n')
}

function caption(part: Part, ref: EntryId): string[] {
  if (part.type === 'image') return [captionOf(part.media, ref)]
  return part.type === 'document' ? [documentCaption(part.media, ref)] : []
}

function documentCaption({ title, mimeType }: Media, ref: EntryId): string {
  return `[document ${title ?? mimeType}, ref ${ref}]`
}
