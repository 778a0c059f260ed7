// `precis serve`: the store, the agent and the app in this process, over HTTP until it is told to stop.

import { hostname, networkInterfaces } from 'node:os'
import type { Composed } from '../compose.ts'
import { composeApp } from '../compose-app.ts'
import { PrecisError } from '../core/errors.ts'
import { secretsOf } from '../redact/known.ts'
import { redact } from '../redact/redact.ts'
import { isLoopback } from '../server/guard.ts'
import { type Listening, listen } from '../server/listen.ts'
import { localToken, withLocalToken } from '../server/local-token.ts'
import { readPage } from '../server/page.ts'
import type { Access, AppLimits } from '../server/ports.ts'
import { TokenBook } from '../server/tokens.ts'
import { Unfinished } from '../server/unfinished.ts'
import { openWorkspace } from '../tools/workspace.ts'
import { wishesHooks } from './compact/wishes.ts'
import { openHome } from './home.ts'
import { writeStream } from './io.ts'
import { wholeNumber } from './numbers.ts'
import { programName } from './program-name.ts'
import { approvalOf } from './send-message.ts'
import { endServer, signals } from './serve-end.ts'
import { storeOption } from './serve-tokens.ts'
import { loadSettings, stateFolder } from './settings.ts'
import { version } from './version.ts'

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

/** Smaller than within one process: several may be slow at the same time. */
const SERVED_LIMITS: Partial<AppLimits> = { followerItems: 5_000, followerChars: 8_000_000 }

export async function serve(flags: ServeFlags): Promise<void> {
  const port = wholeNumber(flags.port, '--port', 0, HIGHEST_PORT)
  const graceMs = wholeNumber(flags.grace, '--grace', 0, LONGEST_GRACE_S) * 1_000
  const requestsPerMinute = wholeNumber(flags.rate, '--rate', 1, HIGHEST_RATE)
  const roots = (flags.workspace ?? []).map(workspaceAt)
  const approval = approvalOf(flags)
  const settings = loadSettings({
    cwd: process.cwd(),
    environment: process.env,
    flags: {
      ...(flags.store !== undefined && { store: flags.store }),
      ...(flags.model !== undefined && { models: { default: flags.model } }),
      ...(flags.preset !== undefined && { preset: flags.preset }),
    },
  })
  const stopping = signals(process)
  const home = await openHome(settings.settings, process.env)
  try {
    const jobs = await home.jobs()
    const local = await localFor(flags)
    const tokens = await tokensFor(home, flags)
    warnWithoutSecrets()
    const [workspace, ...workspaces] = roots
    const page = readPage()
    const composed = composeApp(home, {
      settings,
      environment: process.env,
      version: version(),
      agent: {
        approval,
        jobs,
        hooks: wishesHooks(home, settings.settings),
        ...(workspace !== undefined && { workspace }),
      },
      workspaces,
      onlyThese: true,
      access: {
        ...accessOf(flags),
        tokens: local === undefined ? tokens : withLocalToken(tokens, local),
      },
      page,
      hasPeers: true,
      limits: { ...SERVED_LIMITS, requestsPerMinute },
    })
    const unfinished = new Unfinished(home, composed.agent)
    let listening: Listening | undefined
    try {
      listening = await listen(composed.app, { host: flags.host, port })
      await tellWhere(listening.url, flags, {
        isTokenNeeded: tokens.isRequired || local !== undefined,
        hasPage: page.size > 0,
        ...(local !== undefined && { local }),
      })
      await stopping.first
    } finally {
      await unfinished.close()
      await endServer({ home, composed, listening, tokens, graceMs, hurry: stopping.hurry })
    }
  } finally {
    stopping.end()
    await home.close()
  }
}

/** What a tool is told of a missing file helps nobody who starts a server. */
function workspaceAt(root: string): string {
  try {
    return openWorkspace({ root }).root
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    throw new PrecisError('usage', thrown.message, {
      where: '--workspace',
      hint: 'Name a folder that is there and that you may read, as in --workspace .',
    })
  }
}

/** Beyond the loopback nobody is let in without a token: then there must be one. */
async function tokensFor(home: Composed, { host, store }: ServeFlags): Promise<TokenBook> {
  const tokens = await TokenBook.open(home)
  if (isOnLoopback(host) || tokens.count > 0) return tokens
  await tokens.close()
  throw new PrecisError('usage', `Beyond this machine (${host}) a token is needed.`, {
    where: '--host',
    hint: `Make one first: ${programName()} token add NAME${storeOption(store)}. Or leave out --host.`,
  })
}

function isOnLoopback(host: string): boolean {
  return isLoopback(host.includes(':') ? `[${host}]` : host)
}

/** Other users of this machine reach its loopback as well: so that needs a token, too. */
async function localFor({ host, token = true }: ServeFlags): Promise<string | undefined> {
  if (!isOnLoopback(host) || !token) return undefined
  return localToken(await stateFolder(process.env))
}

/** The names under which it may be asked. An address of this machine cannot be another's name. */
function accessOf({ host, name = [], origin = [] }: ServeFlags): Access {
  const own = EVERY_ADDRESS.has(host)
    ? [hostname(), ...Object.values(networkInterfaces()).flatMap((each) => each?.map(hostOf) ?? [])]
    : [host.includes(':') ? `[${host}]` : host]
  return { hosts: [...own, ...name], origins: origin }
}

function hostOf({ address, family }: { address: string; family: string }): string {
  return family === 'IPv6' ? `[${address}]` : address
}

const NO_PAGE = ' The web page is not built: in a checkout, npm run build makes it.'

const WITHOUT_TOKEN =
  'Warning: --no-token lets every user and program of this machine read your threads, run commands as you, and approve them.'

interface Told {
  readonly isTokenNeeded: boolean
  readonly hasPage: boolean
  readonly local?: string
}

async function tellWhere(
  url: string,
  { json }: ServeFlags,
  { isTokenNeeded, hasPage, local }: Told,
): Promise<void> {
  // A fragment is sent to no server and stands in no log. The page exchanges it for a cookie.
  const pageUrl = local === undefined ? url : `${url}/#token=${local}`
  const note = `${isTokenNeeded ? ' Every request needs a token.' : ''}${hasPage ? '' : NO_PAGE}`
  const text = json
    ? JSON.stringify({ url, isTokenNeeded, pageUrl })
    : `précis answers at ${pageUrl} (stop it with Ctrl-C).${note}`
  await writeStream(process.stdout, `${text}\n`)
  if (!isTokenNeeded) await writeStream(process.stderr, `${WITHOUT_TOKEN}\n`)
}

/** What goes wrong inside is told on standard error, which ends in logs. */
function warnWithoutSecrets(): void {
  const secrets = secretsOf(process.env)
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message, stack }) => {
    process.stderr.write(`${redact(stack ?? `${name}: ${message}`, secrets).text}\n`)
  })
}
