// The public surface for interfaces: the protocol, the view of a thread, and core types
export {
  COMMANDS,
  completeCommand,
} from '../core/commands.ts'
export { textOfUserContent } from '../core/content.ts'
export { asPrecisError } from '../core/errors.ts'
export type { ThreadEvent } from '../core/event.ts'
export type { AgentFrame } from '../core/frame.ts'
export { escapeHidden, escapeSteering } from '../core/visible.ts'
export type {
  Approval,
  Client,
  CommandOutcome,
  ContextEntry,
  ContextPicture,
  DiffEntry,
  Hello,
  ModelInfo,
  Preview,
  RecallHit,
  SettingInfo,
  StreamItem,
  ThreadDetail,
  ThreadSummary,
  TimelinePoint,
} from './client.ts'
export { createClient } from './http-client.ts'
export { unknownCommand } from './unknown-command.ts'
export { ThreadView } from './view.ts'
export type {
  AnswerBlock,
  CompactionBlock,
  NoticeBlock,
  ThinkingBlock,
  ToolBlock,
  UserBlock,
  ViewBlock,
} from './view-block.ts'
export type { ViewStatus } from './view-status.ts'
export { errorWords } from './view-texts.ts'
