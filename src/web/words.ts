// The words of the page for ids of the log: strategies, categories, roles, labels, reasons.

export interface Category {
  readonly name: string
  readonly shown: string
  /** The suffix of its class: one colour everywhere. */
  readonly id: string
}

/** In drawing order. */
const CATEGORIES: readonly Category[] = [
  { name: 'system', shown: 'System', id: 'system' },
  { name: 'tools', shown: 'Tools and overhead', id: 'tools' },
  { name: 'summaries', shown: 'Summaries', id: 'summaries' },
  { name: 'user', shown: 'You', id: 'user' },
  { name: 'assistant', shown: 'Agent', id: 'assistant' },
  { name: 'thinking', shown: 'Thinking', id: 'thinking' },
  { name: 'tool calls', shown: 'Tool calls', id: 'calls' },
  { name: 'tool results', shown: 'Tool results', id: 'results' },
  { name: 'images', shown: 'Images', id: 'images' },
  { name: 'free', shown: 'Free', id: 'free' },
]

export function findCategory(name: string): Category {
  return CATEGORIES.find((each) => each.name === name) ?? { name, shown: name, id: 'tools' }
}

export function inOrder<T extends { readonly name: string }>(some: readonly T[]): readonly T[] {
  const place = ({ name }: T) => CATEGORIES.findIndex((each) => each.name === name)
  return some.toSorted((one, other) => place(one) - place(other))
}

const ROLES: Readonly<Record<string, readonly [shown: string, category: string]>> = {
  system: ['System prompt', 'system'],
  user: ['You', 'user'],
  answer: ['Agent', 'assistant'],
  result: ['Tool result', 'tool results'],
  reminder: ['Reminder', 'system'],
  checkpoint: ['Checkpoint', 'system'],
}
const WRITTEN: ReadonlySet<string> = new Set(['summary', 'brief', 'files', 'pins', 'continuation'])

/** The speaker of a context entry, and its category. */
export function roleWords(
  role: string,
  label: string | undefined,
): { readonly shown: string; readonly category: Category } {
  const [shown, category] = ROLES[role] ?? [role, 'system']
  if (label === undefined) return { shown, category: findCategory(category) }
  const isWritten = WRITTEN.has(label)
  return {
    shown: isWritten ? labelWords(label) : `${shown}, ${labelWords(label).toLowerCase()}`,
    category: findCategory(isWritten ? 'summaries' : category),
  }
}

const LABELS: Readonly<Record<string, string>> = {
  summary: 'Summary',
  brief: 'Brief',
  files: 'List of files',
  pins: 'Pins',
  continuation: 'Request to continue',
  trimmed: 'Shortened',
  masked: 'Reduced',
  repaired: 'Repaired',
  closed: 'Closed call',
  recalled: 'Brought back',
  carried: 'Carried over',
}

export function labelWords(label: string): string {
  return LABELS[label] ?? label
}

/** The speaker of a search result. */
export function speakerWords(speaker: string): string {
  if (speaker === 'user') return 'You'
  return `${speaker[0]?.toUpperCase() ?? ''}${speaker.slice(1)}`
}

const WRITTEN_FOR_MODEL = /^user: (?:\[Context note|The conversation history before)/
const ENTRY_ROLE = /^(user|answer)(?=:)/

/** A short form of an entry: its speaker, without the introduction for the model. */
export function entryWords(what: string): string {
  if (WRITTEN_FOR_MODEL.test(what)) return 'Written by a compaction'
  return what.replace(ENTRY_ROLE, (role) => ROLES[role]?.[0] ?? role)
}

const AGENTS: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  'oh-my-pi': 'Oh My Pi',
  'copilot-cli': 'Copilot CLI',
  'gemini-cli': 'Gemini CLI',
  cline: 'Cline',
}

/** The name of an agent by its format id. */
export function agentWords(id: string): string {
  return AGENTS[id] ?? id
}

const ORIGINS: Readonly<Record<string, string>> = {
  'fresh-session': 'fresh session',
  import: 'imported',
  fork: 'fork',
  task: 'task',
}

export function originWords(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : (ORIGINS[reason] ?? reason)
}

export interface Envelope {
  readonly intro: string
  readonly body: string
  readonly outro: string
}

const TAGS = /^([\s\S]*?<summary>\n)([\s\S]*)(\n<\/summary>[\s\S]*)$/
const NOTE = /^(\[Context note, not a (?:new )?request: [^\]]*\]\n+)([\s\S]*)$/

/** The readable part of a summary, and its introduction for the model. */
export function splitEnvelope(text: string): Envelope {
  const tags = TAGS.exec(text)
  if (tags) return { intro: tags[1] ?? '', body: tags[2] ?? '', outro: tags[3] ?? '' }
  const note = NOTE.exec(text)
  if (note) return { intro: note[1] ?? '', body: note[2] ?? '', outro: '' }
  return { intro: '', body: text, outro: '' }
}

/** LOG-88: the billed sum compared with one window; undefined while it is far from it. */
export function billedWarning(usage: {
  readonly percentUsed: number
  readonly nearLimit: boolean
}): string | undefined {
  if (!usage.nearLimit) return undefined
  return `The billed sum is ${usage.percentUsed < 100 ? 'near the limit of' : 'larger than'} one window.`
}
