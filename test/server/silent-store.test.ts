// A store that is gone: whoever reads is told soon, and what only takes long is waited for.
import { expect, it } from 'vitest'
import { PrecisError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { until } from '../wait.ts'
import { type AppSetup, setUpApp } from './setup.ts'

const limits = { storeSilenceMs: 100 }

/** In place of what the store does: its calls wait for good, fail, or take their time. */
function replace(store: Store, methods: Partial<Store>): void {
  Object.assign(store, methods)
}

const forGood = () => new Promise<never>(() => undefined)

async function problemOf({ ask }: AppSetup, path: string) {
  const response = await ask(path)
  return { status: response.status, body: await response.json() }
}

it('is told as a problem to whoever lists, opens or asks whether it is ready', async () => {
  const app = await setUpApp({ limits })
  const { threadId } = await app.client.createThread()
  const { read, info, list } = app.home.store
  replace(app.home.store, { read: forGood, info: forGood, list: forGood })
  for (const path of ['/threads', `/threads/${threadId}`, '/ready'])
    expect(await problemOf(app, path)).toMatchObject({
      status: 503,
      body: { code: 'store-busy', detail: 'The store does not answer.' },
    })
  // The process itself is there.
  const health = await app.ask('/health')
  expect(health.status).toBe(200)
  expect(await health.json()).toEqual({ status: 'ok', store: 'silent' })
  expect(await (await app.ask('/metrics')).text()).toContain('\nprecis_store_up 0\n')
  replace(app.home.store, { read, info, list })
  expect(await (await app.ask('/health')).json()).toEqual({ status: 'ok', store: 'ok' })
  expect(await (await app.ask('/metrics')).text()).toContain('\nprecis_store_up 1\n')
})

it('is told without the words of its failure', async () => {
  const app = await setUpApp({ limits })
  const { info } = app.home.store
  const gone = new PrecisError('unreachable', 'The store postgres://me@secret-host is gone.')
  replace(app.home.store, { info: () => Promise.reject(gone) })
  const { status, body } = await problemOf(app, '/ready')
  expect(status).toBe(503)
  expect(JSON.stringify(body)).not.toContain('secret-host')
  replace(app.home.store, { info })
})

it('is none that takes long and answers others meanwhile', async () => {
  const app = await setUpApp({ limits })
  const { list, info } = app.home.store
  let asked = 0
  const late: Store['list'] = async () => {
    await until('three looks at the store', () => asked >= 3)
    return { items: [] }
  }
  replace(app.home.store, {
    list: late,
    info: async () => {
      asked += 1
      return undefined
    },
  })
  expect((await app.ask('/threads')).status).toBe(200)
  replace(app.home.store, { list, info })
})
