// The effects of a git command on files, index and branch, from its arguments.
import type { FileOperation, GitOperation, Shows, Target } from '../operation.ts'
import type { Effect } from './programs.ts'
import { type Arguments, findTargets, hasAny, readArguments, readTarget } from './programs.ts'
import type { ShellWord } from './text.ts'

export interface GitEffect extends Effect {
  readonly shows?: Shows
}

const NOTHING: GitEffect = { operations: [], isUnclear: false }
const UNCLEAR: GitEffect = { operations: [], isUnclear: true }
/** They only read, or use other repositories; no file changes. */
const HARMLESS = new Set(
  `log diff show blame describe rev-parse remote fetch push tag config reflog shortlog cat-file
  name-rev for-each-ref ls-tree ls-remote grep bisect-log merge-base rev-list show-ref var version
  check-ignore symbolic-ref init count-objects diff-tree whatchanged help annotate gc fsck`.split(
    /\s+/,
  ),
)
const GLOBAL_VALUES = ['-C', '-c', '--git-dir', '--work-tree']

export function gitEffect(words: readonly ShellWord[]): GitEffect {
  const at = subcommandAt(words)
  const name = words[at]?.text ?? ''
  // Another folder or repository: its paths do not belong here.
  if (words.slice(0, at).some(({ text = '' }) => /^(?:-C|--git-dir|--work-tree)/.test(text)))
    return HARMLESS.has(name) ? NOTHING : UNCLEAR
  if (HARMLESS.has(name)) return NOTHING
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return known?.(words.slice(at + 1)) ?? UNCLEAR
}

/** `git -C folder …` runs the rest there. */
export function gitFolder(
  words: readonly ShellWord[],
): { readonly folder: Target; readonly words: readonly ShellWord[] } | undefined {
  const [, option, value] = words
  const folder = option?.text === '-C' && value && !value.glob ? readTarget(value) : undefined
  return folder && { folder, words: [...words.slice(0, 1), ...words.slice(3)] }
}

function subcommandAt(words: readonly ShellWord[]): number {
  let at = 0
  while (words[at]?.text?.startsWith('-'))
    at += GLOBAL_VALUES.includes(words[at]?.text ?? '') ? 2 : 1
  return at
}

const COMMANDS: Readonly<Record<string, (words: readonly ShellWord[]) => GitEffect>> = {
  add(words) {
    const { options, rest } = readArguments(words)
    if (hasAny(options, '-p', '--patch', '-n', '--dry-run', '-N', '-i', '-e')) return UNCLEAR
    if (hasAny(options, '-A', '--all') && rest.length === 0) return of({ op: 'git-add', paths: [] })
    if (hasAny(options, '-u', '--update')) return onPaths(rest, 'git-add', { tracked: true })
    return rest.length === 0 ? NOTHING : onPaths(rest, 'git-add')
  },
  stage: (words) => COMMANDS.add?.(words) ?? NOTHING,
  rm(words) {
    const { options, rest } = readArguments(words)
    if (hasAny(options, '--cached')) return onPaths(rest, 'git-forget')
    const { targets, isUnclear } = findTargets(rest)
    const deletes = targets.map((path): FileOperation => ({ op: 'delete', path, isDeep: true }))
    const forgets: FileOperation = { op: 'git-forget', paths: targets }
    return { operations: [...deletes, forgets], isUnclear }
  },
  mv(words) {
    const { rest } = readArguments(words)
    const { targets, isUnclear } = findTargets(rest)
    const to = targets.at(-1)
    if (to === undefined || isUnclear) return UNCLEAR
    const from = targets.slice(0, -1)
    const into = from.length > 1 && { into: true as const }
    const moves = from.map((path): FileOperation => ({ op: 'move', path, to, ...into }))
    return of(...moves, { op: 'git-forget', paths: from }, { op: 'git-add', paths: [to] })
  },
  commit(words) {
    const { options, rest } = readArguments(words, [
      '-m',
      '-F',
      '-C',
      '--message',
      '--author',
      '-am',
    ])
    if (hasAny(options, '-p', '--patch', '--dry-run')) return UNCLEAR
    const all = hasAny(options, '-a', '--all')
    const { targets, isUnclear } = findTargets(rest)
    const commit: GitOperation = { op: 'git-commit', paths: targets, ...(all && { all }) }
    return { operations: [commit], isUnclear }
  },
  restore(words) {
    const { options, values, rest } = readArguments(words, ['-s', '--source'])
    const source = values.get('-s') ?? values.get('--source')
    if (source !== undefined && source.text !== 'HEAD') return UNCLEAR
    const isStaged = hasAny(options, '-S', '--staged')
    if (!isStaged) return onPaths(rest, 'git-restore', source && { fromHead: true })
    return hasAny(options, '-W', '--worktree')
      ? onPaths(rest, 'git-restore', { fromHead: true })
      : onPaths(rest, 'git-unstage')
  },
  checkout,
  switch: switchBranch,
  reset(words) {
    const { options, rest, behindDashes } = readArguments(words)
    const isHead = rest.length === 0 || rest[0]?.text === 'HEAD'
    if (hasAny(options, '--hard')) return isHead ? of({ op: 'git-reset-hard' }) : UNCLEAR
    if (hasAny(options, '--soft', '--merge', '--keep')) return isHead ? NOTHING : UNCLEAR
    const paths = behindDashes ?? (isHead ? rest.slice(1) : rest)
    // A word that is not a path is a commit with unknown files.
    if (!isHead && behindDashes === undefined && !looksLikePath(rest[0])) return UNCLEAR
    return onPaths(paths, 'git-unstage')
  },
  stash(words) {
    const { options, rest } = readArguments(words, ['-m', '--message'])
    const action = rest[0]?.text ?? 'push'
    const untracked = hasAny(options, '-u', '--include-untracked') && { untracked: true as const }
    if (action === 'push' || action === 'save')
      return rest.length > 1 && action === 'push' ? UNCLEAR : of({ op: 'git-stash', ...untracked })
    const isNewest = rest.length === 1 || rest[1]?.text === 'stash@{0}' || rest[1]?.text === '0'
    if (action === 'pop') return isNewest ? of({ op: 'git-unstash' }) : UNCLEAR
    if (action === 'apply') return isNewest ? of({ op: 'git-unstash', keep: true }) : UNCLEAR
    if (action === 'drop') return isNewest ? of({ op: 'git-drop' }) : UNCLEAR
    return action === 'list' || action === 'show' ? NOTHING : UNCLEAR
  },
  clean(words) {
    const { options, rest } = readArguments(words)
    if (hasAny(options, '-n', '--dry-run')) return NOTHING
    return rest.length === 0 && !hasAny(options, '-x', '-X') ? of({ op: 'git-clean' }) : UNCLEAR
  },
  branch(words) {
    const { options } = readArguments(words)
    return hasAny(options, '--show-current') ? { ...NOTHING, shows: { kind: 'branch' } } : NOTHING
  },
  status(words) {
    const { options, behindDashes } = readArguments(words)
    const isUsual =
      behindDashes === undefined && !hasAny(options, '-z', '--ignored', '--porcelain=v2')
    return isUsual ? { ...NOTHING, shows: { kind: 'status' } } : NOTHING
  },
  'ls-files': (words) =>
    words.length === 0
      ? { ...NOTHING, shows: { kind: 'paths', folder: '', isDeep: true, isPartly: true } }
      : NOTHING,
  worktree: () => NOTHING,
}

function checkout(words: readonly ShellWord[]): GitEffect {
  const { options, rest, behindDashes } = readArguments(words)
  if (hasAny(options, '-p', '--patch')) return UNCLEAR
  if (hasAny(options, '-b', '-B')) return switchBranch(words)
  const before = rest.slice(0, rest.length - (behindDashes?.length ?? 0))
  if (behindDashes !== undefined) {
    const from = before[0]?.text
    if (from === undefined) return onPaths(behindDashes, 'git-restore')
    return from === 'HEAD' ? onPaths(behindDashes, 'git-restore', { fromHead: true }) : UNCLEAR
  }
  if (before[0]?.text === 'HEAD' && before.length > 1)
    return onPaths(before.slice(1), 'git-restore', { fromHead: true })
  const [only] = before
  if (before.length === 1 && only && !looksLikePath(only)) return switchBranch(words)
  return before.length > 0 && before.every(looksLikePath) ? onPaths(before, 'git-restore') : UNCLEAR
}

function switchBranch(words: readonly ShellWord[]): GitEffect {
  const { options, rest } = readArguments(words)
  const isNew = hasAny(options, '-c', '-C', '-b', '-B', '--create')
  const branch = rest[0]?.text
  if (branch === undefined || hasAny(options, '--orphan', '-d', '--detach', '-f', '--force'))
    return UNCLEAR
  // A new branch may start elsewhere.
  if (rest.length > 1) return UNCLEAR
  return of({ op: 'git-switch', branch, ...(isNew && { isNew: true as const }) })
}

/** `checkout x` names a file or a branch: a dot or trailing slash means files. */
function looksLikePath(word: ShellWord | undefined): boolean {
  const text = word?.text ?? ''
  return (
    text === '.' || text.endsWith('/') || /\.[A-Za-z]\w{0,5}$/.test(text) || word?.glob === true
  )
}

function of(...operations: readonly FileOperation[]): GitEffect {
  return { operations, isUnclear: false }
}

type OnPaths = Extract<GitOperation, { readonly paths: readonly Target[] }>

function onPaths(
  words: Arguments['rest'],
  op: Exclude<OnPaths['op'], 'git-commit'>,
  more?: object,
): GitEffect {
  const { targets, isUnclear } = findTargets(words)
  if (isUnclear && targets.length === 0) return UNCLEAR
  return { operations: [{ op, paths: targets, ...more } as GitOperation], isUnclear }
}
