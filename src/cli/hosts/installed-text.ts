// The text of an agent's file with précis in it and without, and what a text says about the installation
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { PrecisError } from '../../core/errors.ts'
import type { HostFile } from './host-file.ts'
import type { Records } from './install-records.ts'

export type Work = 'look' | 'install' | 'uninstall'
export type TextState = 'installed' | 'not installed' | 'outdated'

export function nextText(
  file: HostFile,
  before: string | undefined,
  records: Records,
  work: Work,
): string | undefined {
  const known = records[file.path]
  if (work === 'uninstall') return withoutTrace(file, before, known)
  if (stateOf(file, before, known) === 'installed') return before
  return withOurs(file, withoutOurs(file, before, known))
}

export function changedLines(before = '', next = ''): string[] {
  const [was, is] = [before.split('\n'), next.split('\n')]
  const [wasThere, isThere] = [new Set(was), new Set(is)]
  return [
    ...was.filter((line) => !isThere.has(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !wasThere.has(line)).map((line) => `+ ${line}`),
  ]
}

/** What was there before may hold a part that looks like ours: there is one of it only. */
export function withOurs(file: HostFile, base: string | undefined): string {
  return file.add(base === undefined ? undefined : file.remove(base))
}

/** The file as it was, where nothing else changed it since; else without what is ours. */
export function withoutOurs(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  if (text === undefined) return undefined
  if (known && digestOf(text) === known.after) return known.before ?? undefined
  return file.remove(text, known?.before ?? undefined)
}

/** What the agent itself wrote about précis goes as well; where nothing else is left of its changes, every byte is as it was. */
export function withoutTrace(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  const left = withoutOurs(file, text, known)
  const next = left === undefined ? undefined : (file.forget?.(left) ?? left)
  if (next === undefined || known === undefined) return next
  const before = known.before ?? ''
  return file.isSame?.(next, before) ? (known.before ?? undefined) : next
}

export function stateOf(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): TextState {
  if (text === undefined) return 'not installed'
  const base = withoutOurs(file, text, known)
  if (base === text) return 'not installed'
  try {
    const isSame = file.isSame ?? isSameText
    return isSame(withOurs(file, base), text) ? 'installed' : 'outdated'
  } catch (thrown) {
    if (PrecisError.is(thrown)) return 'outdated' // ours, beside a part of the same name that is not
    throw thrown
  }
}

/** Agents write their own files again, in another order and with other spaces. */
function isSameText(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
  } catch {
    return one === other
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
