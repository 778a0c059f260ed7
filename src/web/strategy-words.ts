// In words: what each strategy does, and where removed entries went.

/** A compaction found in an imported session. */
const RECORDED = 'recorded'

interface StrategyWords {
  /** In one line. */
  readonly does: string
  /** Where an entry it removed went. */
  readonly became?: string
  /** It asks a model, which costs money. */
  readonly asks?: true
}

const BY_BRIEF = 'Replaced by the brief'
const BY_SUMMARY = 'Replaced by the summary'

const STRATEGIES: Readonly<Record<string, StrategyWords>> = {
  cascade: { does: 'Takes the cheapest steps first, until it is small enough' },
  extract: {
    does: 'Writes a brief and keeps the most useful lines word for word',
    became: BY_BRIEF,
  },
  prune: { does: 'Replaces duplicate and superseded content with one-line stubs' },
  'trim-tool-results': {
    does: 'Cuts long tool results to their first three lines',
    became: 'Cut to the first three lines',
  },
  mask: {
    does: 'Reduces older tool results to subject and outcome',
    became: 'Reduced to subject and outcome',
  },
  'drop-turns': {
    does: 'Drops the oldest turns and keeps your words in a note',
    became: 'Dropped; a note keeps your words',
  },
  brief: {
    does: 'Code writes the facts, a model the goal, reasons and next step',
    became: BY_BRIEF,
    asks: true,
  },
  summarize: {
    does: 'A model summarises everything but the last two events',
    became: BY_SUMMARY,
    asks: true,
  },
  'ai-summarize': {
    does: 'A model summarises everything; your last messages stay',
    became: BY_SUMMARY,
    asks: true,
  },
  'keep-recent': {
    does: 'A model summarises all but the recent end',
    became: BY_SUMMARY,
    asks: true,
  },
  'whole-summary': {
    does: 'A model writes one summary of everything',
    became: BY_SUMMARY,
    asks: true,
  },
  'chunked-fold': {
    does: 'A model folds the conversation chunk by chunk',
    became: 'Folded by the model',
    asks: true,
  },
  'fresh-session': { does: 'A model’s summary opens a new thread; this one stays', asks: true },
  [RECORDED]: {
    does: 'The agent of the session did this, before the import',
    became: 'Removed by the agent of the session',
  },
}

export function strategyName(id: string): string {
  return id === RECORDED ? 'its own agent' : id
}

/** Fixed rules: they ignore instructions. */
const BY_RULE: ReadonlySet<string> = new Set(['prune', 'trim-tool-results', 'mask', 'drop-turns'])

export function followsInstructions(id: string): boolean {
  return !BY_RULE.has(id)
}

export function strategyWords(id: string): string {
  return STRATEGIES[id]?.does ?? 'A strategy of this server'
}

/** Unknown strategies might. */
export function asksModel(id: string): boolean {
  return STRATEGIES[id] === undefined || STRATEGIES[id].asks === true
}

const REASONS: Readonly<Record<string, string>> = {
  'hidden-thinking': 'Thinking is hidden',
  duplicate: 'The same content stands elsewhere',
  superseded: 'Newer content replaces it',
  'repeated-reads': 'The file was read again or rewritten later',
  'repeated-results': 'The same result came again',
  'superseded-writes': 'The file was written again later',
  'failed-attempts': 'A later attempt succeeded',
  progress: 'Progress output',
  logs: 'Repeated log lines',
  listings: 'Long listings',
  base64: 'Encoded data',
}

/** Why something was removed: its own reason, or the strategy's. */
export function reasonWords(why: string): string {
  const words = why.replaceAll('-', ' ')
  return (
    REASONS[why] ??
    STRATEGIES[why]?.became ??
    STRATEGIES[why]?.does ??
    `${words[0]?.toUpperCase()}${words.slice(1)}`
  )
}
