// `compact`: makes an array of messages smaller, in the same format.
import {
  type Compacted,
  type CompactOptions,
  type CompactWithModel,
  compactMessages,
  type Given,
} from './compact-messages.ts'
import { KIT } from './kit.ts'

/**
 * Makes messages fit a budget. Pure, and synchronous without a model: reads no clock, creates no ids, keeps
 * no state. Throws a PrecisError `irreducible` if the budget cannot be reached.
 */
export function compact<M extends object>(
  messages: readonly M[],
  options: CompactWithModel<M>,
): Promise<Compacted<M>>
export function compact<M extends object>(
  messages: readonly M[],
  options: CompactOptions<M>,
): Compacted<M>
export function compact<M extends object>(
  messages: readonly M[],
  options: Given<M>,
): Compacted<M> | Promise<Compacted<M>> {
  return compactMessages(messages, options, KIT)
}
