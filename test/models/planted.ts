// A conversation with a fact planted in each exchange, oldest first, and the request that is open at its end.
import type { StrategyInput } from '../../src/core/edit/strategy.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { TestLog } from '../generate/test-log.ts'
import { answer, result, user } from '../say.ts'

export const REQUEST =
  'Now rename the handler `takeOrders` to `acceptOrders`,\n\n  and leave the blanks as they are.'

const FILLER = [
  'We looked at this from several sides before anything was written down.',
  'It took a while to see why, and the notes of the others were of some help.',
  'Nothing else depends on it for now, as far as anybody could tell us.',
]

export interface Planted {
  readonly log: TestLog
  /** The values, oldest first. */
  readonly facts: readonly string[]
}

/** About so many tokens; every third exchange reads a file. */
export function plant(tokens: number): Planted {
  const log = new TestLog()
  const facts: string[] = []
  for (let at = 1; weightOf(log.context) < tokens; at += 1) {
    const value = `kestrel-${String(4_000 + at * 7)}`
    facts.push(value)
    log.append([user(`Fact ${at}: service s${at} is called ${value}.\n${FILLER.join(' ')}`)])
    if (at % 3 === 0) {
      log.append(answer(`I read it for s${at}.`, `call${at}`))
      log.append([result(`call${at}`, `// file ${at}\n${FILLER.join('\n').repeat(4)}`)])
    }
    log.append(answer(`Noted. ${FILLER.toReversed().join(' ').repeat(2)}`))
  }
  log.append([user(REQUEST)])
  return { log, facts }
}

export function inputFor(
  log: TestLog,
  more: Pick<StrategyInput, 'trigger'> & Partial<StrategyInput>,
): StrategyInput {
  const { context, eventAt, reduce, threadId } = log
  return { context, eventAt, run: { threadId }, reduce, ...more }
}

/** Everything that the model is sent, as one text. */
export function sentText(log: TestLog): string {
  return log
    .build()
    .messages.flatMap(({ parts }) =>
      parts.map((part) => {
        if (part.type === 'text') return part.text
        if (part.type !== 'tool_result') return ''
        return part.content.map(({ text = '' }) => text).join('\n')
      }),
    )
    .join('\n')
}
