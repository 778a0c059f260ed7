// `precis mcp`: the MCP server over standard input and output, or over HTTP on this machine.
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { logHostFailure } from '../hosts/failure-log.ts'
import type { Io } from '../process-io.ts'
import { syncSessions } from '../sessions/sync-sessions.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { openHome } from '../threads/home.ts'
import { buildMcpServer } from './mcp-server.ts'
import type { McpPorts } from './session-scope.ts'
import { sessionFiles } from './session-scope.ts'

export interface McpFlags {
  readonly http?: boolean
  readonly port?: string
  readonly projectOnly?: boolean
  readonly sync: boolean
}

export async function runMcp(flags: McpFlags, io: Io): Promise<void> {
  if (flags.port !== undefined && !flags.http)
    throw new PrecisError('usage', '--port needs --http', {
      where: '--port',
      hint: 'Without --http it speaks over standard input and output.',
    })
  const { settings } = loadSettings(io)
  const home = await openHome(settings, io)
  const isProjectOnly = flags.projectOnly ?? false
  const ports: McpPorts = {
    ...home,
    home,
    io,
    cwd: io.cwd,
    isProjectOnly,
    files: sessionFiles(settings, { isProjectOnly }, { ...io, stderr: nowhere() }),
    sync: flags.sync ? oneAtATime(() => syncQuietly(io)) : () => Promise.resolve(),
    propose: (session) => propose(session, io),
  }
  try {
    await (flags.http ? overHttp(ports, flags, io) : overStreams(ports, io))
  } finally {
    await home.close()
  }
}

/** Concurrent callers share one run. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

/** A client gives up after a minute; the store answers sooner. */
const MOST_WAIT_MS = 20_000

/** An unreadable session must not block an answer. */
async function syncQuietly(io: Io): Promise<void> {
  try {
    await syncSessions({ here: true }, { ...io, stderr: nowhere() }, MOST_WAIT_MS)
  } catch (thrown) {
    await logHostFailure('mcp', thrown, io)
  }
}

async function propose(session: string, io: Io): Promise<string> {
  const { runCompact } = await import('../compact/run-compact.ts')
  let text = ''
  const stdout = new Writable({
    write(piece: Buffer, _, done) {
      text += piece.toString('utf8')
      done()
    },
  })
  await runCompact(session, { dryRun: true }, { ...io, stdout, stderr: nowhere() })
  return text
}

function nowhere(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() })
}

/** Runs until the client disconnects or a signal arrives. */
async function overStreams(ports: McpPorts, io: Io): Promise<void> {
  const server = buildMcpServer(ports)
  const transport = new StdioServerTransport(
    io.stdin as ConstructorParameters<typeof StdioServerTransport>[0],
    io.stdout as Writable,
  )
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) io.stdin.once(event, resolve)
    for (const signal of ['SIGINT', 'SIGTERM']) io.host.once(signal, resolve)
  })
  await server.connect(transport)
  await ended
  await server.close()
}

const MOST_CLIENTS = 32

async function overHttp(ports: McpPorts, { port: given = '0' }: McpFlags, io: Io): Promise<void> {
  const port = wholeNumber(given, '--port', 0, 65_535)
  const token = randomBytes(32).toString('base64url')
  const clients = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(asPrecisError(thrown).message)
    })
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isAllowed(request, token)) return void response.writeHead(401).end()
    if (!request.url?.startsWith('/mcp')) return void response.writeHead(404).end()
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? clients.get(id) : undefined
    const transport = known ?? (await opened(ports, clients))
    await transport.handleRequest(request, response)
  }
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const { port: own } = http.address() as { port: number }
  const told = { url: `http://127.0.0.1:${own}/mcp`, headers: { authorization: `Bearer ${token}` } }
  await writeStream(io.stdout, `${JSON.stringify(told)}\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) io.host.once(signal, resolve)
  })
  for (const transport of clients.values()) await transport.close()
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
}

/** Browser pages use another host name, or send no token. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const { authorization = '', host = '', origin } = headers
  const isHere = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host) && origin === undefined
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)]
  return isHere && given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function opened(
  ports: McpPorts,
  clients: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const [oldest] = clients
  if (clients.size >= MOST_CLIENTS && oldest) {
    clients.delete(oldest[0])
    await oldest[1].close()
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void clients.set(id, transport),
    onsessionclosed: (id) => void clients.delete(id),
  })
  await buildMcpServer(ports).connect(transport as Transport)
  return transport
}
