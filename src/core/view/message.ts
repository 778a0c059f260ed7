// Provider-neutral messages: roles and parts.
import type { Json } from '../text/json.ts'
import type {
  Block,
  MediaPart,
  NativePart,
  RedactedThinkingPart,
  TextPart,
  ThinkingPart,
  ToolStatus,
} from './content.ts'

/** RANGE's content types, under its names. */
export interface ProviderCheckpointContent {
  readonly type: 'checkpoint'
  readonly id: string
}

export interface ProviderSystemReminderContent {
  readonly type: 'system_reminder'
  readonly text: string
}

export interface ToolCallPart {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/**
 * The entry of a part, for recall. Only on parts that may be shortened on the way to a provider: images, and
 * long texts.
 */
interface Referable {
  readonly ref?: string
}

export interface ToolResultPart extends Referable {
  readonly type: 'tool_result'
  readonly id: string
  readonly content: readonly Block[]
  readonly status: ToolStatus
}

export type MessagePart =
  | (TextPart & Referable)
  | ThinkingPart
  | RedactedThinkingPart
  | (MediaPart & Referable)
  | NativePart
  | ToolCallPart
  | ToolResultPart
  | ProviderCheckpointContent
  | ProviderSystemReminderContent

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly MessagePart[]
}
