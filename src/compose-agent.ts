// Wires the agent: its models, tools and `compact`, on top of `compose`.
import { type Agent, createAgent } from './agent/agent.ts'
import type { CompactionHooks } from './agent/hooks.ts'
import type {
  AgentLimits,
  AgentModels,
  AgentPorts,
  AgentSettings,
  Approver,
} from './agent/ports.ts'
import type { Composed } from './compose.ts'
import type { ApprovalPolicy } from './core/agent/approval.ts'
import type { Tool } from './core/agent/tool.ts'
import type { PinningPolicy } from './core/edit/detected-pins.ts'
import type { SummaryForm } from './core/edit/strategy.ts'
import type { AutoSettings } from './core/settings/settings.ts'
import type { PresetId } from './core/window/presets.ts'
import { costOf } from './providers/costs.ts'
import { PROVIDER_ENTRIES } from './providers/entries.ts'
import { checkpointRange, wholeSummary } from './strategies/ranges/agent-replacements.ts'
import { archiveOf } from './threads/archive.ts'
import { compactSchema } from './tools/compact/compact.ts'
import { readCompactInput } from './tools/compact/compact-input.ts'
import { readContextFiles } from './tools/compact/context-files.ts'
import { recallTool } from './tools/compact/recall.ts'
import { codingTools } from './tools/index.ts'
import { openWorkspace } from './tools/workspace.ts'

export interface AgentOptions {
  /** Settings used here; the defaults are those of the preset `precis`. */
  readonly settings?: {
    readonly preset?: PresetId
    readonly auto?: Partial<AutoSettings>
    readonly autoByModel?: AgentSettings['autoByModel']
    readonly gate?: { readonly minTokens: number }
    readonly pins?: readonly string[] | undefined
    readonly pinning?: {
      readonly detect?: boolean | undefined
      readonly patterns?: readonly string[] | undefined
    }
    readonly summaries?: { readonly form?: SummaryForm | undefined }
    readonly models?: { readonly fast?: string | undefined }
    readonly run?: { readonly environment?: readonly string[] | undefined }
  }
  /** The tools' folder for threads without one; without it there are no file tools. */
  readonly workspace?: string
  readonly readOnly?: boolean
  /** The environment of commands, minus keys; default: this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly approval?: ApprovalPolicy
  readonly approver?: Approver
  readonly hooks?: readonly CompactionHooks[]
  /** For background compactions: `openJobs` of `precis/stores`. Close it after the agent. */
  readonly jobs?: AgentPorts['jobs']
  readonly limits?: Partial<AgentLimits>
  readonly reminder?: AgentPorts['reminder']
  /** Added to those for the workspace. */
  readonly tools?: readonly Tool[]
}

/** The dependencies of an agent. */
export type AgentParts = Pick<Composed, 'threads' | 'store' | 'clock' | 'ids' | 'model' | 'models'>

export function composeAgent(parts: AgentParts, options: AgentOptions = {}): Agent {
  const { threads, store, clock, ids } = parts
  const { workspace: root, readOnly = false, environment } = options
  const archive = (threadId: string) => archiveOf({ threads, store }, threadId)
  const recall = recallTool(archive)
  const ports: AgentPorts = {
    threads,
    store,
    clock,
    ids,
    models: listModels(parts),
    compactTool: COMPACT_TOOL,
    tools({ workspace = root }) {
      const given = options.tools ?? []
      if (workspace === undefined) return [...given, recall]
      return [
        ...codingTools({
          workspace: openWorkspace({ root: workspace, readOnly }),
          run: {
            hiddenVariables: KEY_VARIABLES,
            passedVariables: options.settings?.run?.environment ?? [],
            ...(environment && { environment }),
          },
        }),
        ...given,
        recall,
      ]
    },
    async readContextFiles(_threadId, workspace = root, paths, maxTokens) {
      if (workspace === undefined)
        return paths.map((path) => ({ path, error: 'this thread has no directory' }))
      const folder = openWorkspace({ root: workspace, readOnly: true })
      return readContextFiles(folder, paths, maxTokens === undefined ? {} : { maxTokens })
    },
    async recall(threadId, asked) {
      const { signal } = new AbortController()
      const outcome = await recall.run(asked, { threadId, callId: 'command', signal })
      return outcome.content.map(({ text = '' }) => text).join('\n')
    },
    ...(options.approver && { approver: options.approver }),
    ...(options.hooks && { hooks: options.hooks }),
    ...(options.jobs && { jobs: options.jobs }),
    ...(options.reminder && { reminder: options.reminder }),
  }
  return createAgent(ports, readSettings(options))
}

function readSettings({ settings = {}, approval, limits }: AgentOptions): AgentSettings {
  const { preset = 'precis', auto, autoByModel, gate, summaries, models, pins, pinning } = settings
  const form = summaries?.form
  const fastModel = models?.fast
  return {
    preset,
    ...(auto && { auto }),
    ...(autoByModel && { autoByModel }),
    ...(gate && { gateMinTokens: gate.minTokens }),
    ...(pins && { pins }),
    ...(pinning && { pinning: readPinning(pinning) }),
    summaries: { ...(form && { form }), ...(fastModel !== undefined && { fastModel }) },
    ...(approval && { approval }),
    ...(limits && { limits }),
  }
}

function readPinning({
  detect,
  patterns,
}: NonNullable<NonNullable<AgentOptions['settings']>['pinning']>): PinningPolicy {
  return { ...(detect !== undefined && { detect }), ...(patterns && { patterns }) }
}

function listModels({ models, model: summarizer }: AgentParts): AgentModels {
  return {
    summarizer,
    async resolve(name, signal) {
      const { ref, model, provider, window, info } = await (await models()).resolve(name, signal)
      return {
        ref,
        model,
        provider,
        windowTokens: window.tokens,
        isWindowKnown: window.from !== 'default',
        ...(info.outputTokens !== undefined && { outputTokens: info.outputTokens }),
        canThink: info.thinking !== undefined,
        costOf: (usage) => costOf(usage, info),
      }
    },
  }
}

/** Commands never receive provider keys. */
const KEY_VARIABLES = PROVIDER_ENTRIES.flatMap(({ keyVariables }) => keyVariables)

const COMPACT_TOOL: AgentPorts['compactTool'] = {
  schema: compactSchema,
  read: readCompactInput,
  strategy(input, files, callId) {
    if (input.mode === 'ranges') return checkpointRange(input.replacements, callId)
    const { summary, continuation } = input
    return wholeSummary(
      { summary, files, ...(continuation !== undefined && { continuation }) },
      callId,
    )
  },
}
