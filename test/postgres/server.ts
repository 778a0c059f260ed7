// A PostgreSQL server of a test's own: on loopback, on a free port, in a folder that goes away with it.
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
const DEBIAN = '/usr/lib/postgresql'
/** Between finding a free port and using it, another may have taken it. */
const PORT_TRIES = 5

export interface PostgresServer {
  readonly port: number
  /** The folder of the server; its log is the file `log` in it. */
  readonly folder: string
  /** The address of a store in a schema, as `openStore` takes it. */
  address(schema: string, user?: string): string
  start(): Promise<void>
  /** `immediate` is how a crash ends it: nothing is written back, and it recovers when it starts. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Runs statements as the superuser. */
  query(...statements: string[]): Promise<pg.QueryResultRow[]>
  /** Stops it and leaves nothing behind. */
  remove(): Promise<void>
}

/** Settings are the server's own; without `fsync` it is as fast as a test likes it. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-postgres-'))
  giveAway(folder)
  const data = join(folder, 'data')
  await asOwner('initdb', ['-D', data, '-U', 'postgres', ...INITDB])
  const server = new Server(folder, settings)
  for (let tries = 1; ; tries += 1) {
    server.port = await freePort()
    try {
      await server.start()
      return server
    } catch (thrown) {
      if (tries < PORT_TRIES) continue
      rmSync(folder, { recursive: true, force: true })
      throw thrown
    }
  }
}

const INITDB = ['-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']

class Server implements PostgresServer {
  readonly folder: string
  readonly #settings: Readonly<Record<string, string>>
  port = 0

  constructor(folder: string, settings: Readonly<Record<string, string>>) {
    this.folder = folder
    this.#settings = settings
  }

  address(schema: string, user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/postgres?schema=${schema}`
  }

  async start(): Promise<void> {
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: this.folder,
      ...this.#settings,
    }
    const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)
    await this.#control('-l', join(this.folder, 'log'), '-o', options.join(' '), 'start')
  }

  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.#control('-m', mode, 'stop')
  }

  async query(...statements: string[]): Promise<pg.QueryResultRow[]> {
    const client = new pg.Client({ connectionString: this.address('public').split('?')[0] })
    await client.connect()
    try {
      let rows: pg.QueryResultRow[] = []
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  }

  async remove(): Promise<void> {
    if (existsSync(join(this.folder, 'data', 'postmaster.pid'))) await this.stop('immediate')
    rmSync(this.folder, { recursive: true, force: true })
  }

  #control(...args: string[]): Promise<void> {
    return asOwner('pg_ctl', ['-D', join(this.folder, 'data'), '-w', ...args])
  }
}

/** The server does not run as root: there it belongs to the user that Debian's package makes. */
function isRoot(): boolean {
  return process.getuid?.() === 0
}

function giveAway(folder: string): void {
  chmodSync(folder, 0o700)
  if (!isRoot()) return
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  chownSync(folder, id('-u'), id('-g'))
}

async function asOwner(program: string, args: readonly string[]): Promise<void> {
  const path = join(programFolder(), program)
  // Its own folder, since the working folder may be one that this user cannot enter.
  const options = { cwd: tmpdir() }
  if (isRoot()) await run('runuser', ['-u', 'postgres', '--', path, ...args], options)
  else await run(path, [...args], options)
}

/** Debian keeps the programs off the path, in a folder for each version; elsewhere they are on it. */
function programFolder(): string {
  if (!existsSync(DEBIAN)) return ''
  const versions = readdirSync(DEBIAN).filter((name) =>
    existsSync(join(DEBIAN, name, 'bin/initdb')),
  )
  const latest = versions.toSorted((one, other) => Number(one) - Number(other)).at(-1)
  return latest === undefined ? '' : join(DEBIAN, latest, 'bin')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const place = probe.address()
      probe.close(() => resolve(typeof place === 'object' && place ? place.port : 0))
    })
  })
}
