// Operations of tools and shell commands on files and the repository, before their result

/** A path as it is written in a call. `glob` where the shell puts the files in that match it. */
export interface Target {
  readonly name: string
  readonly glob?: true
  /** Put together by the shell: it stands nowhere in the call as it is. */
  readonly isComposed?: true
}

/** The file that the tool has open: its result says which. */
export const OPEN_FILE: Target = { name: '' }

export type FileOperation =
  | { readonly op: 'read'; readonly path: Target }
  /** The file is there afterwards, with other content; `isNew` where the tool says what it was before. */
  | { readonly op: 'write'; readonly path: Target; readonly isNew?: boolean }
  /** Changed in part: it was there before. */
  | { readonly op: 'edit'; readonly path: Target }
  /** Content is added, to a new file too. */
  | { readonly op: 'append'; readonly path: Target }
  /** There afterwards; what is there already stays as it is. */
  | { readonly op: 'touch'; readonly path: Target }
  | {
      readonly op: 'delete'
      readonly path: Target
      readonly isDeep?: true
      /** It is no failure if nothing is there. */
      readonly isForced?: true
    }
  | {
      readonly op: 'move' | 'copy'
      readonly path: Target
      readonly to: Target
      readonly into?: true
      /** What is in the folder, and not the folder itself. */
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

/** Two commands and what stands between them. */
export type Joint = ';' | '&&' | '||' | '|'

/** One simple command of a shell, with what it would do. */
export interface Step {
  readonly program: string
  readonly joint: Joint // to the step before
  readonly operations: readonly FileOperation[]
  /** Redirections: the shell makes these files before the command begins, whatever becomes of it. */
  readonly opened: readonly FileOperation[]
  /** In a branch or a loop: nobody sees whether it ran. */
  readonly isMaybe?: true
  /** It may change files in a way that its text does not tell. */
  readonly isUnclear?: true
  /** Its complaints are not shown. */
  readonly isMuted?: true
  /** What its output tells of the folder. */
  readonly shows?: Shows
  /** Begins or ends a subshell, which has a working directory of its own. */
  readonly shell?: 'begin' | 'end'
}

/** What the lines of an output are: paths (`isPartly`: there may be others), or what git says of them. */
export type Shows =
  | {
      readonly kind: 'paths'
      readonly folder: string
      readonly isDeep: boolean
      readonly isPartly?: true
      readonly isBare?: true // names within the folder, not paths from here
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'branch' }
  | { readonly kind: 'folder' }
