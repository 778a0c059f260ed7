// Sentences for what a format cannot say, where its writer does not report it itself.
import type { MessagePart } from '../core/view/message.ts'
import { findWorkplace } from './reading/workplace.ts'
import type { Loss, Outgoing } from './session-format.ts'

/** A sentence for each loss that writing this context will bring. */
export function lossesIn({ view, events = [] }: Outgoing, losses: readonly Loss[]): string[] {
  const parts = view.messages.flatMap((message) => message.parts)
  const said = losses.flatMap((loss) => {
    const { sentence, meets } = SIGNS[loss] ?? {}
    return sentence !== undefined && parts.some((part) => meets?.(part)) ? [sentence] : []
  })
  const isPlaceLost = losses.includes('workplace') && findWorkplace(events) !== undefined
  return isPlaceLost ? [...said, 'the working directory has no place in this format'] : said
}

interface Sign {
  readonly sentence: string
  meets(part: MessagePart): boolean
}

/** The losses that the modules for the wire do not report themselves. */
const SIGNS: { readonly [L in Loss]?: Sign } = {
  failures: {
    sentence: 'only the text of a result says that its tool failed',
    meets: (part) => part.type === 'tool_result' && part.status !== 'completed',
  },
  'failure-kinds': {
    sentence: 'an aborted or denied result was written as a failed one',
    meets: (part) =>
      part.type === 'tool_result' && (part.status === 'aborted' || part.status === 'denied'),
  },
  documents: {
    sentence: 'a document was written in the form that the API takes',
    meets: (part) => part.type === 'document',
  },
  'result-media': {
    sentence: 'an image in a result was moved behind it',
    meets: (part) =>
      part.type === 'tool_result' && part.content.some((block) => block.type !== 'text'),
  },
  'result-blocks': {
    sentence: 'the texts of a result were joined',
    meets: (part) => part.type === 'tool_result' && part.content.length > 1,
  },
  'empty-results': {
    sentence: 'an empty result was given a word',
    meets: (part) =>
      part.type === 'tool_result' && part.content.every((block) => block.text?.trim() === ''),
  },
  checkpoints: {
    sentence: 'a checkpoint was written as text',
    meets: (part) => part.type === 'checkpoint',
  },
  reminders: {
    sentence: 'a reminder was written as text of the user',
    meets: (part) => part.type === 'system_reminder',
  },
  arguments: {
    sentence: 'arguments that are no object were wrapped in one',
    meets: (part) =>
      part.type === 'tool_call' &&
      (typeof part.arguments !== 'object' ||
        part.arguments === null ||
        Array.isArray(part.arguments)),
  },
}
