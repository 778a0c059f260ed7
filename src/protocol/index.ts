// The public surface for interfaces: the protocol, the view of a thread, and core types
export {
  COMMANDS,
  completeCommand,
  parseCommand,
} from '../core/agent/commands.ts'
export type { AgentFrame } from '../core/agent/frame.ts'
export { renderSizes } from '../core/edit/report-text.ts'
export { asPrecisError, errorWords } from '../core/errors.ts'
export type { ThreadEvent } from '../core/log/event.ts'
export { isStandIn } from '../core/model.ts'
export { escapeHidden, escapeSteering } from '../core/text/visible.ts'
export { markPasted, textOfUserContent } from '../core/view/content.ts'
export type {
  Approval,
  Client,
  CommandOutcome,
  ContextEntry,
  ContextPicture,
  DiffEntry,
  EntryPlace,
  Hello,
  MachineSession,
  ModelInfo,
  Preview,
  RecallHit,
  ReportFigures,
  SettingInfo,
  StreamItem,
  ThreadDetail,
  ThreadSummary,
  TimelinePoint,
  ViewDiff,
} from './client.ts'
export { createClient } from './http-client.ts'
export { ThreadView, unknownCommand } from './view.ts'
export {
  type AnswerBlock,
  bytesText,
  type EditBlock,
  inputText,
  type NoticeBlock,
  type ShownImage,
  type ThinkingBlock,
  type ToolBlock,
  type UserBlock,
  type ViewBlock,
  type ViewStatus,
} from './view-texts.ts'
