// Local model servers: whether they answer, and their models.
import type { Settings } from '../../core/settings/settings.ts'
import { PROVIDER_ENTRIES } from '../../providers/entries.ts'
import type { Environment } from '../settings/places.ts'

/** A local server answers at once or not at all. */
const TIMEOUT_MS = 800
const SHOWN_MODELS = 5

interface LocalServer {
  readonly id: string
  readonly title: string
  readonly path: string // appended to the base URL
  namesIn(body: unknown): string[]
  readonly start: string
}

const SERVERS: readonly LocalServer[] = [
  {
    id: 'ollama',
    title: 'Ollama',
    path: '/api/tags',
    namesIn: (body) => listIn(body, 'models').flatMap((each) => textIn(each, 'name')),
    start: 'Start it with ollama serve.',
  },
  {
    id: 'lmstudio',
    title: 'LM Studio',
    path: '/models',
    namesIn: (body) => listIn(body, 'data').flatMap((each) => textIn(each, 'id')),
    start: 'Start its server: lms server start.',
  },
]

export async function checkLocalModels(
  settings: Settings,
  environment: Environment,
): Promise<Finding[]> {
  const findings = await Promise.all(SERVERS.map((server) => check(server, settings, environment)))
  return findings.flat()
}

async function check(
  { id, title, path, namesIn, start }: LocalServer,
  settings: Settings,
  environment: Environment,
): Promise<Finding[]> {
  const base = readBaseUrl(id, settings, environment)
  if (base === undefined || !isLoopback(base)) return []
  const isWanted = settings.models.default?.startsWith(`${id}/`) ?? false
  try {
    const answer = await fetch(`${base.href.replace(/\/+$/, '')}${path}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const names = namesIn(await answer.json())
    const more = names.length > SHOWN_MODELS ? ` and ${names.length - SHOWN_MODELS} more` : ''
    const list = names.slice(0, SHOWN_MODELS).join(', ')
    return [
      names.length === 0
        ? note(id, `${title} answers at ${base.host}, and has no model`, 'Load one there.')
        : well(id, `${title} answers at ${base.host}: ${list}${more}`),
    ]
  } catch {
    // Refused, too slow or invalid: unusable either way.
    const message = `${title} does not answer at ${base.host}`
    return [
      isWanted ? fault(id, `${message}, and models.default names it`, start) : note(id, message),
    ]
  }
}

/** Whether a provider's server is on this machine and so needs no key. */
export function isAtHome(id: string, settings: Settings, environment: Environment): boolean {
  const base = readBaseUrl(id, settings, environment)
  return base !== undefined && isLoopback(base)
}

/** As the providers read it; they report an invalid address. */
function readBaseUrl(
  id: string,
  { providers }: Settings,
  environment: Environment,
): URL | undefined {
  const entry = PROVIDER_ENTRIES.find((each) => each.id === id)
  const variable = entry?.baseUrlVariable
  const given =
    providers?.[id]?.baseUrl ??
    (variable === undefined ? undefined : environment[variable]) ??
    entry?.baseUrl ??
    ''
  return URL.canParse(given) ? new URL(given) : undefined
}

/** Others are skipped: the doctor sends nothing beyond this machine. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

function listIn(body: unknown, field: string): unknown[] {
  const list =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : []
  return Array.isArray(list) ? list : []
}

function textIn(value: unknown, field: string): string[] {
  const text =
    typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)[field]
      : undefined
  return typeof text === 'string' ? [text] : []
}

/** A finding of the doctor: fine, a note, or a problem with its fix. */
export interface Finding {
  readonly check: string
  readonly state: 'well' | 'note' | 'fault'
  readonly message: string
  readonly fix?: string // always present for problems
}

export function well(check: string, message: string): Finding {
  return { check, state: 'well', message }
}

export function note(check: string, message: string, fix?: string): Finding {
  return { check, state: 'note', message, ...(fix !== undefined && { fix }) }
}

export function fault(check: string, message: string, fix: string): Finding {
  return { check, state: 'fault', message, fix }
}
