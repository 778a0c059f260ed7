// When a session began, from the first steps that a reader gives
import type { Step } from '../session-format.ts'

/** When a session began is known with its first record that has a time: near its beginning, or never. */
const LOOKED_AT = 100

export async function withBeginning(
  read: AsyncIterable<Step>,
): Promise<{ readonly began: Date | undefined; readonly steps: AsyncIterable<Step> }> {
  const rest = read[Symbol.asyncIterator]()
  const held: Step[] = []
  let began: Date | undefined
  while (!began && held.length < LOOKED_AT) {
    const next = await rest.next()
    if (next.done) break
    held.push(next.value)
    began = timeIn(next.value)
  }
  return { began, steps: inOrder(held, rest) }
}

async function* inOrder(held: readonly Step[], rest: AsyncIterator<Step>): AsyncGenerator<Step> {
  try {
    yield* held
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.() // closes the file if it is not read to the end
  }
}

function timeIn(step: Step): Date | undefined {
  if (step.type !== 'drafts') return undefined
  return step.drafts.find(({ draft }) => draft.timestamp)?.draft.timestamp
}
