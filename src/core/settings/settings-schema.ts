// The schema of the settings: defaults, and a description of each key.
import { z } from 'zod'
import type { Json } from '../text/json.ts'
import type { PresetId } from '../window/presets.ts'
import type { TokenCounter } from '../window/tokens/counter.ts'

/** The default strategy of `precis compact` and similar commands. */
export const DEFAULT_STRATEGY = 'cascade'

const ratio = () => z.number().gt(0).max(1).describe('a number above 0, up to 1')
const tokens = () => z.number().int().positive().describe('a whole number from 1')
const name = (what: string) => z.string().min(1).describe(what)
const names = (what: string) => z.array(z.string().min(1)).describe(what)
const model = () => name('a model as provider/model, or dev')

const auto = z.strictObject({
  enabled: z.boolean().describe('true or false').optional(),
  threshold: ratio().optional(),
  reserveTokens: tokens().optional(),
  absoluteTokens: tokens().optional(),
  warningThreshold: ratio().optional(),
  targetRatio: ratio().optional(),
  cooldownMs: z.number().int().nonnegative().describe('a whole number from 0').optional(),
})

/** All settings. `describe` is used in error messages. */
export const settingsSchema = z.strictObject({
  strategy: name('the id of a strategy').default(DEFAULT_STRATEGY),
  preset: z
    .enum(['precis', 'chat', 'range', 'whole', 'fold', 'log', 'fresh'] satisfies PresetId[])
    .describe('precis, chat, range, whole, fold, log or fresh')
    .default('precis'),
  counter: z
    .enum(['estimate', 'chars4', 'o200k'] satisfies TokenCounter['id'][])
    .describe('estimate, chars4 or o200k')
    .default('estimate'),
  gate: z.strictObject({
    minTokens: z.number().int().nonnegative().describe('a whole number from 0').default(1_000),
  }),
  // Unset values come from the preset.
  auto,
  autoByModel: z
    .record(z.string(), auto.partial())
    .describe('settings by model, as in {"anthropic/claude-opus-5": {"threshold": 0.7}}')
    .optional(),
  pins: names('a list of texts').optional(),
  pinning: z.strictObject({
    // Default: that of the preset.
    detect: z.boolean().describe('true or false').optional(),
    patterns: names('a list of patterns, as in ["*never*"]').optional(),
  }),
  protect: z.strictObject({
    tools: names('a list of tool names, as in ["Read", "mcp__*"]').optional(),
    paths: names('a list of paths, as in ["docs/**", "*.sql"]').optional(),
  }),
  // Default: the form of each strategy's design.
  summaries: z.strictObject({
    form: z.enum(['conversation', 'apart']).describe('conversation or apart').optional(),
    instructions: name('a text').optional(),
    language: name('a language, as in English').optional(),
  }),
  models: z.strictObject({ default: model().optional(), fast: model().optional() }),
  providers: z
    .record(
      z.string(),
      z.strictObject({
        baseUrl: z.url().optional(),
        timeoutMs: z.number().int().positive().optional(),
      }),
    )
    .describe('addresses by provider, as in {"ollama": {"baseUrl": "http://127.0.0.1:11434"}}')
    .optional(),
  catalogue: z
    .record(z.string(), z.looseObject({}))
    .describe('models by name, as in {"lmstudio/qwen3": {"windowTokens": 32768}}')
    .optional(),
  run: z.strictObject({
    environment: names('a list of names, as in ["DATABASE_URL", "AWS_*"]').optional(),
  }),
  redactPrompts: z
    .enum(['others', 'always', 'never'])
    .describe('others, always or never')
    .default('others'),
  sessionFolders: z
    .record(z.string(), z.array(z.string().min(1)))
    .describe('folders by agent, as in {"codex": ["~/work/codex-sessions"]}')
    .optional(),
  store: name('sqlite, memory, or the address of a store').default('sqlite'),
})

/** The purpose of each key. */
const ABOUT: Readonly<Record<string, string>> = {
  strategy: 'the default strategy of `precis compact`',
  preset: 'how commands, the automatic trigger and the tool of an agent compact',
  counter: 'the token counter for reports and budgets',
  'gate.minTokens': 'from this size on, a replacement must be smaller than the replaced entries',
  'auto.enabled': 'whether an agent compacts automatically',
  'auto.threshold': 'compact at this share of the window',
  'auto.reserveTokens': 'compact when fewer tokens than this are free',
  'auto.absoluteTokens': 'compact when this many tokens are in use',
  'auto.warningThreshold': 'warn at this share of the window',
  'auto.targetRatio': 'the budget of a compaction, as a share of the window',
  'auto.cooldownMs': 'the minimum time between two compactions',
  autoByModel: 'the `auto` settings of single models, by name',
  pins: 'texts that every compaction keeps word for word',
  'pinning.detect':
    'whether to detect and pin binding sentences of the user; unset: yes, but not in the presets range, whole, fold, log and fresh',
  'pinning.patterns': 'pin user sentences that match; * matches anything',
  'protect.tools': 'tools whose calls and results every compaction keeps; * matches anything',
  'protect.paths': 'files whose reads and edits every compaction keeps; * and ** as in .gitignore',
  'summaries.form': 'how to ask for summaries: in the conversation, or apart as data',
  'summaries.instructions': 'instructions for every summary',
  'summaries.language': 'the language of summaries (default: that of the conversation)',
  'models.default': 'the model of agents and of summaries',
  'models.fast': 'a cheaper model for requests outside the conversation',
  providers: 'addresses and timeouts by provider',
  catalogue: 'windows and prices by model; overrides the built-in list',
  'run.environment': 'extra environment variables for commands of an agent; * matches anything',
  redactPrompts: 'when to remove secrets from prompts for a summary',
  sessionFolders:
    'where `precis sessions` and `precis sync` look, by agent, in place of its own folders',
  store: 'where threads are kept',
}

const LEAVES: ReadonlyMap<string, z.ZodType> = findLeaves(settingsSchema, '')
export const SETTING_KEYS: readonly string[] = [...LEAVES.keys()]

/** The purpose of a setting, and its possible values. */
export function aboutSetting(key: string): { readonly about: string; readonly expected: string } {
  return { about: ABOUT[key] ?? '', expected: bare(LEAVES.get(key))?.description ?? '' }
}

/** The schema of one setting, with its default. */
export function schemaOfSetting(key: string): z.ZodType | undefined {
  return LEAVES.get(key)
}

/** `boolean`, `number`, `array`, …: the type for a value from the environment. */
export function kindOfSetting(key: string): string | undefined {
  return bare(LEAVES.get(key))?.type
}

/** A JSON schema of a settings file, for editors. */
export function settingsJsonSchema(): Json {
  const { $schema, properties, ...rest } = z.toJSONSchema(settingsSchema, {
    io: 'input',
    override: ({ jsonSchema, path }) => {
      const { about, expected } = aboutSetting(
        path.filter((step) => step !== 'properties').join('.'),
      )
      if (about !== '') jsonSchema.description = `${about}: ${expected}`
    },
  })
  const groups = Object.entries(properties ?? {}).map(([field, group]) => [field, optional(group)])
  return {
    $schema,
    title: 'Settings of précis',
    ...optional(rest),
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(groups) },
  } as unknown as Json
}

/** Every setting and every group is optional. */
function optional<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null || !('required' in schema)) return schema
  const { required: _, ...rest } = schema
  return rest as T
}

/** A schema without its default. */
function bare(leaf: z.ZodType | undefined): z.ZodType | undefined {
  if (!(leaf instanceof z.ZodDefault) && !(leaf instanceof z.ZodOptional)) return leaf
  const inner = leaf.unwrap()
  return inner instanceof z.ZodType ? inner : undefined
}

function findLeaves(object: z.ZodObject, prefix: string): Map<string, z.ZodType> {
  const leaves = new Map<string, z.ZodType>()
  for (const [field, inner] of Object.entries(object.shape)) {
    if (inner instanceof z.ZodObject)
      for (const [key, leaf] of findLeaves(inner, `${prefix}${field}.`)) leaves.set(key, leaf)
    else if (inner instanceof z.ZodType) leaves.set(`${prefix}${field}`, inner)
  }
  return leaves
}
