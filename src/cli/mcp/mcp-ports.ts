// What the MCP server works with
import type { Composed } from '../../compose.ts'
import type { Io } from '../process-io.ts'
import type { ScopePorts } from './session-scope.ts'

export interface McpPorts extends ScopePorts {
  readonly home: Composed
  readonly io: Io
  /** Takes in what the sessions of this project say by now. */
  sync(): Promise<void>
  /** The report of a dry run on a session. */
  propose(session: string): Promise<string>
}
