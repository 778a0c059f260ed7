// `precis/agent`: the agent with its tools, and its parts. For Node.
import '../node-guard.ts'

export { type Agent, createAgent, type SendOutcome } from '../agent/agent.ts'
export type { CommandReply } from '../agent/commands/commands.ts'
export type { AfterReply, BeforeReply, CompactionHooks, HookedRun } from '../agent/hooks.ts'
export { systemPrompt } from '../agent/loop/system-prompt.ts'
export {
  AGENT_LIMITS,
  type AgentModel,
  type AgentPorts,
  type AgentSettings,
  type ApprovalQuestion,
  type Approver,
} from '../agent/ports.ts'
export { type Composed, type ComposeOptions, compose } from '../compose.ts'
export { type AgentOptions, composeAgent } from '../compose-agent.ts'
export { type ApprovalPolicy, judge, patternProblem } from '../core/agent/approval.ts'
export {
  COMMANDS,
  type Command,
  completeCommand,
  nearCommand,
  parseCommand,
} from '../core/agent/commands.ts'
export type * from '../core/agent/frame.ts'
export type * from '../core/agent/tool.ts'
export { codingTools } from '../tools/index.ts'
export { openWorkspace, type Workspace } from '../tools/workspace.ts'
