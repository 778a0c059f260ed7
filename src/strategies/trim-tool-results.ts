// `trim-tool-results`: long tool results become their first three lines and a marker; their refs are in the metadata. No model.
import type { Edit, EntryId } from '../core/edit/change.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { Block, ToolResult } from '../core/view/content.ts'
import { rootOf } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { unansweredRoundStart } from '../core/view/seam.ts'
import { cutHead } from '../core/window/tokens/cut.ts'

const MAX_LINES = 3
/** A single line can be a whole minified file: it is cut as well. */
const MAX_LINE_CHARS = 2_000
const TRUNCATION_MESSAGE = '[results truncated to save space.]'

export const trimToolResults: Strategy = {
  id: 'trim-tool-results',
  async propose({ context, eventAt, trigger }) {
    const items = context.items.toArray()
    // Someone who names this strategy wants all results trimmed; on its own it leaves unread ones alone.
    const asked = trigger === 'command' || trigger === 'tool' || trigger === 'import'
    const end = asked ? items.length : unansweredRoundStart(items)
    const edits: Edit[] = []
    const refs: EntryId[] = []
    for (const item of items.slice(0, end)) {
      if (item.kind !== 'result') continue
      const content = contentOf(item.id, eventAt)
      if (content?.kind !== 'result') continue
      const data = trimResult(content.result)
      if (data === content.result) continue
      edits.push({
        covers: [item.id],
        put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: item.id }],
      })
      refs.push(rootOf(item.id, eventAt))
    }
    return {
      edits,
      metadata: {
        toolResultsModified: edits.length,
        maxLines: MAX_LINES,
        truncationMessage: TRUNCATION_MESSAGE,
        // The marker is exact and has no room for them.
        refs,
      },
    }
  },
}

/** The same object if nothing had to be cut. */
function trimResult(result: ToolResult): ToolResult {
  const content = result.content.map(trimBlock)
  return content.every((block, at) => block === result.content[at])
    ? result
    : { ...result, content }
}

function trimBlock(block: Block): Block {
  if (block.type !== 'text' || !block.text) return block
  const text = trimText(block.text)
  return text === block.text ? block : { ...block, text }
}

/** The first three lines and the marker; a text that was trimmed before stays as it is. */
export function trimText(text: string): string {
  const lines = text.split('\n', MAX_LINES + 1)
  const head = lines.slice(0, MAX_LINES).map((line) => cutHead(line, MAX_LINE_CHARS))
  const whole = lines.length <= MAX_LINES && head.every((line, at) => line === lines[at])
  return whole ? text : [...head, TRUNCATION_MESSAGE].join('\n')
}
