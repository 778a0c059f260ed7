// Codex's own app server: what its interfaces say to it, such as that the user trusts the hooks.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { programOf } from './installed.ts'
import type { World } from './world.ts'

interface ListedHook {
  readonly key: string
  readonly eventName: string
  readonly trustStatus: string
  readonly currentHash: string
}

/** As the page /hooks of Codex's terminal does: lists the hooks and stores the hash of each. Gives what was listed. */
export async function trustHooks(world: World): Promise<readonly ListedHook[]> {
  const child = spawn(programOf('codex'), ['app-server'], {
    cwd: world.project,
    env: world.environment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 60_000,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const waiting = new Map<number, (result: unknown) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  const ask = (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1
    child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
    const early = ended.then(() => Promise.reject(new Error(`codex ended before ${method}`)))
    return Promise.race([new Promise((resolve) => waiting.set(id, resolve)), early])
  }
  try {
    const clientInfo = { name: 'test', title: 'test', version: '1' }
    await ask('initialize', { clientInfo, capabilities: { experimentalApi: true } })
    child.stdin.write(`${JSON.stringify({ method: 'initialized' })}\n`)
    const { data } = (await ask('hooks/list', { cwds: [world.project] })) as {
      data: { hooks: ListedHook[] }[]
    }
    const hooks = data.flatMap((each) => each.hooks)
    const value = Object.fromEntries(
      hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
    )
    const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }]
    await ask('config/batchWrite', { edits })
    return hooks
  } finally {
    child.kill()
    await ended
  }
}
