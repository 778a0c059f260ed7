// Rules for the server's compaction in Responses: items before it, and how to request it
import { type Rule, rule } from '../rule.ts'
import { fieldsOf, isGiven } from '../walk.ts'
import { encryptedContents, type Item, itemsOf } from './items.ts'

/**
 * The window that the compact call gives back keeps messages of the user before its item, so only
 * a strict backend is held to «everything before»; elsewhere it is everything the model made and
 * what was answered to it. «Manual truncation» is seen only as a compaction sent along with
 * `previous_response_id`: the server still has all that it replaces.
 */
const compactionStandsAlone = rule('VALID-R7', ({ request, profile, earlier }, report) => {
  const items = itemsOf(request)
  const latest = items.findLastIndex(isCompaction)
  const known = encryptedContents(earlier)
  for (const [index, item] of items.entries()) {
    if (index < latest && (profile.strict || !mayPrecede(item))) {
      report(item.where, 'the compaction behind it stands for this item: drop it')
    }
    if (item.type === 'compaction_trigger' && index < items.length - 1) {
      report(item.where, 'compaction_trigger must be the last item')
    }
    if (!isCompaction(item)) continue
    const { encrypted_content: content } = item.fields
    const original = item.id === undefined ? undefined : known.get(item.id)
    if (typeof content !== 'string' || content === '' || (original ?? content) !== content) {
      report(`${item.where}.encrypted_content`, 'a compaction is sent back as it came')
    }
  }
  if (latest !== -1 && isGiven(fieldsOf(request).previous_response_id)) {
    report('previous_response_id', 'the server still has what the compaction replaces')
  }
})

export const COMPACTION_RULES: readonly Rule[] = [compactionStandsAlone]

function isCompaction({ type }: Item): boolean {
  return type === 'compaction'
}

/** One compaction can come in several items. */
function mayPrecede(item: Item): boolean {
  return isCompaction(item) || (item.type === 'message' && item.fields.role !== 'assistant')
}
