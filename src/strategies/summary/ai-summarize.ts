// `ai-summarize`: a summary in five points as an agent message, then the last three user messages.
import type { Put } from '../../core/edit/change.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { type Item, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { isSaidByUser } from '../../core/view/last-request.ts'
import type { Message } from '../../core/view/message.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { unseenStart } from '../whole-range.ts'
import { asData } from './as-data.ts'
import { askForSummary, noModel } from './ask-for-summary.ts'
import { withFloor } from './floor.ts'
import { markedSummary } from './marked-summary.ts'
import { FIVE_POINTS } from './prompts/five-points.ts'
import { withUsersWords } from './prompts/summarizer.ts'

const KEPT_USER_MESSAGES = 3
const HEADING = '[CONVERSATION SUMMARY]'

export const aiSummarize: Strategy = withFloor({
  id: 'ai-summarize',
  async propose(input) {
    const { context, eventAt, run, instructions } = input
    const { provider } = run
    if (!provider) throw noModel('AI summarization requires a provider')
    const items = context.items.toArray()
    const open = openRoundStart(items, context.open)
    const replaced = items.slice(0, Math.min(open, unseenStart(items)))
    if (replaced.length === 0) return { edits: [] }
    const answer = await askForSummary({
      provider,
      input: { context, eventAt, run },
      items: replaced,
      prompt: withUsersWords(FIVE_POINTS, instructions),
      form: 'apart',
      spoken: replaced.flatMap((item) => spokenMessage(item, eventAt)),
    })
    const { text, metadata, told } = markedSummary(answer, input)
    const content = `${HEADING}\n\n${text}`
    // What the user said: not what a compaction put in their place, a summary or pinned texts.
    const kept = replaced.filter((item) => isSaidByUser(item, eventAt)).slice(-KEPT_USER_MESSAGES)
    const put: Put[] = [
      { type: 'AGENT_MESSAGE', data: { content, calls: [] }, label: 'summary' },
      ...runsOf(kept, eventAt).map((keep) => ({ keep })),
    ]
    return {
      edits: [{ covers: runsOf(replaced, eventAt), put }],
      metadata: {
        ...metadata,
        preservedUserMessages: kept.length,
        tokensSaved: Math.max(0, weigh(replaced) - weigh(kept) - estimateTokens(content)),
      },
      ...told,
    }
  },
})

/** What the user and the agent said, as data; tool traffic is left out. */
function spokenMessage(item: Item, eventAt: EventAt): Message[] {
  const content = contentOf(item.id, eventAt)
  if (content?.kind === 'user')
    return isToolTraffic(item, eventAt) ? [] : message('user', textOfUserContent(content.content))
  if (content?.kind === 'answer') return message('assistant', content.answer.content)
  return []
}

/** Some agents have results in the user's place. */
function isToolTraffic({ id }: Item, eventAt: EventAt): boolean {
  const { original, seq } = parseEntryId(id)
  return original && eventAt(seq)?.origin === 'tool'
}

function message(role: Message['role'], text: string): Message[] {
  return text.trim() === '' ? [] : [{ role, parts: [{ type: 'text', text: asData(text) }] }]
}

function weigh(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.tokens, 0)
}
