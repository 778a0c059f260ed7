// The window by category: used, free, and the largest entries
import { nameOfEntry } from '../../core/edit/report-name.ts'
import { splitTokens } from '../../core/edit/report-split.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import type { ContextCategory, ContextFigures, ContextPicture } from '../../protocol/client.ts'

const LARGEST = 10

/** The figures say how full the window is; the context, with what. */
export function pictureOf(
  { context, eventAt }: Pick<StrategyInput, 'context' | 'eventAt'>,
  figures: ContextFigures,
): ContextPicture {
  const { total, toolResults, toolCalls, ...split } = splitTokens(context, eventAt)
  const known: ContextCategory[] = [
    { name: 'system', tokens: split.system },
    { name: 'user', tokens: split.user },
    { name: 'assistant', tokens: split.assistant },
    { name: 'thinking', tokens: split.thinking },
    { name: 'tool calls', tokens: toolCalls },
    { name: 'tool results', tokens: toolResults.reduce((sum, { tokens }) => sum + tokens, 0) },
    { name: 'images', tokens: split.images },
    { name: 'summaries', tokens: split.summaries },
  ]
  const used = figures.tokens ?? total
  // What a provider counts beyond our own weights: the tools, mostly.
  const beyond = Math.max(0, used - total)
  const free = figures.limit === undefined ? undefined : Math.max(0, figures.limit - used)
  return {
    categories: [
      ...known.filter(({ tokens }) => tokens > 0),
      ...(beyond > 0 ? [{ name: 'tools', tokens: beyond }] : []),
      ...(free === undefined ? [] : [{ name: 'free', tokens: free }]),
    ],
    context: figures,
    largest: context.items
      .toArray()
      .filter(({ kind }) => kind !== 'gap')
      .toSorted((one, other) => other.tokens - one.tokens)
      .slice(0, LARGEST)
      .map(({ id, tokens }) => ({ ref: id, what: nameOfEntry(id, eventAt), tokens })),
  }
}
