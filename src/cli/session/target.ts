// The target of a command: a file, standard input, or a thread
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'

export type Target =
  | { readonly kind: 'file'; readonly path: string } // `-` is standard input
  | { readonly kind: 'thread'; readonly threadId: string }

const THREAD = /^thr_\w+$/

/** A file of that name goes before a thread of that name. */
export function targetOf(given: string, command: string, { cwd }: Pick<Io, 'cwd'>): Target {
  if (given === '')
    throw new PrecisError('usage', 'no input', {
      hint: `Name a file or a thread, as in precis ${command} session.jsonl; - reads standard input.`,
    })
  return THREAD.test(given) && !existsSync(resolve(cwd, given))
    ? { kind: 'thread', threadId: given }
    : { kind: 'file', path: given }
}

/** Only threads: files have no such thing. `instead` says what to do with one. */
export function threadTarget(given: string, instead: string): string {
  if (THREAD.test(given)) return given
  throw new PrecisError('usage', `${given} is not a thread`, {
    where: given,
    hint: `A thread is named like thr_0mwh…; precis threads lists them. ${instead}`,
  })
}

/** How people call it. */
export function nameOf(target: Target): string {
  if (target.kind === 'thread') return target.threadId
  return target.path === '-' ? 'standard input' : target.path
}
