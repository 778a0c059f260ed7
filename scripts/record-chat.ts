// Records docs/pictures/chat.svg: a real chat with scripted answers, from the first message to a fresh session.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compose } from '../src/compose.ts'
import { composeApp } from '../src/compose-app.ts'
import { resolveSettings } from '../src/core/settings/settings.ts'
import { type ScriptedAnswer, startDevModel } from '../src/dev-model/index.ts'
import { createClient } from '../src/protocol/http-client.ts'
import { openStore } from '../src/stores/index.ts'
import { systemClock } from '../src/system.ts'
import { startInteractive } from '../src/tui/interactive.ts'
import { filmOf, type Picture } from '../test/tui/film.ts'
import { HeadlessTerminal } from '../test/tui/headless-terminal.ts'

const COLUMNS = 92
const ROWS = 30
const MODEL = 'anthropic/claude-opus-5'
const PARSER = `import { readFileSync } from 'node:fs'

export function parse(path: string): Config {
  const text = readFileSync(path, 'utf8')
  const again = readFileSync(path, 'utf8')
  return { ...JSON.parse(text), size: again.length }
}
`
const ANSWERS: readonly ScriptedAnswer[] = [
  {
    text: 'I look at the parser first.',
    calls: [{ name: 'read', arguments: { path: 'parser.ts' } }],
  },
  {
    text: 'The file is **read twice**: once for its text, once only for its length.\n\n1. keep the first `readFileSync`\n2. use `text.length` for the size\n\nShall I change it?',
  },
  {
    text: '## Progress\n\n- `parser.ts` reads its file twice; the second time only for the length.\n\n## Decisions\n\n- Use `text.length` in place of the second read.\n\n## Next\n\nThe change itself, once the user agrees.',
  },
  { text: 'From the summary: the second read in `parser.ts` goes, `text.length` stays.' },
]

const folder = mkdtempSync(join(tmpdir(), 'precis-film-'))
const dev = await startDevModel({ script: ANSWERS, pieceDelayMs: 15 })
const settings = resolveSettings([
  {
    origin: 'flag',
    where: 'the recording',
    values: { models: { default: MODEL }, providers: { anthropic: { baseUrl: dev.url } } },
  },
])
const environment = { ANTHROPIC_API_KEY: 'none-is-needed' }
const home = compose({
  store: await openStore('memory:'),
  settings: settings.settings,
  environment,
})
const { app, close } = composeApp(home, {
  settings,
  environment,
  version: '0',
  agent: { workspace: folder },
})
const terminal = new HeadlessTerminal(COLUMNS, ROWS)
const pictures: Picture[] = []

try {
  writeFileSync(join(folder, 'parser.ts'), PARSER)
  await play()
  const file = fileURLToPath(new URL('../docs/pictures/chat.svg', import.meta.url))
  writeFileSync(file, filmOf(pictures, COLUMNS, ROWS))
  console.log(`${file}: ${pictures.length} pictures`)
} finally {
  await close()
  await home.close()
  await dev.close()
  rmSync(folder, { recursive: true, force: true })
}

async function play(): Promise<void> {
  const client = createClient({
    fetch: (request) => app.fetch(request),
    baseUrl: 'http://localhost',
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  })
  const { threadId } = await client.createThread({ preset: 'chat' })
  const ui = startInteractive({
    client,
    terminal,
    threadId,
    hasColor: true,
    nowMs: () => Date.now(),
    hasFile: async () => false,
    saveFile: async (name) => name,
  })
  await terminal.sees('queue 0')
  await look(1)
  await say('Why is the config read twice?', 'I look at the parser')
  await look(0.8)
  await terminal.sees('Shall I change it?')
  await terminal.sees('Esc stops it', false)
  await terminal.sees(/cache [1-9]\d* %/)
  await look(4)
  terminal.type('/com')
  await terminal.sees('/compact --preview')
  await look(2)
  terminal.press('enter')
  await terminal.sees('Compacting context...')
  await look(1)
  await terminal.sees('New session started')
  await terminal.sees('billed 0')
  await look(5)
  await say('Where were we?', 'From the summary')
  await terminal.sees('stays')
  await terminal.sees('Esc stops it', false)
  await look(4)
  ui.stop()
}

async function say(text: string, seen: string): Promise<void> {
  for (const piece of text.match(/.{1,6}/g) ?? []) {
    terminal.type(piece)
    await terminal.sees(text.slice(0, text.indexOf(piece) + piece.length).trimEnd())
    await look(0.15)
  }
  terminal.press('enter')
  await terminal.sees(seen)
}

async function look(seconds: number): Promise<void> {
  pictures.push({ rows: await terminal.cells(), seconds })
}
