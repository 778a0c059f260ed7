// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import { startPostgres } from '../../test/postgres/server.ts'
import { hasProgram } from '../../test/require.ts'
import { inFolder, progress } from '../core/place.ts'
import type { Answered } from '../figure.ts'
import { appendCost } from './append-cost.ts'
import { chainCost } from './chain-cost.ts'
import { crowdCost } from './crowd-cost.ts'
import { type BenchDatabase, postgresDatabase, sqliteDatabase } from './databases.ts'
import { followDelay } from './follow-delay.ts'
import { openAndSearchCost } from './open-and-search-cost.ts'
import type { Settings } from './settings.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
const answers: Answered[] = []
await inFolder(async (folder) => measure(sqliteDatabase(folder)))
if (hasProgram('postgres')) {
  // As it is installed: every commit waits for the disk.
  const server = await startPostgres({})
  try {
    await measure(await postgresDatabase(server))
  } finally {
    await server.remove()
  }
} else progress('PostgreSQL is not on this machine: its figures are left out')
process.stdout.write(`${JSON.stringify(answers)}\n`)

async function measure(database: BenchDatabase): Promise<void> {
  try {
    answers.push(...(await appendCost(settings, database)))
    answers.push(...(await chainCost(settings, database)))
    answers.push(...(await crowdCost(settings, database)))
    answers.push(...(await openAndSearchCost(settings, database)))
    answers.push(await followDelay(settings, database))
  } finally {
    await database.bare.close()
  }
}
