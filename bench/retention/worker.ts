// Measures one session after another, in a thread of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { type MeasureSettings, measureSession } from './measure.ts'
import { policiesWith } from './policies.ts'
import { readSession } from './session.ts'

export interface WorkerSettings extends MeasureSettings {
  readonly policies: readonly string[]
  /** A module with strategies of its own. */
  readonly file?: string
}

const settings = workerData as WorkerSettings
const all = await policiesWith(settings.file)
const asked = Object.fromEntries(
  Object.entries(all).filter(([name]) => settings.policies.includes(name)),
)

parentPort?.on('message', async (path: string) => {
  try {
    const session = await measureSession(await readSession(path), asked, settings)
    parentPort?.postMessage({ session })
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
})
