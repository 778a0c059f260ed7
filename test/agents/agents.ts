// How each agent is set up, started, resumed and given a session that it did not record.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent, AgentSession, Surroundings } from './agent.ts'

const MODEL = 'dev-1'
const KEY = 'any'

/** What it may use without asking. */
const CLAUDE_TOOLS = ['Bash', 'Agent']

const claudeCode: Agent = {
  name: 'claude-code',
  tellsFailures: true,
  recordsFailures: true,
  environment: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  setUp: () => undefined,
  start: (prompt) => ['-p', prompt, '--allowedTools', ...CLAUDE_TOOLS],
  resume: ({ id }, prompt) => ['-p', prompt, '--resume', id, '--allowedTools', ...CLAUDE_TOOLS],
  recorded: (world) => lineFile(world, '.claude/projects', (name) => name.replace('.jsonl', '')),
  adopt: async (world, text) => {
    const id = fieldIn(text, 'sessionId')
    const folder = world.project.replaceAll(/[^A-Za-z0-9]/g, '-')
    return { id, target: put(world, `.claude/projects/${folder}/${id}.jsonl`, text) }
  },
}

const codex: Agent = {
  name: 'codex',
  tellsFailures: false,
  recordsFailures: true,
  environment: () => ({ DEV_KEY: KEY }),
  setUp: (world) => {
    const settings = [
      `model = "${MODEL}"`,
      'model_provider = "dev"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.dev]',
      'name = "dev"',
      `base_url = "${world.url}/v1"`,
      'env_key = "DEV_KEY"',
      'wire_api = "responses"',
    ]
    put(world, '.codex/config.toml', `${settings.join('\n')}\n`)
  },
  start: (prompt) => ['exec', '--skip-git-repo-check', prompt],
  resume: ({ id }, prompt) => ['exec', 'resume', '--skip-git-repo-check', id, prompt],
  recorded: (world) => lineFile(world, '.codex/sessions', (name) => name.slice(-42, -6)),
  adopt: async (world, text) => {
    const id = fieldIn(text, 'id')
    const path = `.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${id}.jsonl`
    return { id, target: put(world, path, text) }
  },
}

const OPENCODE_DATABASE = '.local/share/opencode/opencode.db'

const openCode: Agent = {
  name: 'opencode',
  tellsFailures: true,
  recordsFailures: false,
  environment: () => ({
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  setUp: (world) => {
    const model = {
      name: MODEL,
      limit: { context: 200_000, output: 8_000 },
      attachment: true,
      modalities: { input: ['text', 'image'], output: ['text'] },
    }
    const settings = {
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      model: `dev/${MODEL}`,
      small_model: `dev/${MODEL}`,
      permission: 'allow',
      provider: {
        dev: {
          npm: '@ai-sdk/anthropic',
          name: 'dev',
          options: { baseURL: `${world.url}/v1`, apiKey: KEY },
          models: { [MODEL]: model },
        },
      },
    }
    put(world, '.config/opencode/opencode.json', JSON.stringify(settings))
  },
  start: (prompt) => ['run', prompt],
  resume: ({ id }, prompt) => ['run', '--session', id, '--model', `dev/${MODEL}`, prompt],
  recorded: (world) => {
    const log = readFileSync(join(world.home, '.local/share/opencode/log/opencode.log'), 'utf8')
    const id = /message=created id=(ses_\w+)/g.exec(log)?.[1] ?? ''
    return { id, target: `${join(world.home, OPENCODE_DATABASE)}#${id}` }
  },
  adopt: async (world, text) => {
    const file = put(world, 'converted.json', text)
    const said = await world.run('opencode', ['import', file])
    const id = /Imported session: (ses_\w+)/.exec(said)?.[1]
    if (id === undefined) throw new Error(`opencode import did not take it:\n${said}`)
    return { id, target: `${join(world.home, OPENCODE_DATABASE)}#${id}` }
  },
}

const pi: Agent = {
  name: 'pi',
  tellsFailures: true,
  recordsFailures: true,
  environment: () => ({ PI_OFFLINE: '1' }),
  setUp: (world) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const model = { id: MODEL, name: MODEL, reasoning: false, input: ['text', 'image'], cost }
    const dev = {
      baseUrl: world.url,
      api: 'anthropic-messages',
      apiKey: KEY,
      models: [{ ...model, contextWindow: 200_000, maxTokens: 8_000 }],
    }
    put(world, '.pi/agent/models.json', JSON.stringify({ providers: { dev } }))
  },
  start: (prompt) => ['--provider', 'dev', '--model', MODEL, '-p', prompt],
  resume: ({ target }, prompt) => [
    ...['--provider', 'dev', '--model', MODEL],
    ...['--session', target, '-p', prompt],
  ],
  recorded: (world) => lineFile(world, '.pi/agent/sessions', (name) => name),
  adopt: async (world, text) => {
    const id = fieldIn(text, 'id')
    return { id, target: put(world, `.pi/agent/sessions/converted/${id}.jsonl`, text) }
  },
}

export const AGENTS: readonly Agent[] = [claudeCode, codex, openCode, pi]

export function agentOf(name: Agent['name']): Agent {
  const agent = AGENTS.find((each) => each.name === name)
  if (!agent) throw new Error(`there is no agent ${name}`)
  return agent
}

function put({ home }: Surroundings, name: string, text: string): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** The latest session file below a folder. */
function lineFile(
  { home }: Surroundings,
  folder: string,
  idOf: (name: string) => string,
): AgentSession {
  const files = readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(home, folder, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  const [target] = files
  if (target === undefined) throw new Error(`there is no session below ${folder}`)
  return { id: idOf(target.slice(dirname(target).length + 1)), target }
}

/** The first value that a line of a session gives this field. */
function fieldIn(text: string, name: string): string {
  const value = new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]
  if (value === undefined) throw new Error(`no line has the field ${name}`)
  return value
}
