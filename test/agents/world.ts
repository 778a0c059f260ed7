// A home folder for one agent, the stand-in that it talks to, and what it really sends.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Json } from '../../src/core/text/json.ts'
import type { Asked } from '../../src/dev-model/asked.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import type { AnswerCall, ScriptedAnswer } from '../../src/dev-model/reply.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { type Ran, runPrecis } from '../cli/run.ts'
import { until } from '../wait.ts'
import type { Agent } from './agent.ts'
import { type AgentName, programOf } from './installed.ts'

/** A busy machine takes many seconds for a start; an agent that hangs must not hang the test. */
const RUN_TIMEOUT_MS = 240_000
const SAID_CHARS = 1_000
const LOOK_MS = 50
/** A proxy that is not there: what an agent sends elsewhere goes nowhere. */
const NO_PROXY_AT = 'http://127.0.0.1:9'

/** Anthropic's own API takes messages of one side in a row for one, and agents count on it. */
const MERGING = { ...PROFILES.anthropic, strict: false }

export class World {
  readonly #agents: readonly [Agent, ...Agent[]]
  readonly folder: string
  readonly #model: DevModel
  readonly #asked: Asked[]
  readonly #images: ReadonlyMap<Asked, number>

  private constructor(
    agents: readonly [Agent, ...Agent[]],
    folder: string,
    model: DevModel,
    { asked, images }: { asked: Asked[]; images: ReadonlyMap<Asked, number> },
  ) {
    this.#agents = agents
    this.folder = folder
    this.#model = model
    this.#asked = asked
    this.#images = images
  }

  /**
   * `answer` says what the stand-in answers; without one, as many rounds as the prompt asks for.
   * `others` are set up in the same home.
   */
  static async open(
    agent: Agent,
    { answer = answerTo, others = [] }: { answer?: Answer; others?: readonly Agent[] } = {},
  ): Promise<World> {
    const asked: Asked[] = []
    const images = new Map<Asked, number>()
    const model = await startDevModel({
      script: (each, body) => {
        if (!each.tools.some(({ name }) => name in SHELLS)) return undefined // a title, or another aside
        const answered = answer(each)
        if (answered === undefined) return undefined
        asked.push(each)
        images.set(each, JSON.stringify(body).split(/"type":"(?:image|input_image)"/).length - 1)
        return answered
      },
      profiles: { anthropic: MERGING },
    })
    const folder = mkdtempSync(join(tmpdir(), `precis-${agent.name}-`))
    const world = new World([agent, ...others], folder, model, { asked, images })
    mkdirSync(world.project)
    mkdirSync(world.home)
    writeFileSync(join(world.project, 'README.md'), '# A small project\n')
    for (const each of [agent, ...others]) each.setUp(world)
    return world
  }

  get agent(): Agent {
    return this.#agents[0]
  }

  get url(): string {
    return this.#model.url
  }

  get home(): string {
    return join(this.folder, 'home')
  }

  get project(): string {
    return join(this.folder, 'project')
  }

  async close(): Promise<void> {
    await this.#model.close()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Runs the agent, and gives the requests that it sent for the conversation. */
  async sends(args: readonly string[], name = this.agent.name): Promise<readonly Asked[]> {
    const before = this.#asked.length
    const earlier = new Set(this.#model.requests)
    const said = await this.run(name, args)
    const asked = this.#asked.slice(before)
    const refused = this.#model.requests.filter(
      (request) => request.outcome === 'refused' && !earlier.has(request),
    )
    if (asked.length === 0 || refused.length > 0) {
      const told = `${args.join(' ')}: ${refused.length} requests refused, ${asked.length} answered`
      const violations = JSON.stringify(refused.map((each) => each.violations))
      throw new Error(`${name} ${told}. ${violations}\n${said.slice(-SAID_CHARS)}`)
    }
    return asked
  }

  /** What was asked beside the conversation, as texts. */
  get asideTexts(): readonly string[] {
    const own = new Set(this.#asked.map((asked) => JSON.stringify(asked)))
    return this.#model.requests
      .map(({ asked }) => JSON.stringify(asked))
      .filter((text) => !own.has(text))
  }

  /** How many requests were sent beside those for the conversation: titles, and summaries by the host. */
  get asides(): number {
    return this.#model.requests.length - this.#asked.length
  }

  precis(args: readonly string[]): Promise<Ran> {
    return runPrecis(args, { cwd: this.project, environment: this.environment() })
  }

  /** Everything that the program says. Rejects where it fails. */
  async run(name: AgentName, args: readonly string[]): Promise<string> {
    const { status, said } = await this.#started(name, args).ended
    if (status === 0) return said
    throw new Error(`${name} ended with ${status}:\n${said.slice(-SAID_CHARS)}`)
  }

  /** Runs the agent and presses Ctrl-C as soon as it is where the test wants it. */
  async interrupts(args: readonly string[], isThere: () => boolean): Promise<void> {
    const { child, ended } = this.#started(this.agent.name, args)
    let isOver = false
    const over = ended.finally(() => {
      isOver = true
    })
    const options = { withinMs: RUN_TIMEOUT_MS, everyMs: LOOK_MS }
    await until('the place to interrupt it', () => isOver || isThere(), options)
    if (isOver) throw new Error(`it ended by itself:\n${(await over).said.slice(-SAID_CHARS)}`)
    child.kill('SIGINT')
    await over
  }

  /** How many images the model was shown. */
  imagesIn(asked: Asked): number {
    return this.#images.get(asked) ?? 0
  }

  #started(name: AgentName, args: readonly string[]) {
    const child = spawn(programOf(name), args, {
      cwd: this.project,
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        said += piece
      })
    const ended = new Promise<{ status: number | string | null; said: string }>(
      (resolve, reject) => {
        child.once('error', reject)
        child.once('close', (status, signal) => resolve({ status: status ?? signal, said }))
      },
    )
    return { child, ended }
  }

  environment(): NodeJS.ProcessEnv {
    return {
      ...Object.assign({}, ...this.#agents.map((each) => each.environment(this))),
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
      HOME: this.home,
      PRECIS_HOME: join(this.folder, 'precis'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      HTTPS_PROXY: NO_PROXY_AT,
      HTTP_PROXY: NO_PROXY_AT,
      NO_PROXY: '127.0.0.1,localhost',
    }
  }
}

/** How many rounds a prompt asks for. */
export function promptFor(rounds: number, topic: string): string {
  return `Please look at ${topic} and work in ${rounds} rounds.`
}

/** The tool that runs commands, and the arguments it takes. */
const SHELLS: Readonly<Record<string, (command: string) => Json>> = {
  Bash: (command) => ({ command, description: 'look' }),
  bash: (command) => ({ command, description: 'look' }),
  exec_command: (cmd) => ({ cmd }),
}

/** Undefined for what is not the conversation: a title, a summary, or another aside. */
export type Answer = (asked: Asked) => ScriptedAnswer | undefined

/** A task of so many rounds, counted here: a compaction does not begin it again. */
export class CountedTask {
  left = 0
  #done = 0

  readonly answer: Answer = (asked) => {
    const tool = asked.tools.find(({ name }) => name in SHELLS)?.name
    if (tool === undefined) return undefined
    if (this.left <= 0) return { text: 'All is done.' }
    this.left -= 1
    this.#done += 1
    const command = `seq 1 300 | sed "s/^/round ${this.#done}, line /"`
    const call = { name: tool, arguments: SHELLS[tool]?.(command) ?? {} }
    return { text: `Round ${this.#done}.`, calls: [call] }
  }
}

export function shellCall({ tools }: Asked, command: string): AnswerCall {
  const name = tools.find((tool) => tool.name in SHELLS)?.name ?? ''
  return { name, arguments: SHELLS[name]?.(command) ?? {} }
}

/** A call a round with a long output; the second round of a prompt fails. */
export function answerTo(asked: Asked): ScriptedAnswer {
  const texts = asked.turns.map(({ role, parts }) =>
    role === 'user' ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : '',
  )
  const at = texts.findLastIndex((text) => /work in \d+ rounds/.test(text))
  const rounds = Number(/.*work in (\d+) rounds/s.exec(texts[at] ?? '')?.[1] ?? 0)
  const done = asked.turns.slice(at + 1).flatMap(callsIn).length
  if (done >= rounds) return { text: `All ${rounds} rounds are done.` }
  const total = asked.turns.flatMap(callsIn).length
  const command =
    done === 1
      ? `echo round ${total} is broken; exit 3`
      : `seq 1 300 | sed "s/^/round ${total}, line /"`
  const call = shellCall(asked, command)
  const thinking = asked.thinking && { thinking: `What is next in round ${total}?` }
  return { ...thinking, text: `Round ${total}.`, calls: [call] }
}

function callsIn({ parts }: Asked['turns'][number]) {
  return parts.filter(({ type }) => type === 'call')
}
