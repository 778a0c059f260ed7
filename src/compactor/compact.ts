// `compact`: an array of messages in, a smaller array of the same kind out
import {
  type Compacted,
  type CompactOptions,
  type CompactWithModel,
  compactMessages,
  type Given,
} from './compact-messages.ts'
import { KIT } from './kit.ts'

/**
 * Makes messages fit a budget. Pure, and synchronous unless a model is given: it reads no clock, makes no ids
 * and keeps nothing. Throws a PrecisError `irreducible` where no way leads below the budget.
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
