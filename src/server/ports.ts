// The ports of the app: its dependencies and limits
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
  /** The same that the agent asks. */
  readonly approvals: Approvals
  readonly models: AppModels
  readonly formats: AppFormats
  readonly workspaces: AppWorkspaces
  readonly version: string // of précis
  readonly defaultPreset: PresetId
  /** In force, secrets taken out. */
  settings(): readonly SettingInfo[]
  readonly access?: Access
  /** Other processes on the same store, where there may be some. */
  readonly peers?: Pick<Peers, 'abort' | 'decide'>
  readonly presence?: Pick<Presence, 'of' | 'on'>
  /** The sessions of agents on this machine, where its owner may open them here. */
  readonly machine?: MachineSessions
  /** The web page, where it is handed out. */
  readonly page?: Page
  readonly limits?: Partial<AppLimits>
}

/** A model as far as figures are made of it. */
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
  /** Into a new thread, whose id it gives back. Without a format, by how the content begins. */
  importThread(
    file: UploadedFile,
    options: { readonly format?: string; readonly owner?: string },
  ): Promise<string>
  /** With secrets taken out. */
  exportThread(threadId: string, format: string): Promise<WrittenThread>
}
/** What someone sent, to be read piece by piece, more than once where that is needed. */
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
  /** The folder as it is to be stored. Throws for one that is not allowed, or not there. */
  require(path: string): string
  /** Rules of the folder, for the system part of new threads. */
  rules?(workspace: string): string | undefined
  /** Throws if a thread that has this folder already may not work in it from here. */
  admit(path: string): void
  /** What is in it, below it too; ends early where `isOver` says so. */
  walk(workspace: string, isOver: () => boolean): AsyncIterable<WalkedFile>
}
export interface WalkedFile {
  readonly name: string // relative to the workspace
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly isIgnored: boolean
}

/** The session files of agents on this machine. Whoever asks must be its owner: the routes see to that. */
export interface MachineSessions {
  /** Newest first. */
  list(query: { readonly search?: string; readonly limit: number }): Promise<FoundSessions>
  /** Imports what is new in the session; its thread. Rejects for one that is not in the list. */
  open(id: string): Promise<string>
  /** Adds what the agent writes to the thread's file, until the function that it gives back is called. */
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
/** `parted`: the thread and the file are not the same conversation any more. */
export interface FileState {
  readonly agent: string
  readonly state: 'followed' | 'parted'
}

/** Who may ask. */
export interface Access {
  /** Names of this server besides those of the loopback, with a port or for every port. */
  readonly hosts?: readonly string[]
  /** Pages of other origins that may ask. */
  readonly origins?: readonly string[]
  /** Without it, nobody is asked for a token, and everybody sees everything. */
  readonly tokens?: AccessTokens
}
export interface AccessTokens {
  /** Whether every request must bring one. */
  readonly isRequired: boolean
  /** Whose it is; undefined if it is none. */
  holderOf(token: string): TokenHolder | undefined
}
export interface TokenHolder {
  readonly name: string // of the token
  /** Whose threads it opens; undefined opens all. */
  readonly owner?: string
  /** The token of this machine, on a server that nobody else has a token for. */
  readonly isOwnerOfMachine?: true
}

export interface AppLimits {
  readonly bodyBytes: number
  /** Of all bodies of one owner together; those of all owners may be twice as many. So with the next two. */
  readonly bodyBytesAtOnce: number
  readonly uploadBytes: number
  readonly uploadsAtOnce: number
  /** For each owner, or for each address if there is none. */
  readonly requestsPerMinute: number
  /** Followers of one owner at once. */
  readonly streams: number
  /** What waits for one follower; more, and it is let go: it can come back and resume. */
  readonly followerItems: number
  readonly followerChars: number
  readonly heartbeatMs: number
  readonly previews: number
  readonly idempotencyKeys: number
  /** After so long without a sign of life of the store it is asked for one, and given as long again. */
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
