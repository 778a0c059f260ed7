// How long it takes until `precis --help` is out, beside starting Node.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import { interleave } from '../measure.ts'
import type { Settings } from './settings.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

export async function startCost({ starts, budgetMs }: Settings): Promise<Answered> {
  const series = await interleave(
    { help: () => millisOf([PRECIS, '--help']), node: () => millisOf(['-e', '0']) },
    // The first start compiles, the others find that done.
    { rounds: starts, warmUps: 2, budgetMs },
  )
  const question = {
    id: 'help',
    unit: 'ms',
    subject: 'precis --help',
    reference: 'starting Node',
    goal: { is: 'at most', ratio: 3 },
  } as const
  return compare(question, series.help, series.node)
}

function millisOf(args: readonly string[]): number {
  const start = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - start
}
