// `precis serve`: store, agent and app in this process, over HTTP until it is stopped.
import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { Composed } from '../../compose.ts'
import { type ComposedApp, composeApp } from '../../compose-app.ts'
import { PrecisError } from '../../core/errors.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { PROVIDER_ENTRIES } from '../../providers/entries.ts'
import { splitName } from '../../providers/model-name.ts'
import { secretsOf } from '../../redact/known.ts'
import { redact } from '../../redact/redact.ts'
import { localToken, withLocalToken } from '../../server/accounts/local-token.ts'
import { TokenBook } from '../../server/accounts/tokens.ts'
import { isLoopback } from '../../server/http/guard.ts'
import { type Listening, listen } from '../../server/http/listen.ts'
import { readPage } from '../../server/http/page.ts'
import { leaveUnfinished, UnfinishedTurns } from '../../server/live/unfinished.ts'
import type { Access, AppLimits } from '../../server/ports.ts'
import { openWorkspace } from '../../tools/workspace.ts'
import { wishesHooks } from '../compact/plan.ts'
import type { Io } from '../process-io.ts'
import { programName, version } from '../program-name.ts'
import { SessionsOfMachine } from '../sessions/machine-sessions.ts'
import { stateFolder } from '../settings/places.ts'
import { projectRules } from '../settings/project-rules.ts'
import { loadSettings } from '../settings/settings.ts'
import { hostName, pageOrigin, wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { openHome } from '../threads/home.ts'
import { readApproval } from '../threads/send-message.ts'
import { storeOption } from './serve-tokens.ts'

export interface ServeFlags {
  readonly port: string
  readonly host: string
  readonly store?: string
  readonly model?: string
  readonly preset?: string
  readonly name?: readonly string[]
  readonly origin?: readonly string[]
  readonly workspace?: readonly string[]
  readonly allow?: readonly string[]
  readonly readOnly?: boolean
  /** False with --no-token. */
  readonly token?: boolean
  readonly rate: string
  readonly grace: string
  readonly json?: boolean
}

const HIGHEST_PORT = 65_535
const LONGEST_GRACE_S = 3_600
const HIGHEST_RATE = 1_000_000
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Lower than in process: several subscribers may be slow at once. */
const SERVED_LIMITS: Partial<AppLimits> = { followerItems: 5_000, followerChars: 8_000_000 }

function requireProvider(model = 'dev'): void {
  const providers = PROVIDER_ENTRIES.map(({ id }) => id)
  splitName(model, providers)
}

export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const port = wholeNumber(flags.port, '--port', 0, HIGHEST_PORT)
  const graceMs = wholeNumber(flags.grace, '--grace', 0, LONGEST_GRACE_S) * 1_000
  const requestsPerMinute = wholeNumber(flags.rate, '--rate', 1, HIGHEST_RATE)
  const [workspace, ...workspaces] = (flags.workspace ?? []).map((root) => workspaceAt(root, io))
  const [approval, reachable] = [readApproval(flags), readAccess(flags)]
  requireProvider(flags.model)
  const settings = loadSettings({
    ...io,
    flags: {
      ...(flags.store !== undefined && { store: flags.store }),
      ...(flags.model !== undefined && { models: { default: flags.model } }),
      ...(flags.preset !== undefined && { preset: flags.preset }),
    },
  })
  const stopping = signals(io.host)
  const home = await openHome(settings.settings, io)
  const closers: (() => Promise<void>)[] = []
  try {
    const jobs = await home.jobs()
    const local = await localFor(flags, io)
    const tokens = await tokensFor(home, flags, io)
    closers.push(() => tokens.close())
    warnWithoutSecrets(io)
    const page = readPage()
    // The machine's owner is recognised by its token; beyond the loopback there is none.
    const machine =
      local === undefined ? undefined : new SessionsOfMachine(home, settings.settings, io)
    if (machine) closers.push(() => machine.close())
    const composed = composeApp(home, {
      settings,
      environment: io.environment,
      version: version(),
      agent: {
        approval,
        jobs,
        hooks: wishesHooks(home, settings.settings),
        environment: io.environment,
        ...(workspace !== undefined && { workspace }),
      },
      workspaces,
      rules: (folder) => projectRules(folder, io.environment, io.stderr),
      onlyThese: true,
      access: {
        ...reachable,
        tokens: local === undefined ? tokens : withLocalToken(tokens, local),
      },
      page,
      ...(machine && { machine }),
      hasPeers: true,
      limits: { ...SERVED_LIMITS, requestsPerMinute },
    })
    const unfinished = new UnfinishedTurns(home, composed.agent)
    let listening: Listening | undefined
    try {
      listening = await listen(composed.app, { host: flags.host, port })
      const isTokenNeeded = tokens.isRequired || local !== undefined
      const told = { isTokenNeeded, hasPage: page.size > 0, ...(local !== undefined && { local }) }
      await tellWhere(listening.url, flags, told, io)
      await stopping.first
    } finally {
      await unfinished.close()
      await endServer({ home, composed, listening, graceMs, hurry: stopping.hurry })
    }
  } finally {
    stopping.end()
    for (const close of closers) await close()
    await home.close()
  }
}

/** An error for a tool's missing file would not help someone who starts a server. */
function workspaceAt(root: string, { cwd }: Io): string {
  try {
    return openWorkspace({ root: resolve(cwd, root) }).root
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    throw new PrecisError('usage', thrown.message, {
      where: '--workspace',
      hint: 'Name an existing, readable directory, as in --workspace .',
    })
  }
}

/** Beyond the loopback every request needs a token, so there must be one. */
async function tokensFor(home: Composed, { host, store }: ServeFlags, io: Io): Promise<TokenBook> {
  const tokens = await TokenBook.open(home)
  if (isOnLoopback(host) || tokens.count > 0) return tokens
  await tokens.close()
  throw new PrecisError('usage', `Listening beyond this machine (${host}) requires a token.`, {
    where: '--host',
    hint: `Create one first: ${programName(io)} token add NAME${storeOption(store)}. Or leave out --host.`,
  })
}

function isOnLoopback(host: string): boolean {
  return isLoopback(host.includes(':') ? `[${host}]` : host)
}

/** Other users of this machine reach its loopback, too, so that also needs a token. */
async function localFor({ host, token = true }: ServeFlags, io: Io): Promise<string | undefined> {
  if (!isOnLoopback(host) || !token) return undefined
  return localToken(await stateFolder(io))
}

/** The accepted host names. An address of this machine cannot be another's name. */
function readAccess({ host, name = [], origin = [] }: ServeFlags): Access {
  const own = EVERY_ADDRESS.has(host)
    ? [
        hostname(),
        ...Object.values(networkInterfaces()).flatMap((each) => each?.map(printHost) ?? []),
      ]
    : [host.includes(':') ? `[${host}]` : host]
  return { hosts: [...own, ...name.map(hostName)], origins: origin.map(pageOrigin) }
}

function printHost({ address, family }: { address: string; family: string }): string {
  return family === 'IPv6' ? `[${address}]` : address
}

const NO_PAGE = ' The web page is not built: in a checkout, run npm run build.'

const WITHOUT_TOKEN =
  'Warning: --no-token lets every user and program of this machine read your threads, run commands as you, and approve them.'

interface ServeNotes {
  readonly isTokenNeeded: boolean
  readonly hasPage: boolean
  readonly local?: string
}

async function tellWhere(
  url: string,
  { json }: ServeFlags,
  { isTokenNeeded, hasPage, local }: ServeNotes,
  { stdout, stderr }: Io,
): Promise<void> {
  // A fragment is never sent or logged. The page exchanges it for a cookie.
  const pageUrl = local === undefined ? url : `${url}/#token=${local}`
  const note = `${isTokenNeeded ? ' Every request needs a token.' : ''}${hasPage ? '' : NO_PAGE}`
  const text = json
    ? JSON.stringify({ url, isTokenNeeded, pageUrl })
    : `précis answers at ${pageUrl} (stop it with Ctrl-C).${note}`
  await writeStream(stdout, `${text}\n`)
  if (!isTokenNeeded) await writeStream(stderr, `${WITHOUT_TOKEN}\n`)
}

/** Internal errors go to standard error, which ends in logs. */
function warnWithoutSecrets({ environment, host, stderr }: Io): void {
  const secrets = secretsOf(environment)
  host.removeAllListeners('warning')
  host.on('warning', ({ name, message, stack }: Error) => {
    stderr.write(`${escapeSteering(redact(stack ?? `${name}: ${message}`, secrets).text)}\n`)
  })
}

interface ServerParts {
  readonly home: Composed
  readonly composed: ComposedApp
  readonly listening: Listening | undefined
  readonly graceMs: number
  /** Ends the wait. */
  readonly hurry: AbortSignal
}

/** Server shutdown: rejects new requests, finishes or records turns, ends streams, closes the store. */
async function endServer(parts: ServerParts): Promise<void> {
  const { home, composed, listening, graceMs, hurry } = parts
  const { app, agent } = composed
  listening?.stop()
  const left = new Set(await app.finish(graceMs, hurry))
  // A turn may have started from the inbox meanwhile.
  agent.on((frame) => {
    if (frame.type === 'turn-end' && frame.end === 'aborted') left.add(frame.threadId)
  })
  await composed.close()
  await leaveUnfinished(home, [...left])
  await listening?.close()
}

interface Signals {
  /** Resolves at the first stop signal. */
  readonly first: Promise<void>
  /** Fires at the second: the user does not want to wait. */
  readonly hurry: AbortSignal
  end(): void
}

export function signals(source: Io['host']): Signals {
  const first = Promise.withResolvers<void>()
  const hurry = new AbortController()
  let count = 0
  const hear = () => {
    count += 1
    if (count === 1) first.resolve()
    else hurry.abort()
  }
  source.on('SIGINT', hear).on('SIGTERM', hear)
  return {
    first: first.promise,
    hurry: hurry.signal,
    end: () => void source.off('SIGINT', hear).off('SIGTERM', hear),
  }
}
