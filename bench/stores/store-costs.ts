// Every figure of the stores: on SQLite, and on PostgreSQL where the machine has it.
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

export async function storeCosts(settings: Settings): Promise<Answered[]> {
  const answers: Answered[] = []
  await inFolder(async (folder) => {
    answers.push(...(await measure(settings, sqliteDatabase(folder))))
  })
  if (!hasProgram('postgres')) {
    progress('PostgreSQL is not on this machine: its figures are left out')
    return answers
  }
  // As it is installed: every commit waits for the disk.
  const server = await startPostgres({})
  try {
    return [...answers, ...(await measure(settings, await postgresDatabase(server)))]
  } finally {
    await server.remove()
  }
}

async function measure(settings: Settings, database: BenchDatabase): Promise<Answered[]> {
  try {
    return [
      ...(await appendCost(settings, database)),
      ...(await chainCost(settings, database)),
      ...(await crowdCost(settings, database)),
      ...(await openAndSearchCost(settings, database)),
      await followDelay(settings, database),
    ]
  } finally {
    await database.bare.close()
  }
}
