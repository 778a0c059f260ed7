// How fast tokens are estimated, beside an exact tokenizer and beside a division by four.
import { charsOverFour } from '../../src/core/window/tokens/counter.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { loadO200k } from '../../src/providers/o200k.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, microsEach, use } from '../measure.ts'
import { progress } from './place.ts'
import type { Settings } from './settings.ts'
import { type Text, texts } from './texts.ts'

/** The fast ones go over the text several times, so that a round is long enough for the clock. */
const PASSES = { estimate: 5, exact: 1, division: 200 }

export async function estimateSpeed(settings: Settings): Promise<Answered[]> {
  const { seed, estimateChars, estimateRounds } = settings
  const o200k = await loadO200k()
  const figures: Answered[] = []
  for (const text of texts(new Random(seed), estimateChars)) {
    progress(`estimate: ${text.kind}, ${text.megabytes.toFixed(1)} MB`)
    const series = await interleave(
      {
        estimate: () => speed(text, PASSES.estimate, estimateTokens),
        exact: () => speed(text, PASSES.exact, o200k.count),
        division: () => speed(text, PASSES.division, charsOverFour),
      },
      { rounds: estimateRounds, warmUps: 2 },
    )
    const question = { unit: 'MB/s', subject: `the estimate, ${text.kind}` } as const
    figures.push(
      compare(
        { ...question, id: `estimate-${text.kind}-exact`, reference: 'o200k, exact' },
        series.estimate,
        series.exact,
      ),
      compare(
        { ...question, id: `estimate-${text.kind}-chars4`, reference: 'characters / 4' },
        series.estimate,
        series.division,
      ),
    )
  }
  return figures
}

/** MB of UTF-8 in a second. */
function speed(
  { pieces, megabytes }: Text,
  passes: number,
  count: (text: string) => number,
): number {
  const micros = microsEach(passes, () => {
    let sum = 0
    for (const piece of pieces) sum += count(piece)
    use(sum)
  })
  return megabytes / (micros / 1e6)
}
