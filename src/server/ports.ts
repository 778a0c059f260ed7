// The ports of the app: its dependencies and limits.
import type { Agent } from '../agent/agent.ts'
import type { Clock, Ids, Store } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { PresetId } from '../core/window/presets.ts'
import type { ModelInfo, SettingInfo } from '../protocol/client.ts'
import type { Threads } from '../threads/threads.ts'
import type { Page } from './http/page.ts'
import type { Approvals, Peers } from './live/peers.ts'
import type { Presence } from './live/presence.ts'

export interface AppPorts {
  readonly agent: Agent
  readonly threads: Threads
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  /** The same object the agent asks. */
  readonly approvals: Approvals
  readonly models: AppModels
  readonly formats: AppFormats
  readonly workspaces: AppWorkspaces
  readonly version: string // of précis
  readonly defaultPreset: PresetId
  /** Effective settings without secrets. */
  settings(): readonly SettingInfo[]
  readonly access?: Access
  /** Other processes on the same store, if there may be some. */
  readonly peers?: Pick<Peers, 'abort' | 'decide'>
  readonly presence?: Pick<Presence, 'of' | 'on'>
  /** The agent sessions of this machine, if its owner may open them here. */
  readonly machine?: MachineSessions
  /** The web page, if it is served. */
  readonly page?: Page
  readonly limits?: Partial<AppLimits>
}

/** What figures need of a model. */
export interface PricedModel {
  readonly ref: string
  readonly windowTokens?: number
  costOf(usage: TokenUsage): number | undefined
}

export interface AppModels {
  readonly defaultModel?: string
  /** Rejects with what to do about it. */
  resolve(name?: string): Promise<PricedModel>
  list(): Promise<readonly ModelInfo[]>
}

export interface AppFormats {
  readonly read: readonly string[]
  readonly written: readonly string[]
  /** Imports into a new thread and returns its id. Without a format, detects it from the content. */
  importThread(
    file: UploadedFile,
    options: { readonly format?: string; readonly owner?: string },
  ): Promise<string>
  /** Secrets are redacted. */
  exportThread(threadId: string, format: string): Promise<WrittenThread>
}
/** An upload that can be read in chunks, several times. */
export interface UploadedFile {
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}
export interface WrittenThread {
  readonly text: string
  readonly mediaType: string
}

/** The folders of this machine that threads may work in. */
export interface AppWorkspaces {
  readonly default?: string
  /** The folder in its stored form. Throws if it is not allowed or does not exist. */
  require(path: string): string
  /** Project rules of the folder, for the system prompt of new threads. */
  rules?(workspace: string): string | undefined
  /** Throws if a thread that already has this folder may not use it from here. */
  admit(path: string): void
  /** Its files, recursively; ends early when `isOver` returns true. */
  walk(workspace: string, isOver: () => boolean): AsyncIterable<WalkedFile>
}
export interface WalkedFile {
  readonly name: string // relative to the workspace
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly isIgnored: boolean
}

/** The session files of agents on this machine. Routes admit only the machine's owner. */
export interface MachineSessions {
  /** Newest first. */
  list(query: { readonly search?: string; readonly limit: number }): Promise<FoundSessions>
  /** Imports what is new in the session and returns its thread. Rejects for an unlisted session. */
  open(id: string): Promise<string>
  /** Adds the agent's new events to the thread until the returned function is called. */
  follow(threadId: string): () => void
  stateOf(threadId: string): Promise<FileState | undefined>
}
export interface FoundSessions {
  readonly items: readonly {
    readonly id: string
    readonly agent: string
    readonly project?: string
    readonly title?: string
    readonly bytes: number
    readonly updatedAt: Date
    readonly threadId?: string
  }[]
  readonly total: number
  readonly isPartial?: true
}
/** `parted`: the thread and the file are different conversations now. */
export interface FileState {
  readonly agent: string
  readonly state: 'followed' | 'parted'
}

/** Who has access. */
export interface Access {
  /** Host names of this server besides the loopback, with one port or all. */
  readonly hosts?: readonly string[]
  /** Other origins whose pages have access. */
  readonly origins?: readonly string[]
  /** Without it, no token is needed and everyone sees everything. */
  readonly tokens?: AccessTokens
}
export interface AccessTokens {
  /** Whether every request needs a token. */
  readonly isRequired: boolean
  /** The holder of a token; undefined for an unknown one. */
  holderOf(token: string): TokenHolder | undefined
}
export interface TokenHolder {
  readonly name: string // of the token
  /** The owner whose threads it opens; undefined opens all. */
  readonly owner?: string
  /** The token of this machine, on a server without other tokens. */
  readonly isOwnerOfMachine?: true
}

export interface AppLimits {
  readonly bodyBytes: number
  /**
   * For all bodies of one owner at once; all owners together may use twice as much. The next two work alike.
   */
  readonly bodyBytesAtOnce: number
  readonly uploadBytes: number
  readonly uploadsAtOnce: number
  /** For each owner, or for each address without owners. */
  readonly requestsPerMinute: number
  /** Concurrent subscriptions of one owner. */
  readonly streams: number
  /** Queue limit of one subscriber; beyond it, the subscriber is disconnected and may resume. */
  readonly followerItems: number
  readonly followerChars: number
  readonly heartbeatMs: number
  readonly previews: number
  readonly idempotencyKeys: number
  /** After this long without a sign of life the store is probed, and has as long again to answer. */
  readonly storeSilenceMs: number
}

export const APP_LIMITS: AppLimits = {
  bodyBytes: 32_000_000,
  bodyBytesAtOnce: 128_000_000,
  uploadBytes: 128_000_000,
  uploadsAtOnce: 4,
  requestsPerMinute: Number.POSITIVE_INFINITY,
  streams: 1_000,
  followerItems: 10_000,
  followerChars: 64_000_000,
  heartbeatMs: 15_000,
  previews: 32,
  idempotencyKeys: 1_000,
  storeSilenceMs: 2_500,
}
