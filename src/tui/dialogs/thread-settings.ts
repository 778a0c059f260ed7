// The settings of the open thread: seen together, changed one by one.
import type { ThreadDetail } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import { modelChoices } from './first-run.ts'

const LEVELS = ['off', 'low', 'medium', 'high']
const OF_PRESET = 'default for this preset'

/** What /compact does, and what happens by itself where that is something else; /preset says it at length. */
const PRESET_WORDS: Readonly<Record<string, string>> = {
  range: 'the agent sums up ranges between its checkpoints',
  whole: 'the agent writes one summary of everything',
  fold: 'chunked-fold: chunk by chunk into one summary',
  log: 'ai-summarize: one summary; your last messages stay',
  fresh: 'a summary opens a new session; by itself nothing',
  chat: 'a summary opens a new session; by itself cascade',
  precis: 'sums up all but the recent end; by itself cascade',
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
  const value = await dialogs.choose(setting, await valuesOf(chat, detail, setting))
  if (value !== undefined) await chat.send(`/${setting} ${value}`)
}

async function valuesOf(chat: OpenChat, detail: ThreadDetail, setting: string) {
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
