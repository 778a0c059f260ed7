// Queues of jobs, in one process and on PostgreSQL: once in line, never two at once for a thread, tried again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresPlace, postgresPlace } from '../../test/postgres/place.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres/server.ts'
import { requirement } from '../../test/require.ts'
import { pretendWork, until } from '../../test/wait.ts'
import type { JobQueue, Store } from '../core/ports.ts'
import { expectError } from './contract/place.ts'
import type { JobOptions } from './job-options.ts'
import { memoryStore } from './memory/memory.ts'
import { openJobs } from './open-store.ts'

type OpenQueue = (options: JobOptions) => Promise<JobQueue>

const QUICK: JobOptions = { jobTimeoutMs: 60_000, retryAfterMs: 0, retries: 2 }

function queueContract(open: OpenQueue): void {
  it('has a thread once in line, and runs its job', async () => {
    const queue = await open(QUICK)
    expect(await queue.add('a')).toBe(true)
    expect(await queue.add('a')).toBe(false)
    expect(await queue.add('b')).toBe(true)
    const ran: string[] = []
    await queue.work(async (threadId) => void ran.push(threadId))
    await until('two jobs', () => ran.length === 2)
    expect(ran.toSorted()).toEqual(['a', 'b'])
    expect(await queue.add('a')).toBe(true)
    await until('the third job', () => ran.length === 3)
    await queue.close()
  })

  it('runs two threads at once, and never two jobs of one thread [ALWAYS-05]', async () => {
    const queue = await open({ ...QUICK, jobsAtOnce: 3 })
    const begun: string[] = []
    const ended: string[] = []
    const hasEnded = Promise.withResolvers<void>()
    await queue.work(async (threadId) => {
      begun.push(threadId)
      // The first one runs until the job of the other thread is over.
      if (threadId === 'a' && ended.length === 0) await hasEnded.promise
      ended.push(threadId)
    })
    await queue.add('a')
    await until('the first job', () => begun.length === 1)
    await queue.add('a')
    await queue.add('b')
    await until('the job beside it', () => ended.includes('b'))
    expect(begun).toEqual(['a', 'b'])
    hasEnded.resolve()
    await until('the second job of the thread', () => ended.length === 3)
    expect(ended).toEqual(['b', 'a', 'a'])
    await queue.close()
  })

  it('tries a job again that fails, a few times, and others meanwhile', async () => {
    const queue = await open(QUICK)
    const tries: string[] = []
    const count = (name: string) => tries.filter((each) => each === name).length
    await queue.work(async (threadId) => {
      tries.push(threadId)
      if (threadId === 'bad') throw new Error('no')
      if (threadId === 'odd' && count('odd') === 1) throw new Error('not yet')
    })
    for (const threadId of ['bad', 'odd', 'good']) await queue.add(threadId)
    const isOver = () => count('bad') === 3 && count('odd') === 2 && count('good') === 1
    await until('the last try of each', isOver)
    await queue.close()
    expect(count('bad')).toBe(3)
  })

  it('waits for the jobs that run when it is closed, and takes no more', async () => {
    const queue = await open(QUICK)
    let isDone = false
    let hasBegun = false
    await queue.work(async () => {
      hasBegun = true
      await pretendWork(100)
      isDone = true
    })
    await queue.add('a')
    await until('the job to begin', () => hasBegun)
    await queue.close()
    expect(isDone).toBe(true)
    await expectError(queue.add('b'), 'store-closed')
    await expectError(
      queue.work(async () => undefined),
      'store-closed',
    )
  })

  it('leaves jobs to others once whoever worked on them has ended', async () => {
    const queue = await open(QUICK)
    const ending = new AbortController()
    let refused = 0
    await queue.work(async () => {
      refused += 1
      ending.abort()
      throw new Error('no')
    }, ending.signal)
    await queue.add('a')
    await until('the first try', () => refused === 1)
    const ran: string[] = []
    await queue.work(async (threadId) => void ran.push(threadId))
    await until('the second try', () => ran.length === 1)
    expect(refused).toBe(1)
    await queue.close()
  })

  it('refuses settings and names that make no sense', async () => {
    for (const wrong of [{ jobsAtOnce: 0 }, { jobTimeoutMs: 1 }, { retries: -1 }])
      await expectError(open(wrong), 'usage')
    const queue = await open(QUICK)
    await expectError(queue.add(''), 'usage')
    await queue.close()
  })
}

describe('jobs of one process', () => {
  queueContract((options) => openJobs('memory:', memoryStore(), options))

  it('is worked on by who came last, also when one who came before goes', async () => {
    const queue = await openJobs('memory:', memoryStore(), QUICK)
    const ran: string[] = []
    const first = new AbortController()
    await queue.work(async () => void ran.push('first'), first.signal)
    await queue.work(async () => void ran.push('second'))
    first.abort()
    await queue.add('a')
    await until('the job', () => ran.length === 1)
    expect(ran).toEqual(['second'])
    await queue.close()
  })

  it('wait while another process has the thread', async () => {
    const store = memoryStore()
    await store.takeLease('job a', 'another', 60_000)
    let refused = 0
    const leases: Pick<Store, 'takeLease' | 'releaseLease'> = {
      async takeLease(...asked) {
        const isTaken = await store.takeLease(...asked)
        if (!isTaken) refused += 1
        return isTaken
      },
      releaseLease: (...given) => store.releaseLease(...given),
    }
    const queue = await openJobs('memory:', leases, { ...QUICK, retryAfterMs: 5 })
    let ran = 0
    await queue.work(async () => {
      ran += 1
    })
    await queue.add('a')
    await until('three tries to take the thread', () => refused >= 3)
    expect(ran).toBe(0)
    await store.releaseLease('job a', 'another')
    await until('the job', () => ran === 1)
    await queue.close()
  })
})

describe('the lease of a job', () => {
  it('is kept until the job ends, also where that is late [ALWAYS-05]', async () => {
    const store = memoryStore()
    const options = { ...QUICK, jobTimeoutMs: 1_000, retryAfterMs: 5 }
    const queues = [
      await openJobs('memory:', store, options),
      await openJobs('memory:', store, options),
    ]
    const [running, most, signals] = [new Set<number>(), new Set<number>(), new Set<boolean>()]
    let ended = 0
    for (const [index, queue] of queues.entries()) {
      await queue.work(async (_, signal) => {
        running.add(index)
        most.add(running.size)
        await pretendWork(1_500) // it does not look at its signal
        signals.add(signal.aborted)
        running.delete(index)
        ended += 1
      })
      await queue.add('a')
    }
    await until('the end of both jobs', () => ended === 2)
    expect([...most]).toEqual([1])
    expect([...signals]).toEqual([true])
    for (const queue of queues) await queue.close()
    expect(await store.takeLease('job a', 'me', 1_000)).toBe(true)
  })
})

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(`jobs on PostgreSQL ${notice}`, () => {
  let server: PostgresServer
  let place: PostgresPlace
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.remove())

  queueContract(async (options) => {
    place = await postgresPlace(server)
    return openJobs(place.address, place.store, options)
  })

  it('are shared by all processes, and still there when the server was gone', async () => {
    const shared = await postgresPlace(server)
    const one = await openJobs(shared.address, shared.store, QUICK)
    const other = await openJobs(shared.address, await shared.again(), QUICK)
    expect(await one.add('a')).toBe(true)
    expect(await other.add('a')).toBe(false)
    await server.stop('immediate')
    await server.start()
    const ran: string[] = []
    await other.work(async (threadId) => void ran.push(threadId))
    await until('the job', () => ran.length === 1)
    await one.close()
    await other.close()
    await shared.remove()
  })

  it('of one thread are never two at once, whichever process takes them [ALWAYS-05]', async () => {
    const shared = await postgresPlace(server)
    let refused = 0
    const countRefused = (store: Store): Pick<Store, 'takeLease' | 'releaseLease'> => ({
      async takeLease(...asked) {
        const isTaken = await store.takeLease(...asked)
        if (!isTaken) refused += 1
        return isTaken
      },
      releaseLease: (...given) => store.releaseLease(...given),
    })
    const options = { ...QUICK, jobsAtOnce: 1 }
    const queues = [
      await openJobs(shared.address, countRefused(shared.store), options),
      await openJobs(shared.address, countRefused(await shared.again()), options),
    ]
    let [begun, ended] = [0, 0]
    const first = Promise.withResolvers<void>()
    for (const queue of queues)
      await queue.work(async () => {
        begun += 1
        if (begun === 1) await first.promise
        ended += 1
      })
    await queues[0]?.add('a')
    await until('the first job', () => begun === 1)
    await queues[0]?.add('a')
    // Whoever has the first one takes no other meanwhile: the other process tries this one.
    await until('a second job that was not begun', () => refused > 0)
    expect([begun, ended]).toEqual([1, 0])
    first.resolve()
    await until('the second job', () => ended === 2)
    for (const queue of queues) await queue.close()
    await shared.remove()
  })

  it('are at an end when the queue is closed, also one that was just being taken', async () => {
    const slow = await postgresPlace(server)
    const queue = await openJobs(slow.address, slow.store, QUICK)
    await queue.add('a')
    const table = `${slow.schema}_jobs.job`
    const locked = server.query('BEGIN', `LOCK TABLE ${table}`, 'SELECT pg_sleep(1)', 'COMMIT')
    const locks = `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = '${table}'::regclass`
    await until('the lock', async () => (await server.query(locks)).length > 0)
    let [begun, ended] = [0, 0]
    await queue.work(async () => {
      begun += 1
      await pretendWork(50)
      ended += 1
    })
    await queue.close()
    await locked
    const atClose = begun
    expect(ended).toBe(atClose)
    const left = await server.query(`SELECT state FROM ${table} WHERE name = 'threads'`)
    expect(left).toEqual([{ state: begun === 1 ? 'completed' : 'created' }]) // not left as begun
    // Whoever comes next does what is left, and the one that was closed does nothing more.
    const next = await openJobs(slow.address, slow.store, QUICK)
    const ran: string[] = []
    await next.work(async (threadId) => void ran.push(threadId))
    await next.add('b')
    const rest = atClose === 1 ? ['b'] : ['a', 'b']
    await until(`the jobs ${rest}`, () => rest.every((threadId) => ran.includes(threadId)))
    await next.close()
    expect(begun).toBe(atClose)
    await slow.remove()
  })

  it('of one thread are never two at once in a process, also where the lease was over [ALWAYS-05]', async () => {
    const shared = await postgresPlace(server)
    // As after an outage that was longer than the lease: whoever asks has it.
    const leases = { takeLease: async () => true, releaseLease: async () => undefined }
    const queue = await openJobs(shared.address, leases, QUICK)
    const begun: string[] = []
    const first = Promise.withResolvers<void>()
    await queue.work(async (threadId) => {
      begun.push(threadId)
      if (begun.length === 1) await first.promise
    })
    await queue.add('a')
    await until('the first job', () => begun.length === 1)
    await queue.add('a')
    await queue.add('b')
    // The other worker takes them in their order: it has passed over the second job of the thread.
    await until('the job of the other thread', () => begun.includes('b'))
    expect(begun).toEqual(['a', 'b'])
    first.resolve()
    await until('the second job of the thread', () => begun.length === 3)
    expect(begun).toEqual(['a', 'b', 'a'])
    await queue.close()
    await shared.remove()
  })

  it('cannot be opened with a wrong address, which is told without the password', async () => {
    const wrong = 'postgres://me:s3cret@127.0.0.1:1/db'
    const failure = await openJobs(wrong, memoryStore()).catch((thrown: Error) => thrown)
    expect(failure).toMatchObject({ code: 'unreachable' })
    expect(`${(failure as Error).stack}${JSON.stringify(failure)}`).not.toContain('s3cret')
  })
})
