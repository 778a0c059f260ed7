// `precis doctor`: prints findings, notes, problems and fixes.
import { access, constants, stat, statfs } from 'node:fs/promises'
import { PrecisError } from '../../core/errors.ts'
import type { Store } from '../../core/ports.ts'
import type { ResolvedSettings } from '../../core/settings/settings.ts'
import { shownAddress } from '../../core/text/address.ts'
import { PROVIDER_ENTRIES } from '../../providers/entries.ts'
import { checkStore as checkStoreLogs } from '../../stores/check-store.ts'
import { hostFailureLog, readHostFailures } from '../hosts/failure-log.ts'
import { HOSTS, type HostName } from '../hosts/host-file.ts'
import { eachFile, type FileState } from '../hosts/install.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { type Environment, projectFile, stateFolder, userFile } from '../settings/places.ts'
import { type LoadedSettings, loadSettings } from '../settings/settings.ts'
import { refuseUnknownNames } from '../settings/show-config.ts'
import { counted, padColumns, print, wrapLines } from '../terminal/terminal.ts'
import { openHome } from '../threads/home.ts'
import { readConversations } from '../threads/thread-commands.ts'
import { checkLocalModels, type Finding, fault, isAtHome, note, well } from './local-models.ts'

const SIGNS = { well: '✓', note: '·', fault: '✗' } as const
const HANGING = ' '.repeat(12)
const PAGE = 'docs/troubleshooting.md'

/** Rejects on a problem, after printing the report. */
export async function runDoctor({ json }: { readonly json?: boolean }, io: Io): Promise<void> {
  const findings = await runChecks(io)
  const program = programName(io)
  const faults = findings.filter(({ state }) => state === 'fault').length
  await print(io, { faults, findings, page: PAGE }, json, (told, style, columns) => {
    const lines = told.findings.flatMap(({ check, state, message, fix }) => {
      const sign = state === 'well' ? style.good(SIGNS.well) : style.bold(SIGNS[state])
      return [
        ...wrapLines(message, columns, `${SIGNS[state]} ${padColumns(check, 10)}`, HANGING).map(
          (line, at) => (at === 0 ? `${sign}${line.slice(1)}` : line),
        ),
        ...(fix === undefined
          ? []
          : wrapLines(asTyped(fix, program), columns, `${HANGING}→ `, `${HANGING}  `).map(
              style.dim,
            )),
      ]
    })
    const notes = told.findings.filter(({ state }) => state === 'note').length
    const end = told.faults + notes === 0 ? 'Nothing is wrong.' : printCounts(told.faults, notes)
    return `${lines.join('\n')}\n${end} More help: ${PAGE}\n`
  })
  if (faults === 0) return
  throw new PrecisError('wrong-setup', `${faults} ${faults === 1 ? 'problem' : 'problems'} found`, {
    hint: `The report has a fix for each; ${PAGE} has more.`,
  })
}

function printCounts(faults: number, notes: number): string {
  const problems =
    faults === 0 ? 'No problems' : `${faults} ${faults === 1 ? 'problem' : 'problems'}`
  return notes === 0 ? `${problems}.` : `${problems}, ${notes} ${notes === 1 ? 'note' : 'notes'}.`
}

const NEEDED_NAPI = 10
const NEEDED_NODE = '22.19'
const LOW_DISK_BYTES = 100_000_000
const LOG_CHECK_MS = 2_000

/** The checks of the doctor: Node, settings, store, keys, local models, terminal. */
async function runChecks(io: Io): Promise<Finding[]> {
  const { environment } = io
  const node = checkNode()
  const { findings, resolved } = checkSettings(io)
  const state = await checkState(io)
  // Without its folder the store cannot be opened: report one problem once.
  const isStateWell = state.every(
    ({ check, state: found }) => check !== 'state' || found === 'well',
  )
  const isOpened = resolved && (isStateWell || resolved.settings.store !== 'sqlite')
  const store = isOpened ? await checkStore(resolved, io) : []
  const keys = checkKeys(environment, resolved)
  const models = resolved ? await checkLocalModels(resolved.settings, environment) : []
  const hosts = await checkHosts(io)
  return [node, ...findings, ...state, ...store, ...keys, ...models, ...hosts, ...checkTerminal(io)]
}

function checkNode(): Finding {
  const { node, napi } = process.versions
  return Number(napi) >= NEEDED_NAPI
    ? well('node', `Node ${node}`)
    : fault('node', `Node ${node} is too old`, `Install Node ${NEEDED_NODE} or later.`)
}

function checkSettings({ cwd, environment }: Io): {
  findings: Finding[]
  resolved?: ResolvedSettings
} {
  try {
    const resolved = loadSettings({ cwd, environment, check: refuseUnknownNames })
    const given = Object.values(resolved.origins).filter(
      ({ origin }) => origin !== 'default',
    ).length
    const files = [userFile(environment), projectFile(cwd)].filter((file) => file !== undefined)
    return {
      findings: [
        well('settings', `${given} set, the others are defaults (${files.join(', ')})`),
        ...checkTrust(resolved),
      ],
      resolved,
    }
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const { message, where, hint } = thrown
    const place = where === undefined ? '' : ` (${where})`
    return { findings: [fault('settings', `${message}${place}`, hint ?? 'See precis config.')] }
  }
}

/** Ignored project settings. */
function checkTrust({ project }: LoadedSettings): Finding[] {
  if (project === undefined || project.ignored.length === 0) return []
  const { file, ignored } = project
  const keys = ignored.map(({ key, why }) => (key === '*' ? why : `${key} (${why})`))
  return [
    note(
      'trust',
      `ignored in ${file}: ${keys.join(', ')}`,
      'If you know who wrote it: any command with --trust-folder. precis config shows the values.',
    ),
  ]
}

/** The data directory: exists, private, writable, and with free space. */
async function checkState(io: Io): Promise<Finding[]> {
  try {
    const folder = await stateFolder(io)
    await access(folder, constants.W_OK | constants.R_OK)
    const { mode } = await stat(folder)
    const { bavail, bsize } = await statfs(folder)
    const others = (mode & 0o077) !== 0 && process.platform !== 'win32'
    return [
      others
        ? fault('state', `others can look into ${folder}`, `Run chmod 700 ${folder}.`)
        : well('state', folder),
      ...(bavail * bsize < LOW_DISK_BYTES
        ? [
            fault(
              'disk',
              'less than 100 MB are free there',
              'Make room, or set PRECIS_HOME to another disk.',
            ),
          ]
        : []),
    ]
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return [fault('state', message, 'Set PRECIS_HOME to a directory that you can write to.')]
  }
}

async function checkStore({ settings }: ResolvedSettings, io: Io): Promise<Finding[]> {
  const kind = /^[a-z]+(?=:|$)/i.exec(settings.store)?.[0] ?? shownAddress(settings.store)
  try {
    const home = await openHome(settings, io)
    try {
      const { length } = await readConversations(home.store, 1000)
      const many = length === 1000 ? '1,000 or more threads' : counted(length, 'thread')
      const found = well('store', `${kind}: it opens, and holds ${many}`)
      return [found, ...(await checkLogs(home.store))]
    } finally {
      await home.close()
    }
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const { message, hint } = thrown
    return [fault('store', `${kind}: ${message}`, hint ?? 'See docs/troubleshooting.md.')]
  }
}

/** As much of the full check as fits into a moment. */
async function checkLogs(store: Store): Promise<Finding[]> {
  const until = performance.now() + LOG_CHECK_MS
  const { problems, threads, all } = await checkStoreLogs(store, {
    isEnough: () => performance.now() > until,
  })
  const [first] = problems
  if (first) {
    const place = first.seq === undefined ? first.threadId : `${first.threadId} ${first.seq}`
    const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
    const fix = 'See all of it: precis store check. docs/stores.md says how to rescue the rest.'
    return [fault('store', `damaged: ${place}: ${first.problem}${more}`, fix)]
  }
  if (threads >= all) return []
  const message = `the logs of ${threads} of ${all} threads were checked`
  return [note('store', message, 'Check all of them: precis store check.')]
}

/** Which keys exist, never their values. */
function checkKeys(environment: Environment, resolved: ResolvedSettings | undefined): Finding[] {
  const wanted = resolved?.settings.models.default?.split('/', 1)[0]
  const set = PROVIDER_ENTRIES.flatMap(({ id, keyVariables }) => {
    const variable = keyVariables.find((name) => environment[name]?.trim())
    return variable === undefined ? [] : [`${id} (${variable})`]
  })
  const missing = PROVIDER_ENTRIES.find(
    ({ id, keyVariables }) =>
      id === wanted &&
      keyVariables.length > 0 &&
      !(resolved && isAtHome(id, resolved.settings, environment)) &&
      !keyVariables.some((name) => environment[name]?.trim()),
  )
  return [
    set.length === 0
      ? note(
          'keys',
          'no key of a provider is set: strategies without a model work all the same',
          'Set one, such as ANTHROPIC_API_KEY, or use a local model (docs/models.md).',
        )
      : well('keys', `set: ${set.join(', ')}`),
    ...(missing === undefined
      ? []
      : [
          fault(
            'keys',
            `models.default is of ${missing.id}, and its key is not set`,
            `Set ${missing.keyVariables.join(' or ')}, or another models.default.`,
          ),
        ]),
  ]
}

function checkTerminal({ environment, stdout: { isTTY, columns } }: Io): Finding[] {
  const { LANG, LC_ALL, LC_CTYPE, TERM, NO_COLOR, FORCE_COLOR } = environment
  const words = isTTY ? `${columns ?? 80} columns` : 'not a terminal: no colours, no progress'
  const colour = NO_COLOR
    ? ', colours off (NO_COLOR)'
    : FORCE_COLOR
      ? ', colours on (FORCE_COLOR)'
      : ''
  const locale = LC_ALL || LC_CTYPE || LANG || ''
  const isPlain = locale !== '' && !/utf-?8/i.test(locale) && process.platform !== 'win32'
  return [
    isPlain
      ? fault(
          'terminal',
          `the locale ${locale} is not UTF-8: bars and accents will look wrong`,
          'Set LANG=C.UTF-8 or another UTF-8 locale.',
        )
      : well('terminal', `${words}${colour}${TERM === 'dumb' ? ', TERM is dumb' : ''}`),
  ]
}

const SHOWN_FAILURES = 3

async function checkHosts(io: Io): Promise<Finding[]> {
  return [...(await checkInstalled(io)), ...(await checkFailures(io))]
}

async function checkInstalled(io: Io): Promise<Finding[]> {
  try {
    const files = await eachFile(HOSTS, undefined, 'look', io)
    return HOSTS.flatMap((host) =>
      checkHost(
        host,
        files.filter((file) => file.host === host),
      ),
    )
  } catch (thrown) {
    const { message } = thrown as Error
    return [fault('agents', message, 'Restore the file, or move it away.')]
  }
}

function checkHost(host: HostName, files: readonly FileState[]): Finding[] {
  const broken = files.flatMap(({ problem }) => problem ?? [])
  if (broken.length > 0)
    return broken.map((problem) =>
      fault('agents', `${host}: ${problem}`, `Fix the file, then run \`precis install ${host}\`.`),
    )
  const states = new Set(files.map(({ state }) => state))
  const fix = `precis install ${host}`
  if (states.has('outdated')) return [note('agents', `${host}: installed, but out of date`, fix)]
  if (!states.has('installed')) return [note('agents', `${host}: not installed`, fix)]
  return states.size === 1
    ? [well('agents', `${host}: installed`)]
    : [note('agents', `${host}: only a part is installed`, fix)]
}

async function checkFailures(io: Io): Promise<Finding[]> {
  const lines = await readHostFailures(io, SHOWN_FAILURES)
  if (lines.length === 0) return [well('hooks', 'no failures')]
  const fix = `The agent continued without it. All failures: ${hostFailureLog(io)}`
  return lines.map((line, index) =>
    note('hooks', `failed: ${line}`, index === lines.length - 1 ? fix : undefined),
  )
}
