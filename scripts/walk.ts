// Traces two walks through the sources: `sendMessage` up to the open stream, and `/compact` in the chat.
// Every function of src/ is instrumented as it is loaded. A walk is the list of files in the order in which
// their first function is entered; a folder change is a step to a file of another folder.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Store } from '../src/core/ports.ts'
import { answer, result, system, user } from '../test/say.ts'
import { syntaxOf } from '../test/tidy/syntax.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const STAND_IN = 'stand-in'
/** A system prompt, what the user wants, and a tool round. */
const PAST = [
  system('You are a careful engineer.'),
  user('Fix the parser in src/parse.ts.'),
  ...answer('I read it first.', 'a'),
  result('a', 'export function parse() {}\n'.repeat(200)),
  ...answer('I have fixed src/parse.ts.'),
]
const READS: ReadonlySet<string> = new Set(['read', 'readMany', 'info', 'snapshot', 'list'])

interface Walk {
  readonly files: readonly string[]
  readonly storeReads: number
}

const entered = new Set<string>()
let storeReads = 0

if (process.argv[2] === STAND_IN) await standIn()
else await main()

/** In a process of its own, so that none of its functions is part of a walk. */
async function standIn(): Promise<void> {
  const { startDevModel } = await import('../src/dev-model/index.ts')
  const dev = await startDevModel()
  process.send?.(dev.url)
  process.once('disconnect', () => void dev.close())
}

async function main(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), [STAND_IN])
  const home = mkdtempSync(join(tmpdir(), 'precis-walk-'))
  try {
    const [url] = await once(child, 'message')
    traceSources()
    const { message, compact } = await walkAll(String(url), home)
    print('sendMessage → open stream', message)
    print('/compact (fresh-session)', compact)
  } finally {
    child.disconnect()
    rmSync(home, { recursive: true, force: true })
  }
}

async function walkAll(url: string, home: string): Promise<Record<'message' | 'compact', Walk>> {
  const { openHost, settingsFor } = await import('../test/agent/host.ts')
  const host = await openHost({
    storeUrl: `sqlite:${join(home, 'threads.db')}`,
    folder: home,
    settings: settingsFor(url, { preset: 'chat', outputTokens: 20_000 }),
    around: countingReads,
  })
  const agent = host.agent()
  try {
    const threadId = await host.threads.create()
    await host.threads.import(threadId, PAST)
    await host.threads.pin(threadId, { text: 'Never touch the migrations.', by: 'user' })
    await host.threads.pin(threadId, { entries: ['e3'] })
    await agent.sendMessage(threadId, 'Hello.') // what is loaded once is loaded now
    begin()
    let message: Walk | undefined
    const stop = agent.on(({ type }) => {
      if (type === 'text-delta' || type === 'thinking-delta') message ??= taken()
    })
    await agent.sendMessage(threadId, 'What is the capital of France?')
    stop()
    begin()
    const outcome = await agent.sendMessage(threadId, '/compact')
    const compact = taken()
    if (!message || outcome.status !== 'command' || !outcome.reply.ok)
      throw new Error(`The walk was cut short: ${JSON.stringify(outcome)}`)
    return { message, compact }
  } finally {
    await agent.close()
    await host.close()
  }
}

function begin(): void {
  entered.clear()
  storeReads = 0
}

function taken(): Walk {
  return { files: [...entered], storeReads }
}

function print(name: string, { files, storeReads: reads }: Walk): void {
  const folders = files.map((file) => dirname(file))
  const changes = folders.filter((folder, at) => at > 0 && folder !== folders[at - 1]).length
  process.stdout.write(
    `${name}: ${files.length} files, ${changes} folder changes, ${reads} store reads\n`,
  )
  if (!process.argv.includes('--files')) return
  let folder = ''
  for (const file of files) {
    if (dirname(file) !== folder) process.stdout.write(`  ${dirname(file)}\n`)
    folder = dirname(file)
    process.stdout.write(`    ${file.slice(folder.length + 1)}\n`)
  }
}

function countingReads(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (READS.has(String(name))) storeReads += 1
        return Reflect.apply(value, target, given)
      }
    },
  })
}

/** From here on each file of src/ says that one of its functions was entered. */
function traceSources(): void {
  Object.assign(globalThis, { __walk: (file: string) => void entered.add(file) })
  const sources = new URL('../src/', import.meta.url).href
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.startsWith(sources) || !url.endsWith('.ts') || loaded.source == null) return loaded
      const path = fileURLToPath(url).slice(root.length)
      return { ...loaded, source: traced(path, String(loaded.source)) }
    },
  })
}

function traced(path: string, text: string): string {
  const mark = `__walk(${JSON.stringify(path)})`
  const inserts: { at: number; text: string }[] = []
  syntaxOf({ path, text }).visit((node) => {
    if (node.type === 'ArrowFunctionExpression' && node.expression)
      inserts.push({ at: node.body.start, text: `(${mark},` }, { at: node.body.end, text: ')' })
    else if (
      (node.type === 'FunctionDeclaration' ||
        node.type === 'FunctionExpression' ||
        node.type === 'ArrowFunctionExpression') &&
      node.body
    )
      inserts.push({ at: node.body.start + 1, text: `${mark};` })
  })
  return inserts
    .toSorted((a, b) => b.at - a.at)
    .reduce((done, { at, text: added }) => done.slice(0, at) + added + done.slice(at), text)
}
