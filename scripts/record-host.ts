// Records docs/pictures/claude-code.svg: the real Claude Code with précis in it, before and after its own compaction.
// Needs the pinned agents (`node test/agents/install.ts`); the model is a stand-in on this machine.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Asked } from '../src/dev-model/asked.ts'
import { AGENTS } from '../test/agents/agents.ts'
import { promptFor, World } from '../test/agents/world.ts'
import { filmOf, type Picture } from '../test/tui/film.ts'
import { HeadlessTerminal } from '../test/tui/headless-terminal.ts'

const COLUMNS = 100
const ROWS = 26
const BOLD = '\u001b[1m'
const DIM = '\u001b[2m'
const PLAIN = '\u001b[0m'
const PROMPT = `Never push to the main branch. ${promptFor(2, 'the readme')}`
const LABEL =
  'Claude Code compacts its session; the next request holds what précis kept of the words of the user'

const agent = AGENTS.find(({ name }) => name === 'claude-code')
if (!agent) throw new Error('Claude Code is not among the agents')
const terminal = new HeadlessTerminal(COLUMNS, ROWS)
const pictures: Picture[] = []
const world = await World.open(agent)

try {
  type('precis install claude-code')
  await show((await world.precis(['install', 'claude-code'])).stdout, 3)
  type(`claude -p "${PROMPT}"`)
  await world.sends(agent.start(PROMPT))
  const { id } = agent.recorded(world)
  await show('', 2)
  type(`claude -p /compact --resume ${id.slice(0, 8)}…`)
  await world.run('claude-code', ['-p', '/compact', '--resume', id])
  await show('', 2)
  const next = 'Go on with the tests.'
  type(`claude -p "${next}" --resume ${id.slice(0, 8)}…`)
  const [first] = await world.sends(agent.resume(agent.recorded(world), next))
  print(`${DIM}In the request that Claude Code sends now, behind its own summary:${PLAIN}\n`)
  await show(keptIn(first), 8)
  type('precis uninstall claude-code')
  await show((await world.precis(['uninstall', 'claude-code'])).stdout, 4)
  const file = fileURLToPath(new URL('../docs/pictures/claude-code.svg', import.meta.url))
  writeFileSync(file, filmOf(pictures, COLUMNS, ROWS, LABEL))
  console.log(`${file}: ${pictures.length} pictures`)
} finally {
  await world.close()
}

/** What the hook after the compaction said, without its last paragraph. */
function keptIn(asked: Asked | undefined): string {
  const text = JSON.stringify(asked) ?? ''
  const found = /The context was compacted\. précis kept .*?(?=\\n\\nThe whole history)/.exec(text)
  if (!found) throw new Error('the request has nothing of précis')
  return `${JSON.parse(`"${found[0]}"`)}\n`
}

function type(command: string): void {
  print(`${BOLD}$ ${command}${PLAIN}\n`)
}

function print(text: string): void {
  const shown = text.replaceAll(world.project, '~/project').replaceAll(world.home, '~')
  terminal.write(shown.replaceAll('\n', '\r\n'))
}

async function show(text: string, seconds: number): Promise<void> {
  print(text)
  pictures.push({ rows: await terminal.cells(), seconds })
}
