// Checks the options of a compactor and creates it with a kit's strategies.
import { PrecisError } from '../core/errors.ts'
import * as option from '../core/options.ts'
import { chooseDialect } from '../messages/detect.ts'
import type { Compactor, CompactorOptions } from './compactor-interface.ts'
import { MessageFitter } from './message-compactor.ts'
import { type Kit, requireStrategy } from './run-compaction.ts'

export const COMPACTOR_CHECKS: option.Checks<CompactorOptions> = {
  windowTokens: option.positive,
  at: option.optional(option.share),
  target: option.optional(option.share),
  format: option.optional(option.text),
  strategy: option.optional(option.strategy),
  model: option.optional(option.model),
  instructions: option.optional(option.text),
  pins: option.optional(option.listOf(option.text)),
  refs: option.optional(option.flag),
  store: option.optional(option.having('append', 'read', 'info', 'delete')),
  threadId: option.optional(option.text),
}

const AT = 0.8
const TARGET = 0.5

/** `of` names the function in errors. */
export function compactorWith<M extends object>(
  options: CompactorOptions,
  kit: Kit,
  of = 'createCompactor',
): Compactor<M> {
  option.checkOptions(of, options, COMPACTOR_CHECKS)
  requireStrategy(options.strategy, options.model, kit)
  const { at = AT, target = TARGET } = options
  if (target >= at)
    throw new PrecisError('invalid-input', `${of}: \`target\` must be less than \`at\`.`, {
      where: 'target',
      hint: `Here they are ${target} and ${at}.`,
    })
  if (options.format !== undefined) chooseDialect([], options.format)
  if ((options.store === undefined) !== (options.threadId === undefined))
    throw new PrecisError('invalid-input', `${of}: \`store\` and \`threadId\` go together.`, {
      where: options.store === undefined ? 'store' : 'threadId',
      hint: 'The compactor keeps its state in this thread. You can choose any name.',
    })
  return new MessageFitter<M>({ ...options, at, target }, kit)
}
