// What is known of an agent, and of the surroundings that it runs in.
import type { AgentName } from './installed.ts'

export interface Surroundings {
  /** Of the stand-in. */
  readonly url: string
  readonly home: string
  readonly project: string
  run(name: AgentName, args: readonly string[]): Promise<string>
}

/** A session as the agent names it, and as précis does. */
export interface AgentSession {
  readonly id: string
  readonly target: string
}

export interface Agent {
  readonly name: AgentName
  /** Whether its requests say of a result that it failed. */
  readonly tellsFailures: boolean
  /** Whether its sessions say of a command that it failed: by a flag, or by its exit code. */
  readonly recordsFailures: boolean
  /** Of its files beside those of the home that it gets. */
  readonly environment: (world: Surroundings) => Readonly<Record<string, string>>
  setUp(world: Surroundings): void
  start(prompt: string): readonly string[]
  resume(session: AgentSession, prompt: string): readonly string[]
  /** The session that it recorded last. */
  recorded(world: Surroundings): AgentSession
  /** Puts the text of a session where the agent finds it. */
  adopt(world: Surroundings, text: string): Promise<AgentSession>
}
