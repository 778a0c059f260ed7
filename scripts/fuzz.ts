// `npm run fuzz -- --minutes N [--what requests,formats,edl,bodies] [--seed S]`: random cases for so long,
// shared by the kinds; goes on after one that breaks a rule, and prints the seed that goes on at the end.
import { parseArgs } from 'node:util'
import { checkScripts } from '../test/edl/check-scripts.ts'
import { checkThread } from '../test/flows/request-cases.ts'
import { openFuzzedApp } from '../test/server/fuzz-app.ts'

const REPORT_MS = 30_000
/** After so many broken seeds of a kind the others say nothing new. */
const MOST_BROKEN = 20
const SCRIPTS_PER_SEED = 50
/** Threads in memory are let go with their app. */
const CASES_PER_APP = 200

/** Checks one seed and gives how many cases that were; throws at the first that breaks a rule. */
type Check = (seed: number) => Promise<number>

const KINDS: Readonly<Record<string, () => Check>> = {
  requests: () => checkThread,
  formats: () => inApp((app, seed) => app.checkFile(seed)),
  edl: () => async (seed) => {
    await checkScripts(seed * SCRIPTS_PER_SEED, SCRIPTS_PER_SEED)
    return SCRIPTS_PER_SEED
  },
  bodies: () => inApp((app, seed) => app.checkBodies(seed)),
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    what: { type: 'string', default: 'requests' },
  },
})
const minutes = Number(values.minutes)
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const kinds = values.what === 'all' ? Object.keys(KINDS) : values.what.split(',')
if (!(minutes > 0) || !Number.isSafeInteger(first) || !kinds.every((kind) => kind in KINDS)) {
  console.error(
    `fuzz: --minutes takes a number above 0, --seed a whole number, --what all or some of ${Object.keys(KINDS)}`,
  )
  process.exitCode = 2
} else for (const kind of kinds) await fuzz(kind, (minutes * 60_000) / kinds.length)

async function fuzz(kind: string, forMs: number): Promise<void> {
  const check = KINDS[kind]?.()
  if (!check) return
  const end = Date.now() + forMs
  console.log(`fuzz ${kind}: first seed ${first}`)
  let [seed, cases, broken, reported] = [first, 0, 0, Date.now()]
  for (; Date.now() < end && broken < MOST_BROKEN; seed += 1) {
    try {
      cases += await check(seed)
    } catch (thrown) {
      broken += 1
      process.exitCode = 1
      console.error(`fuzz ${kind}: broken at --seed ${seed}:`, thrown)
    }
    if (Date.now() - reported < REPORT_MS) continue
    reported = Date.now()
    console.log(`fuzz ${kind}: ${cases} cases`)
  }
  const found = broken === 0 ? 'no rule broken' : `rules broken at ${broken} seeds`
  console.log(`fuzz ${kind}: ${cases} cases, ${found}; go on with --what ${kind} --seed ${seed}`)
}

function inApp(
  check: (app: ReturnType<typeof openFuzzedApp>, seed: number) => Promise<number>,
): Check {
  let app = openFuzzedApp()
  let count = 0
  return async (seed) => {
    count += 1
    if (count % CASES_PER_APP === 0) {
      await app.close()
      app = openFuzzedApp()
    }
    return check(app, seed)
  }
}
