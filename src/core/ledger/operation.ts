// Operations of tools and shell commands on files and the repository, before their result.

/** A path as written in a call. `glob`: the shell expands it. */
export interface Target {
  readonly name: string
  readonly glob?: true
  /** Composed by the shell: it does not appear literally in the call. */
  readonly isComposed?: true
}

/** The file the tool has open; its result names it. */
export const OPEN_FILE: Target = { name: '' }

export type FileOperation =
  | { readonly op: 'read'; readonly path: Target }
  /** The file exists afterwards with other content; `isNew` if the tool reports its earlier state. */
  | { readonly op: 'write'; readonly path: Target; readonly isNew?: boolean }
  /** Changed in part: it existed before. */
  | { readonly op: 'edit'; readonly path: Target }
  /** Content is appended, also to a new file. */
  | { readonly op: 'append'; readonly path: Target }
  /** Exists afterwards; an existing one is unchanged. */
  | { readonly op: 'touch'; readonly path: Target }
  | {
      readonly op: 'delete'
      readonly path: Target
      readonly isDeep?: true
      /** A missing file is not an error. */
      readonly isForced?: true
    }
  | {
      readonly op: 'move' | 'copy'
      readonly path: Target
      readonly to: Target
      readonly into?: true
      /** The content of the folder, not the folder itself. */
      readonly isContents?: true
    }
  | { readonly op: 'folder'; readonly path: Target; readonly isNew?: true }
  | { readonly op: 'cd'; readonly path: Target; readonly stack?: 'push' | 'pop' }
  | GitOperation

export type GitOperation =
  | { readonly op: 'git-add'; readonly paths: readonly Target[]; readonly tracked?: true }
  | { readonly op: 'git-unstage'; readonly paths: readonly Target[] }
  | { readonly op: 'git-restore'; readonly paths: readonly Target[]; readonly fromHead?: true }
  | { readonly op: 'git-forget'; readonly paths: readonly Target[] }
  | {
      readonly op: 'git-commit'
      readonly all?: true
      readonly paths: readonly Target[]
    }
  | { readonly op: 'git-reset-hard' }
  | { readonly op: 'git-stash'; readonly untracked?: true }
  | { readonly op: 'git-unstash'; readonly keep?: true }
  | { readonly op: 'git-drop' }
  | { readonly op: 'git-clean' }
  | { readonly op: 'git-switch'; readonly branch: string; readonly isNew?: true }

/** The operator between two commands. */
export type Joint = ';' | '&&' | '||' | '|'

/** One simple shell command and its intended effect. */
export interface Step {
  readonly program: string
  readonly joint: Joint // to the previous step
  readonly operations: readonly FileOperation[]
  /** Redirections: the shell creates these files before the command runs, even if it fails. */
  readonly opened: readonly FileOperation[]
  /** In a branch or loop: whether it ran is unknown. */
  readonly isMaybe?: true
  /** It may change files in ways its text does not show. */
  readonly isUnclear?: true
  /** Its errors are not shown. */
  readonly isMuted?: true
  /** What its output shows of the folder. */
  readonly shows?: Shows
  /** Starts or ends a subshell with its own working directory. */
  readonly shell?: 'begin' | 'end'
}

/** What output lines are: paths (`isPartly`: incomplete), or git's report on them. */
export type Shows =
  | {
      readonly kind: 'paths'
      readonly folder: string
      readonly isDeep: boolean
      readonly isPartly?: true
      readonly isBare?: true // names within the folder instead of paths
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'branch' }
  | { readonly kind: 'folder' }
