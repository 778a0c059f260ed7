// Random bodies and damaged session files against the real app in this process: whatever comes, it answers, and never with a fault of its own.
import { readdirSync, readFileSync } from 'node:fs'
import { compose } from '../../src/compose.ts'
import { composeApp } from '../../src/compose-app.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import type { Json } from '../../src/core/text/json.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { damageOne, ODD_VALUES } from '../generate/damaged-json.ts'
import { Random } from '../generate/random.ts'
import { operationsOf } from './operations.ts'

const SAMPLES = new URL('../../samples/sessions/', import.meta.url)
/** What a body may rightly hold somewhere, so that random ones get past the first check. */
const WORDS: readonly Json[] = [
  ...ODD_VALUES,
  'Hello',
  'allow',
  'extract',
  'chat',
  '/compact',
  -1,
  1e308,
  0.5,
  '\u0000',
  'thr_none',
]
const FIELDS = [
  'content',
  'text',
  'title',
  'preset',
  'strategy',
  'decision',
  'seq',
  'texts',
  'type',
]
const MOST_DAMAGES = 6

type Ask = (path: string, init?: RequestInit) => Promise<Response>

/** One app for many cases; `close` ends it. */
export function openFuzzedApp() {
  const settings = resolveSettings([])
  const home = compose({ settings: settings.settings, environment: {} })
  const { app, close } = composeApp(home, { settings, environment: {}, version: '0.0.0' })
  const ask: Ask = async (path, init) => app.fetch(new Request(`http://localhost/api${path}`, init))
  return {
    checkBodies: (seed: number) => checkBodies(ask, seed),
    checkFile: (seed: number) => checkFile(ask, seed),
    async close() {
      await close()
      await home.close()
    },
  }
}

/** Every operation that takes a body, with a random one; gives how many. */
async function checkBodies(ask: Ask, seed: number): Promise<number> {
  const random = new Random(seed)
  const made = (await (await ask('/threads', json({}))).json()) as { session: { threadId: string } }
  const { threadId } = made.session
  const operations = (await operationsOf(ask)).filter(({ hasBody }) => hasBody)
  for (const { method, path } of operations) {
    const url = path.replace('{threadId}', threadId).replaceAll(/\{\w+\}/g, '7')
    const body = randomBody(random)
    const response = await ask(url, { ...json(body), method })
    await requireSound(response, `seed ${seed}: ${method} ${path} ${JSON.stringify(body)}`)
  }
  await ask(`/threads/${threadId}`, { method: 'DELETE' })
  return operations.length
}

function json(body: Json): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

function randomBody(random: Random, depth = 0): Json {
  if (depth > 4 || random.chance(0.2)) return random.pick(WORDS)
  const count = random.int(0, 4)
  const inner = () => randomBody(random, depth + 1)
  if (depth > 0 && random.chance(0.4)) return Array.from({ length: count }, inner)
  return Object.fromEntries(Array.from({ length: count }, () => [random.pick(FIELDS), inner()]))
}

/** A session file of another program, damaged, imported and written in every format; gives how many. */
async function checkFile(ask: Ask, seed: number): Promise<number> {
  const random = new Random(seed)
  const name = random.pick(readdirSync(SAMPLES))
  const text = damaged(readFileSync(new URL(name, SAMPLES), 'utf8'), random)
  const headers = { 'content-type': 'application/octet-stream' }
  const imported = await ask('/threads/import', { method: 'POST', headers, body: text })
  const where = `seed ${seed}: ${name}`
  const answer = await requireSound(imported, where)
  if (!imported.ok) return 1
  const { threadId } = (answer as { session: { threadId: string } }).session
  const written = SESSION_FORMATS.map(({ id }) => id)
  for (const format of written)
    await requireSound(
      await ask(`/threads/${threadId}/export?format=${format}`),
      `${where} as ${format}`,
    )
  await ask(`/threads/${threadId}`, { method: 'DELETE' })
  return 1 + written.length
}

/** Values of random lines changed, or the text itself cut, doubled or overwritten. */
function damaged(text: string, random: Random): string {
  const lines = text.startsWith('{"') && text.includes('\n') ? text.split('\n') : [text]
  for (let count = random.int(1, MOST_DAMAGES); count > 0; count -= 1) {
    const at = random.int(0, lines.length - 1)
    const line = lines[at] ?? ''
    const value = parsed(line)
    if (value !== undefined && random.chance(0.8)) {
      damageOne(value, ODD_VALUES, random)
      lines[at] = JSON.stringify(value)
    } else {
      const [start, end] = [random.int(0, line.length), random.int(0, line.length)]
      lines[at] =
        line.slice(0, start) + random.pick(['', '"', '\u0000', '{', line]) + line.slice(end)
    }
  }
  return lines.join('\n')
}

function parsed(line: string): Json[] | { [key: string]: Json } | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Json[]) : undefined
  } catch {
    return undefined
  }
}

/** An answer, or a problem that names what is wrong with the request. */
async function requireSound(response: Response, where: string): Promise<unknown> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const answer: unknown = isJson ? JSON.parse(text) : text
  if (response.status >= 500) throw new Error(`${where}: ${response.status} ${text.slice(0, 500)}`)
  return answer
}
