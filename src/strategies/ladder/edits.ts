// The changes of several rungs as one change: the difference of base and draft
import { applyChange } from '../../core/edit/apply.ts'
import type { Edit, EntryId, NewEntry, Put } from '../../core/edit/change.ts'
import { checkCarriers, checkPairing, checkSeams } from '../../core/edit/gate-checks.ts'
import { immediate, type Strategy } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import {
  type Media,
  type Part,
  textOfUserContent,
  type UserContent,
} from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { findRoot, type Item, isNewEntry } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { buildCaption } from '../../core/view/images.ts'
import { isPlan, isSaidByUser } from '../../core/view/last-request.ts'
import { runsOf } from '../../core/view/seam.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { lastSaid } from '../drop-note.ts'
import { cutUnseen, heldStart } from '../range.ts'
import { asRef, buildCaptions, headAndTail, type Rewrite, resultWith, rewriteOf } from '../trim.ts'
import type { LadderDraft, Standing, Stretch } from './draft.ts'

/**
 * Undefined if it cannot be said in edits: a rung has put something between two entries that another
 * one rewrote, or all together hand a result to another call of the same id.
 */
export function findEdits(draft: LadderDraft): Edit[] | undefined {
  const { stretches, eventAt } = draft
  const edits: Edit[] = []
  for (const stretch of stretches) {
    const own = readParts(stretch).map((part) => buildEdit(part, eventAt))
    for (const edit of own) {
      if (edit === 'unsayable') return undefined
      if (edit) edits.push(edit)
    }
  }
  // Pinned texts follow what the last edit puts: that is to be the brief, before what the user said last.
  const isBrief = ({ put }: Edit) =>
    put.some((one) => isNewEntry(one) && (one.label === 'brief' || one.label === 'summary'))
  const ordered = [...edits.filter((edit) => !isBrief(edit)), ...edits.filter(isBrief)]
  return keepsPairs(ordered, draft) ? ordered : undefined
}

/** Each rung keeps results with their calls; that need not hold for the difference of base and draft. */
function keepsPairs(edits: readonly Edit[], { stretches, eventAt, context }: LadderDraft): boolean {
  const before = stretches.flatMap(({ base }) => base)
  const change = { edits, hide: [] }
  const applied = applyChange(before, change, context.version + 1, 'forward', eventAt)
  if (!applied.ok) return false
  const joined = { before, after: applied.items, placed: applied.placed, open: context.open }
  return (checkCarriers(joined) ?? checkSeams(joined) ?? checkPairing(joined)) === undefined
}

/** Rewrites stand alone: a stretch is parted if one is in it. */
function readParts({ base, stands }: Stretch): Stretch[] {
  if (!stands.some((one) => 'entry' in one && one.of !== undefined)) return [{ base, stands }]
  const places = new Map(base.map((item, at) => [item.id, at]))
  const parts: Stretch[] = []
  let from = 0
  let since: Standing[] = []
  for (const one of stands) {
    const at = 'entry' in one && one.of !== undefined ? places.get(one.of) : undefined
    if (at === undefined) since.push(one)
    else {
      parts.push(
        { base: base.slice(from, at), stands: since },
        { base: [base[at] as Item], stands: [one] },
      )
      from = at + 1
      since = []
    }
  }
  parts.push({ base: base.slice(from), stands: since })
  return parts
}

function buildEdit(part: Stretch, eventAt: EventAt): Edit | undefined | 'unsayable' {
  const { base, stands } = withoutKeptEnds(part)
  const [first] = stands
  if (base.length === 0) return stands.length === 0 ? undefined : 'unsayable'
  if (first && 'entry' in first && first.of !== undefined)
    return { covers: [first.of], put: [{ ...first.entry, of: first.of }] }
  const put = buildPuts(stands, eventAt)
  // What stood for these was separated from them: a gap does now.
  const isBare = put.length > 0 && put.every((one) => 'keep' in one)
  return { covers: runsOf(base, eventAt), put: isBare ? [{ gap: true }, ...put] : put }
}

/** Only the part that changed: entries that stay at either end are in no edit, except for parts of a round. */
function withoutKeptEnds({ base, stands }: Stretch): Stretch {
  const isKept = (one: Standing | undefined, item: Item | undefined) =>
    one !== undefined && 'base' in one && one.base.id === item?.id
  let start = 0
  while (start < base.length && isKept(stands[start], base[start])) start += 1
  let end = 0
  while (
    end < Math.min(base.length, stands.length) - start &&
    isKept(stands.at(-1 - end), base.at(-1 - end))
  )
    end += 1
  while (start > 0 && base[start]?.kind === 'result') start -= 1
  while (end > 0 && base.at(-end)?.kind === 'result') end -= 1
  return {
    base: base.slice(start, base.length - end),
    stands: stands.slice(start, stands.length - end),
  }
}

function buildPuts(stands: readonly Standing[], eventAt: EventAt): Put[] {
  const put: Put[] = []
  let kept: Item[] = []
  const flush = () => {
    for (const keep of runsOf(kept, eventAt)) put.push({ keep })
    kept = []
  }
  for (const one of stands) {
    if ('base' in one) kept.push(one.base)
    else {
      flush()
      const last = put.at(-1)
      if ('entry' in one) put.push(dropOf(one.entry))
      else if (!last || !('gap' in last)) put.push({ gap: true })
    }
  }
  flush()
  return put
}

/** It rewrote something of the draft that is not in the base. */
function dropOf({ of: _, ...entry }: NewEntry): NewEntry {
  return entry as NewEntry
}

// Single things that are larger than their share, cut to head and tail: a paste, a huge result, images.

/** What takes more of the target than this is a giant, and is cut to half of it. */
const GIANT_SHARE = 4
const LEAST_TOKENS = 400

/**
 * Results and what the user said, oldest first and no more than it takes; not the newest message, and results
 * that the model has not seen only where no request could hold them. Without a target nothing is a giant.
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

/** A result, or something the user said, within so many tokens; undefined for anything else. */
export function cappedEntry(item: Item, maxTokens: number, eventAt: EventAt): Rewrite | undefined {
  const root = findRoot(item.id, eventAt)
  const content = contentOf(root, eventAt) ?? contentOf(item.id, eventAt)
  if (content?.kind === 'result') {
    const captions = buildCaptions(content.result.content, root)
    const text = content.result.content.flatMap((block) => block.text ?? []).join('\n')
    const capped = cappedText(text, captions, maxTokens, root)
    const entry = resultWith(content.result, [{ type: 'text', text: capped }], 'trimmed')
    return rewriteOf(item, entry, eventAt)
  }
  if (content?.kind !== 'user' || !(isSaidByUser(item, eventAt) || isPlan(item, eventAt)))
    return undefined
  return rewriteOf(item, cappedWords(content.content, maxTokens, root), eventAt)
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

/** With less room than that for its text the caption of a document stands alone. */
const LEAST_DOCUMENT_TOKENS = 20

type TextDocument = Part & { readonly media: Media & { readonly text: string } }

/** A document that is a text is cut as the words of the user are, in the room that those leave. */
function isTextDocument(part: Part): part is TextDocument {
  return part.type === 'document' && part.media.text !== undefined
}

/** So many captions have a line of their own, and so many documents their text; the others are counted. */
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
