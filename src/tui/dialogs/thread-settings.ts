// The settings of the open thread: shown together, changed one by one.
import { type Client, isStandIn, type ModelInfo, type ThreadDetail } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import type { Dialogs } from './dialogs.ts'

const LEVELS = ['off', 'low', 'medium', 'high']
const OF_PRESET = 'default for this preset'

/** What /compact does, and what happens automatically if that differs; /preset has the long form. */
const PRESET_WORDS: Readonly<Record<string, string>> = {
  range: 'the agent summarises ranges between its checkpoints',
  whole: 'the agent writes one summary of everything',
  fold: 'chunked-fold: chunk by chunk into one summary',
  log: 'ai-summarize: one summary; your last messages stay',
  fresh: 'a summary starts a new thread; automatic: nothing',
  chat: 'a summary starts a new thread; automatic: cascade',
  precis: 'summarises all but the recent end; automatic: cascade',
}

export async function openSettings(chat: OpenChat): Promise<void> {
  const { dialogs } = chat.ports
  const { detail } = chat
  if (detail === undefined) return
  const setting = await dialogs.choose('Settings of this thread', [
    row('model', detail.model ?? 'none'),
    row('thinking', detail.thinking),
    row('preset', detail.preset),
    row('strategy', detail.strategy ?? OF_PRESET),
    row('folder', detail.workspace ?? 'none'),
  ])
  if (setting === undefined || setting === 'folder') return
  const value = await dialogs.choose(setting, await readValues(chat, detail, setting))
  if (value !== undefined) await chat.send(`/${setting} ${value}`)
}

async function readValues(chat: OpenChat, detail: ThreadDetail, setting: string) {
  const { client } = chat.ports
  if (setting === 'model') return modelChoices(await client.models())
  if (setting === 'thinking') return LEVELS.map((level) => row(level, now(level, detail.thinking)))
  const { presets, strategies } = await client.hello()
  if (setting === 'strategy') return strategies.map((name) => row(name, now(name, detail.strategy)))
  return presets.map((name) => {
    const words = [now(name, detail.preset), PRESET_WORDS[name] ?? '']
    return row(name, words.filter((word) => word !== '').join(', '))
  })
}

function row(name: string, description: string) {
  return { value: name, label: name, description }
}

function now(value: string, current: string | undefined): string {
  return value === current ? 'now' : ''
}

const STAND_IN = 'dev'

/** First run without a model: the choices, and how to get more. */
export const STAND_IN_NOTICE =
  'The model is dev, a stand-in: a small program in this process that answers by fixed rules. It knows nothing; use it to try things out. /model chooses another.'

export const NO_MODEL_NOTICE = 'No model is set. Choose one with /model.'

const KEYS_HELP = `No model is configured. There are these ways to get one:

- Anthropic: set ANTHROPIC_API_KEY, then choose one with /model anthropic/…
- OpenAI: set OPENAI_API_KEY, then /model openai/…
- LM Studio or Ollama on this machine: start its server, then /model lmstudio/… or /model ollama/…
- dev: the stand-in, without a key, to try things out.

models.default in the settings keeps the choice: docs/configuration.md.`

const HELP = 'help'
const STAND_IN_CHOICE = {
  value: STAND_IN,
  label: STAND_IN,
  description: 'a stand-in: answers without a key',
}

/** Undefined if the user chose none. */
export async function chooseModel(client: Client, dialogs: Dialogs): Promise<string | undefined> {
  const models = await client.models()
  for (;;) {
    const chosen = await dialogs.choose('No model is configured. Which one?', [
      STAND_IN_CHOICE,
      { value: HELP, label: 'How to set a key', description: 'for Anthropic, OpenAI and others' },
      ...modelChoices(models.filter(({ isConfigured }) => isConfigured)).filter(
        ({ value }) => value !== STAND_IN,
      ),
    ])
    if (chosen !== HELP) return chosen
    await dialogs.show('Models', KEYS_HELP, 'markdown')
  }
}

export function modelChoices(models: readonly ModelInfo[]) {
  const rest = models.filter(({ ref }) => !isStandIn(ref))
  return [
    ...rest.map(({ ref, windowTokens, isConfigured }) => ({
      value: ref,
      label: ref,
      description: [
        windowTokens === undefined ? '' : `${windowTokens.toLocaleString('en-US')} tokens`,
        isConfigured ? '' : 'no key or server',
      ]
        .filter((word) => word !== '')
        .join(', '),
    })),
    STAND_IN_CHOICE,
  ]
}
