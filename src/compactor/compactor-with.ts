// Checks the options of a compactor and creates it, with the strategies of a kit
import { PrecisError } from '../core/errors.ts'
import { dialectOf } from '../messages/detect.ts'
import type { Compactor, CompactorOptions } from './compactor-interface.ts'
import { MessageCompactor } from './message-compactor.ts'
import * as option from './options.ts'
import type { Kit } from './run-compaction.ts'

const CHECKS: option.Checks<CompactorOptions> = {
  windowTokens: option.positive,
  at: option.optional(option.share),
  target: option.optional(option.share),
  format: option.optional(option.text),
  strategy: option.optional(option.strategy),
  model: option.optional(option.model),
  instructions: option.optional(option.text),
  pins: option.optional(option.list),
  refs: option.optional(option.flag),
  store: option.optional(option.having('append', 'read', 'info')),
  threadId: option.optional(option.text),
}

const AT = 0.8
const TARGET = 0.5

export function compactorWith<M extends object>(options: CompactorOptions, kit: Kit): Compactor<M> {
  option.checkOptions('createCompactor', options, CHECKS)
  const { at = AT, target = TARGET } = options
  if (target >= at)
    throw new PrecisError('invalid-input', 'createCompactor: `target` must be less than `at`.', {
      where: 'target',
      hint: `Here they are ${target} and ${at}.`,
    })
  if (options.format !== undefined) dialectOf([], options.format)
  if ((options.store === undefined) !== (options.threadId === undefined))
    throw new PrecisError('invalid-input', 'createCompactor: `store` and `threadId` go together.', {
      where: options.store === undefined ? 'store' : 'threadId',
      hint: 'The thread is where the compactor keeps what it knows; any name will do.',
    })
  return new MessageCompactor<M>({ ...options, at, target }, kit)
}
