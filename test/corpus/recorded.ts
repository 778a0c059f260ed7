// Recorded sessions as requests that their own providers accepted: one reader for each folder of the corpus.

import type { Exchange, Profile } from '../../src/validate/rule.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { clineExchanges, webExchanges } from './anthropic-shaped.ts'
import { chatSessions } from './chat.ts'
import { exchangesOf } from './claude-code.ts'
import { corpusFiles } from './files.ts'
import { geminiExchanges } from './gemini.ts'
import { openCodeExchanges } from './open-code.ts'
import { piExchanges } from './pi.ts'
import { codexExchanges, copilotExchanges } from './responses.ts'

/** What one provider was sent in one session, in order, with what it answered. */
export interface Recorded {
  readonly name: string // the file
  readonly folder: string
  readonly profile: Profile
  readonly exchanges: readonly Exchange[]
}

/** The API joins roles in a row; only other backends refuse them. */
const MERGING = { strict: false } as const
const CLAUDE: Profile = { ...PROFILES['anthropic-legacy'], ...MERGING }
const NEWER_CLAUDE: Profile = { ...PROFILES.anthropic, ...MERGING }
/** A gateway that speaks Chat Completions to models whose servers say little about their rules. */
const GATEWAY: Profile = PROFILES['openai-chat']

type Reader = (text: string, name: string) => readonly (readonly [Profile, readonly Exchange[]])[]

const READERS: Readonly<Record<string, Reader>> = {
  'claude-code': (text) => [[PROFILES['anthropic-legacy'], exchangesOf(text)]],
  'claude-web-session': (text) => [[CLAUDE, webExchanges(text)]],
  'cline-sdk': (text) => [[NEWER_CLAUDE, clineExchanges(text)]],
  codex: (text) => [[PROFILES['openai-responses'], codexExchanges(text)]],
  'copilot-cli': (text) => [[PROFILES['openai-responses'], copilotExchanges(text)]],
  'gemini-cli': (text) => [[PROFILES.gemini, geminiExchanges(text)]],
  'mini-swe-agent': (text) => [[GATEWAY, chatSessions.miniSweAgent(text)]],
  opencode: (text) => [
    [text.includes('"deepseek-') ? PROFILES.deepseek : GATEWAY, openCodeExchanges(text)],
  ],
  openhands: (text) => [[GATEWAY, chatSessions.openHands(text)]],
  pi: (text) => {
    const { api, model, exchanges } = piExchanges(text)
    if (api === 'anthropic-messages') return [[CLAUDE, exchanges]]
    return [[model.startsWith('deepseek-') ? PROFILES.deepseek : GATEWAY, exchanges]]
  },
  'swe-agent': (text) => [[GATEWAY, chatSessions.sweAgent(text)]],
}

export const FOLDERS = Object.keys(READERS)

export function recordedIn(folder: string): readonly Recorded[] {
  const reader = READERS[folder]
  return corpusFiles([folder]).flatMap(({ name, read }) =>
    (reader?.(read(), name) ?? []).flatMap(([profile, exchanges]) =>
      exchanges.length === 0 ? [] : [{ name, folder, profile, exchanges }],
    ),
  )
}
