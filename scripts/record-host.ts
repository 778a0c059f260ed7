// Records docs/pictures/AGENT.svg: the real agent with précis in it, before and after a compaction. `node scripts/record-host.ts codex pi` records two.
// Needs the pinned agents (`node test/agents/install.ts`); the model is a stand-in on this machine.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Asked } from '../src/dev-model/asked.ts'
import type { Agent } from '../test/agents/agent.ts'
import { AGENTS } from '../test/agents/agents.ts'
import { trustHooks } from '../test/agents/codex-server.ts'
import { LongTask } from '../test/agents/long-task.ts'
import { narrowModel } from '../test/agents/narrow.ts'
import { promptFor, World } from '../test/agents/world.ts'
import { filmOf, type Picture } from '../test/tui/film.ts'
import { HeadlessTerminal } from '../test/tui/headless-terminal.ts'

const COLUMNS = 100
const ROWS = 26
const BOLD = '\u001b[1m'
const DIM = '\u001b[2m'
const PLAIN = '\u001b[0m'
const RULE = 'Never push to the main branch.'
const NEXT = 'Go on with the tests.'
/** Below what one round takes, so that Codex compacts after it. */
const CODEX_LIMIT = 9_000
const MOST_PROMPTS = 6
const BRIEF_LINES = 14

class Film {
  readonly #terminal = new HeadlessTerminal(COLUMNS, ROWS)
  readonly #pictures: Picture[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  type(command: string): void {
    this.print(`${BOLD}$ ${command}${PLAIN}\n`)
  }

  note(sentence: string): void {
    this.print(`${DIM}${sentence}${PLAIN}\n`)
  }

  print(text: string): void {
    const { project, home } = this.#world
    const shown = text.replaceAll(project, '~/project').replaceAll(home, '~')
    this.#terminal.write(shown.replaceAll('\n', '\r\n'))
  }

  async show(text: string, seconds: number): Promise<void> {
    this.print(text)
    this.#pictures.push({ rows: await this.#terminal.cells(), seconds })
  }

  async precis(command: string, agent: Agent, seconds: number): Promise<void> {
    this.type(`precis ${command} ${agent.name}`)
    await this.show((await this.#world.precis([command, agent.name])).stdout, seconds)
  }

  save(name: string, label: string): void {
    const file = fileURLToPath(new URL(`../docs/pictures/${name}.svg`, import.meta.url))
    writeFileSync(file, filmOf(this.#pictures, COLUMNS, ROWS, label))
    console.log(`${file}: ${this.#pictures.length} pictures`)
  }
}

interface Scene {
  /** What the picture shows, for those who cannot see it. */
  readonly label: string
  /** From the first prompt to the request that has what précis kept. */
  play(film: Film, world: World, task: LongTask): Promise<void>
}

const SCENES: Readonly<Record<Agent['name'], Scene>> = {
  'claude-code': {
    label:
      'Claude Code compacts its session; the next request holds what précis kept of the words of the user',
    play: async (film, world) => {
      const { agent } = world
      const prompt = `${RULE} ${promptFor(2, 'the readme')}`
      film.type(`claude -p "${prompt}"`)
      await world.sends(agent.start(prompt))
      const { id } = agent.recorded(world)
      await film.show('', 2)
      film.type(`claude -p /compact --resume ${id.slice(0, 8)}…`)
      await world.run('claude-code', ['-p', '/compact', '--resume', id])
      await film.show('', 2)
      film.type(`claude -p "${NEXT}" --resume ${id.slice(0, 8)}…`)
      const [first] = await world.sends(agent.resume(agent.recorded(world), NEXT))
      film.note('In the request that Claude Code sends now, behind its own summary:')
      await film.show(keptIn(first), 8)
    },
  },
  codex: {
    label:
      'Codex compacts its session by itself; the next request holds what précis kept of the words of the user',
    play: async (film, world, task) => {
      const { agent } = world
      await trustHooks(world)
      film.note('In codex, /hooks: the three of précis are trusted.')
      const prompt = task.prompt(1)
      film.type(`codex exec "${prompt}"`)
      await world.sends(agent.start(prompt))
      const session = agent.recorded(world)
      await film.show('', 2)
      const next = task.prompt(2)
      film.type(`codex exec resume ${session.id.slice(0, 8)}… "${next}"`)
      const limit = ['-c', `model_auto_compact_token_limit=${CODEX_LIMIT}`]
      const asked = await world.sends([...limit, ...agent.resume(session, next)])
      film.note('Its window is full, and Codex compacts. In the request behind its own summary:')
      await film.show(keptIn(asked.at(-1)), 8)
    },
  },
  opencode: {
    label:
      'A long session in OpenCode: précis puts a brief in place of its beginning, with the words of the user',
    play: (film, world, task) =>
      untilBrief(film, world, task, {
        command: 'opencode run',
        again: 'opencode run --continue',
        said: 'The window is nearly full. The next request of OpenCode begins with this:',
      }),
  },
  pi: {
    label: 'pi compacts its session; précis wrote the summary, with the words of the user',
    play: (film, world, task) =>
      untilBrief(film, world, task, {
        command: 'pi -p',
        again: 'pi --continue -p',
        said: 'pi has compacted. Its next request begins with what précis wrote, without a model:',
      }),
  },
}

async function untilBrief(
  film: Film,
  world: World,
  task: LongTask,
  said: { readonly command: string; readonly again: string; readonly said: string },
): Promise<void> {
  const { agent } = world
  const prompt = task.prompt(6)
  film.type(`${said.command} "${prompt}"`)
  await world.sends(agent.start(prompt))
  const session = agent.recorded(world)
  await film.show('', 2)
  for (let at = 0; at < MOST_PROMPTS; at += 1) {
    const next = task.prompt(6)
    film.type(`${said.again} "${next}"`)
    const asked = await world.sends(agent.resume(session, next))
    await film.show('', 1)
    const brief = asked.map(briefIn).find((text) => text !== '')
    if (brief === undefined) continue
    film.note(said.said)
    await film.show(firstLines(brief), 8)
    return
  }
  throw new Error(`${agent.name} sent no brief`)
}

/** What stands before everything else, where it is a brief. */
function briefIn({ turns }: Asked): string {
  const texts = turns[0]?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  const [, brief = ''] = /(\[Context note[\s\S]*)/.exec(texts[0] ?? '') ?? []
  return brief
}

function firstLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const shown = lines.slice(0, BRIEF_LINES).map((line) => cut(line, COLUMNS))
  const more = lines.length - shown.length
  return `${shown.join('\n')}\n${more > 0 ? `${DIM}… and ${more} lines more${PLAIN}\n` : ''}`
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
}

/** What the hook after the compaction said, without its last paragraph. */
function keptIn(asked: Asked | undefined): string {
  const text = JSON.stringify(asked) ?? ''
  const found = /The context was compacted\. précis kept .*?(?=\\n\\nThe whole history)/.exec(text)
  if (!found) throw new Error('the request has nothing of précis')
  return `${JSON.parse(`"${found[0]}"`)}\n`
}

async function record(agent: Agent): Promise<void> {
  const task = new LongTask()
  const isScripted = agent.name === 'claude-code'
  const world = await World.open(agent, isScripted ? {} : { answer: task.answer })
  try {
    narrowModel(agent.name, world.home)
    const film = new Film(world)
    const { label, play } = SCENES[agent.name]
    await film.precis('install', agent, 3)
    await play(film, world, task)
    await film.precis('uninstall', agent, 4)
    film.save(agent.name, label)
  } finally {
    await world.close()
  }
}

const names = process.argv.slice(2)
for (const agent of AGENTS.filter(({ name }) => names.length === 0 || names.includes(name)))
  await record(agent)
