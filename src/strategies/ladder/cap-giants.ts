// Cuts single items larger than their share to head and tail: a paste, a huge result, images.
import type { Edit, EntryId, NewEntry } from '../../core/edit/change.ts'
import { immediate, type Strategy } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import {
  type Media,
  type Part,
  textOfUserContent,
  type UserContent,
} from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { findRoot, type Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { buildCaption } from '../../core/view/image-caption.ts'
import { isPlan, isSaidByUser } from '../../core/view/last-request.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { lastSaid } from '../drop-note.ts'
import { cutUnseen, heldStart } from '../range.ts'
import {
  asRef,
  buildCaptions,
  headAndTail,
  measureRewrite,
  type Rewrite,
  resultWith,
} from '../trim.ts'

/** Larger items are cut to half of this share of the target. */
const GIANT_SHARE = 4

const LEAST_TOKENS = 400

/**
 * Results and user text, oldest first, as few as needed. Never the newest message; unread results only if no
 * request could hold them. Without a target nothing is cut.
 */
export const capGiants: Strategy = immediate({
  id: 'cap',
  proposeNow(input) {
    const { context, eventAt, targetTokens } = input
    if (targetTokens === undefined || weightOf(context) <= targetTokens) return { edits: [] }
    const items = context.items.toArray()
    const newest = lastSaid(items, eventAt)
    const end = heldStart(input)
    const giant = Math.max(LEAST_TOKENS, Math.floor(targetTokens / GIANT_SHARE))
    const unseen = cutUnseen(input)
    const edits: Edit[] = []
    let excess = weightOf(context) - targetTokens
    for (const [at, item] of items.entries()) {
      const isGiant = at < end && at !== newest && item.tokens > giant && excess > 0
      const most = isGiant
        ? Math.max(Math.floor(giant / 2), item.tokens - excess)
        : unseen.get(item)
      const rewrite = most === undefined ? undefined : cappedEntry(item, most, eventAt)
      if (!rewrite || rewrite.saved <= 0) continue
      edits.push(rewrite.edit)
      excess -= rewrite.saved
    }
    return { edits }
  },
})

/** A result or user text cut to this many tokens; undefined for other entries. */
export function cappedEntry(item: Item, maxTokens: number, eventAt: EventAt): Rewrite | undefined {
  const root = findRoot(item.id, eventAt)
  const content = contentOf(root, eventAt) ?? contentOf(item.id, eventAt)
  if (content?.kind === 'result') {
    const captions = buildCaptions(content.result.content, root)
    const text = content.result.content.flatMap((block) => block.text ?? []).join('\n')
    const capped = cappedText(text, captions, maxTokens, root)
    const entry = resultWith(content.result, [{ type: 'text', text: capped }], 'trimmed')
    return measureRewrite(item, entry, eventAt)
  }
  if (content?.kind !== 'user' || !(isSaidByUser(item, eventAt) || isPlan(item, eventAt)))
    return undefined
  return measureRewrite(item, cappedWords(content.content, maxTokens, root), eventAt)
}

function cappedWords(content: UserContent, maxTokens: number, root: EntryId): NewEntry {
  const parts = typeof content === 'string' ? [] : content
  const shown = parts.filter(isTextDocument).slice(0, CAPTIONS)
  const rest = parts.filter((part) => !shown.some((each) => each === part))
  const heads = shown.map(({ media }) => documentCaption(media, root))
  const freeTokens = maxTokens - Math.ceil(heads.join('\n').length / 2)
  const captions = rest.flatMap((part) => caption(part, root))
  const said = cappedText(textOfUserContent(content), captions, freeTokens, root)
  const room = Math.floor((freeTokens - estimateTokens(said)) / shown.length)
  const documents = shown.map(({ media }, at) =>
    room > LEAST_DOCUMENT_TOKENS
      ? `${heads[at]}\n${headAndTail(media.text, room, asRef(root))}`
      : heads[at],
  )
  const data = [said, ...documents].filter((each) => each !== '').join('\n')
  return { type: 'USER_MESSAGE', data, label: 'trimmed' }
}

/** With less room, only a document's caption stays. */
const LEAST_DOCUMENT_TOKENS = 20

type TextDocument = Part & { readonly media: Media & { readonly text: string } }

/** A text document is cut like user text, in the remaining room. */
function isTextDocument(part: Part): part is TextDocument {
  return part.type === 'document' && part.media.text !== undefined
}

/** Captions with their own line, and documents with text; the others are counted. */
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
  if (part.type === 'image') return [buildCaption(part.media, ref)]
  return part.type === 'document' ? [documentCaption(part.media, ref)] : []
}

function documentCaption({ title, mimeType }: Media, ref: EntryId): string {
  return `[document ${title ?? mimeType}, ref ${ref}]`
}
