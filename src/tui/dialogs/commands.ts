// Commands of the interface; all others go to the agent. As data, for completion and /help.
import { COMMANDS, type ThreadSummary, unknownCommand } from '../../protocol/index.ts'
import type { OpenChat } from '../open-chat.ts'
import { contextWords } from '../screen/context-picture.ts'
import { EDITOR_KEYS, KEYS } from '../screen/keys.ts'
import { visibleLine } from '../screen/text-lines.ts'
import { openCompactions, previewCompaction } from './compactions.ts'
import { modelChoices, openSettings } from './thread-settings.ts'

const PAGE = 50
const MORE = '\u0000more'

/** Lists the threads, to choose one and continue it. */
async function chooseSession(chat: OpenChat, search: string): Promise<void> {
  const { client, dialogs } = chat.ports
  const shown: ThreadSummary[] = []
  let after: string | undefined
  for (;;) {
    const page = await client.threads({
      limit: PAGE,
      ...(search !== '' && { search }),
      ...(after !== undefined && { after }),
    })
    shown.push(...page.items)
    after = page.next
    if (shown.length === 0) {
      chat.say(search === '' ? 'No threads yet.' : `No thread has «${search}».`)
      return
    }
    const more = after === undefined ? [] : [{ value: MORE, label: 'More …' }]
    const chosen = await dialogs.choose('Sessions', [
      ...shown.map((thread) => readChoice(thread, chat.threadId)),
      ...more,
    ])
    if (chosen === MORE) continue
    if (chosen !== undefined && chosen !== chat.threadId) await chat.open(chosen)
    return
  }
}

function readChoice(
  { threadId, title, updatedAt, version, reason }: ThreadSummary,
  openThreadId: string,
) {
  const day = updatedAt.toISOString().slice(0, 16).replace('T', ' ')
  const origin = reason === undefined ? '' : `, ${reason}`
  const now = threadId === openThreadId ? ', now open' : ''
  return {
    value: threadId,
    label: visibleLine(title) || threadId,
    description: `${day}, ${version} events${origin}${now}`,
  }
}

interface ChatCommand {
  readonly name: string
  readonly usage: string
  readonly description: string
  /** `argument` is the trimmed text after the name. */
  run(chat: OpenChat, argument: string): Promise<void> | void
}

const FRESH_PRESETS: ReadonlySet<string> = new Set(['chat', 'fresh'])
const FRESH_DESCRIPTION = 'Compact context into summary + start fresh'
const EXPORT_FORMAT = 'markdown'
const NOT_WRITTEN = 'Nothing was written.'
const ENDINGS: Readonly<Record<string, string>> = { markdown: 'md', html: 'html' }

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: '/compact --preview',
    usage: '/compact --preview [instructions]',
    description: 'Preview and edit a compaction, then apply or drop it',
    run: previewCompaction,
  },
  {
    name: '/compactions',
    usage: '/compactions',
    description: 'Open a compaction: summary, report, diff, undo, recall',
    run: (chat) => openCompactions(chat),
  },
  {
    name: '/sessions',
    usage: '/sessions [words]',
    description: 'Choose a thread, newest first',
    run: chooseSession,
  },
  {
    name: '/resume',
    usage: '/resume [thread]',
    description: 'Continue a thread, by its id or from a list',
    run: (chat, argument) =>
      argument === '' ? chooseSession(chat, '') : chat.open(argument.split(/\s/)[0] ?? ''),
  },
  {
    name: '/settings',
    usage: '/settings',
    description: 'Change model, thinking, preset and strategy of this thread',
    run: openSettings,
  },
  {
    name: '/export',
    usage: '/export [format] [file]',
    description: 'Write the thread to a file: markdown, html, claude-code, …',
    run: exportThread,
  },
  {
    name: '/help',
    usage: '/help',
    description: 'List commands and keys',
    run: (chat) => chat.ports.dialogs.show('Help', helpText(chat.detail?.preset), 'plain'),
  },
  {
    name: '/abort',
    usage: '/abort',
    description: 'Stop the running turn, like Esc',
    run: (chat) => chat.abort(),
  },
  {
    name: '/clear',
    usage: '/clear',
    description: 'Clear the screen; the thread does not change',
    run: (chat) => chat.clear(),
  },
  {
    name: '/exit',
    usage: '/exit',
    description: 'Leave; you can resume the thread',
    run: (chat) => chat.ports.onExit(),
  },
]

/** Agent commands that open a list or a picture if nothing follows them. */
const BARE: Readonly<Record<string, (chat: OpenChat) => Promise<void>>> = {
  '/model': readChooseModel,
  '/context': async (chat) => {
    const picture = await chat.ports.client.contextPicture(chat.threadId)
    chat.say(contextWords(picture), 'reply', '/context')
  },
}

interface CommandMatch {
  readonly command: Pick<ChatCommand, 'run'>
  readonly argument: string
}

/** Undefined for messages to the agent, and for its own commands. */
export function buildChatCommand(text: string): CommandMatch | undefined {
  const bare = Object.hasOwn(BARE, text) ? BARE[text] : undefined
  if (bare) return { command: { run: bare }, argument: '' }
  const line = text.replace(/^\/compact\s+--preview/, '/compact --preview')
  const command = CHAT_COMMANDS.find(
    ({ name }) => line === name || (line.startsWith(name) && /^\s/.test(line.slice(name.length))),
  )
  return command && { command, argument: line.slice(command.name.length).trim() }
}

/** What to say about a command that neither the chat nor the agent has; otherwise undefined. */
export function unknownInChat(text: string): string | undefined {
  const own = CHAT_COMMANDS.map(({ name }) => name)
  return unknownCommand(text, { own, listing: '/help lists them.' })
}

/** FRESH-01, if /compact does that. */
export function compactDescription(preset: string | undefined): string {
  const entry = COMMANDS.find(({ name }) => name === '/compact')
  return FRESH_PRESETS.has(preset ?? '') ? FRESH_DESCRIPTION : (entry?.description ?? '')
}

export function helpText(preset: string | undefined): string {
  const commands = [
    ...COMMANDS.map(({ name, usage, description }) => ({
      usage,
      description: name === '/compact' ? compactDescription(preset) : description,
    })),
    ...CHAT_COMMANDS,
  ]
  const keys = [...KEYS, ...EDITOR_KEYS].map(({ shown, does }) => ({
    usage: shown,
    description: does,
  }))
  return ['Commands', ...table(commands), '', 'Keys', ...table(keys)].join('\n')
}

function table(
  rows: readonly { readonly usage: string; readonly description: string }[],
): string[] {
  return rows.map(({ usage, description }) => `  ${usage.padEnd(33)}  ${description}`)
}

async function readChooseModel(chat: OpenChat): Promise<void> {
  const { client, dialogs } = chat.ports
  const model = await dialogs.choose('Model', modelChoices(await client.models()))
  if (model !== undefined) await chat.send(`/model ${model}`)
}

async function exportThread(chat: OpenChat, argument: string): Promise<void> {
  const [format = EXPORT_FORMAT, file] = argument === '' ? [] : argument.split(/\s+/, 2)
  const text = await chat.ports.client.exportThread(chat.threadId, format)
  const name = file ?? `${chat.threadId}.${ENDINGS[format] ?? 'jsonl'}`
  const isWanted = !(await chat.ports.hasFile(name)) || (await mayReplace(chat, name))
  const done = isWanted ? `Written to ${await chat.ports.saveFile(name, text)}` : NOT_WRITTEN
  chat.say(done, 'reply', '/export')
}

async function mayReplace({ ports }: OpenChat, name: string): Promise<boolean> {
  const chosen = await ports.dialogs.choose(`${name} already exists.`, [
    { value: 'leave', label: 'Keep it', description: 'write nothing' },
    { value: 'replace', label: 'Overwrite it', description: 'its content is lost' },
  ])
  return chosen === 'replace'
}
