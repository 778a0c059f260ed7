// `npm run fuzz -- --minutes N [--seed S]`: random threads for so long; stops at the first broken rule.
import { parseArgs } from 'node:util'
import { checkThread } from '../test/flows/request-cases.ts'

const REPORT_MS = 10_000

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
})
const minutes = Number(values.minutes)
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(minutes > 0) || !Number.isSafeInteger(first)) {
  console.error('fuzz: --minutes takes a number above 0, --seed a whole number')
  process.exitCode = 2
} else await fuzz()

async function fuzz(): Promise<void> {
  const end = Date.now() + minutes * 60_000
  console.log(`fuzz: first seed ${first}`)
  let [seed, cases, reported] = [first, 0, Date.now()]
  for (; Date.now() < end; seed += 1) {
    cases += await checkThread(seed)
    if (Date.now() - reported < REPORT_MS) continue
    reported = Date.now()
    console.log(`fuzz: ${seed - first + 1} threads, ${cases} requests`)
  }
  console.log(`fuzz: ${seed - first} threads, ${cases} requests, no rule broken`)
}
