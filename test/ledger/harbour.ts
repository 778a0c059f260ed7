// A clone in which commits, pushes, merges and tags are really made, as the calls of an agent.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { EventDraft } from '../../src/core/log/event.ts'
import { ran } from './calls.ts'
import { git } from './disk.ts'

export interface Worked {
  readonly drafts: readonly EventDraft[]
  /** Subjects of the commits of this session that a branch still has. */
  readonly commits: readonly string[]
  readonly hashes: ReadonlySet<string>
  readonly pushes: number
  readonly merges: readonly string[]
  readonly tags: readonly string[]
  readonly branch: string
  readonly isPushed: boolean
}

/** In a clone, with a bare repository that it pushes to, and somebody else who pushes, too. */
export class Harbour {
  readonly drafts: EventDraft[] = []
  readonly merges: string[] = []
  pushes = 0
  readonly #base: string
  readonly #root: string

  constructor(base: string) {
    this.#base = base
    this.#root = join(base, 'work')
    git(base, 'init', '-q', '--bare', '-b', 'main', 'far.git')
    git(base, 'clone', '-q', 'far.git', 'work')
    this.#introduce(this.#root)
    this.git('checkout', '-q', '-b', 'main')
    this.git('commit', '-q', '--allow-empty', '-m', 'start')
    this.git('push', '-q', '-u', 'origin', 'main')
  }

  #introduce(root: string): void {
    git(root, 'config', 'user.email', 'someone@example.com')
    git(root, 'config', 'user.name', 'Someone')
    git(root, 'config', 'advice.detachedHead', 'false')
  }

  git(...args: string[]): string {
    return git(this.#root, ...args).trim()
  }

  run(command: string): boolean {
    const options = { cwd: this.#root, encoding: 'utf8' } as const
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], options)
    this.drafts.push(...ran(command, `${stdout}${stderr}`.trimEnd(), status ?? 1))
    return status === 0
  }

  push(command: string): void {
    if (this.run(command)) this.pushes += 1
  }

  merge(branch: string, command: string): void {
    if (this.run(command)) this.merges.push(branch)
  }

  /** Somebody else pushes to the branch: our next push is rejected. */
  pushedByOthers(step: number): void {
    const other = join(this.#base, `other-${step}`)
    git(this.#base, 'clone', '-q', '-b', 'main', 'far.git', other)
    this.#introduce(other)
    git(other, 'commit', '-q', '--allow-empty', '-m', `theirs ${step}`)
    git(other, 'push', '-q', 'origin', 'main')
  }

  worked(): Worked {
    const { drafts, merges, pushes } = this
    const lines = (text: string) => text.split('\n').filter(Boolean)
    const unpushed = this.git('log', '--format=%s', 'origin/main..main', '--grep', 'step')
    return {
      drafts,
      pushes,
      merges,
      commits: lines(this.git('log', '--branches', '--format=%s', '--grep', 'step')),
      hashes: new Set(lines(this.git('log', '--branches', '--format=%h', '--abbrev=7'))),
      tags: lines(this.git('tag')),
      branch: this.git('branch', '--show-current'),
      isPushed: unpushed === '',
    }
  }
}

/** What a session may do next, always back on `main` at the end. */
export function moves(harbour: Harbour, step: number): readonly (() => void)[] {
  return [...movesOnMain(harbour, step), ...movesBeside(harbour, step)]
}

function movesOnMain(harbour: Harbour, step: number): readonly (() => void)[] {
  const { subject, write, commit } = wordsOf(step)
  return [
    () => harbour.run(commit),
    () => harbour.run(`${write} && git commit -q -m '${subject}' && git status --short`),
    () => harbour.run(`${write} && git commit -m "$(cat <<'EOF'\n${subject}\n\nThe tide.\nEOF\n)"`),
    () => harbour.run('git commit -m "nothing at all"'),
    () => harbour.run(`${commit} && git commit --amend -m "step ${step} again"`),
    () => {
      harbour.run(commit)
      harbour.run('git reset --hard HEAD~1')
    },
    () => {
      harbour.run(commit)
      harbour.run('git reset --soft HEAD^')
      harbour.run(`git commit -m "step ${step} anew"`)
    },
    () => harbour.run(`${commit} && echo more > loose-${step}.txt; git stash -u && git stash pop`),
    () => harbour.push('git push origin main 2>&1'),
    () => harbour.run('git push --dry-run'),
    () => harbour.run('git push elsewhere main'),
    () => {
      harbour.pushedByOthers(step)
      harbour.run(commit)
      harbour.run('git push')
      harbour.run('git pull --rebase')
      harbour.push('git push')
    },
    () => harbour.run(`git tag v1.${step}`),
    () => harbour.run(`git tag -a v2.${step} -m "the second"`),
    () => harbour.run(`git tag -m 'the third' v3.${step} && git push origin v3.${step}`),
    () => {
      harbour.run(`git tag v4.${step}`)
      harbour.run(`git tag -d v4.${step}`)
    },
    () => harbour.run('git tag -l'),
    () => harbour.run('git status'),
  ]
}

/** With another branch, or what takes commits back. */
function movesBeside(harbour: Harbour, step: number): readonly (() => void)[] {
  const { commit } = wordsOf(step)
  const side = `side-${step}`
  return [
    () => {
      harbour.run(`git checkout -b ${side}`)
      harbour.run(commit)
      harbour.run('git checkout main')
      harbour.merge(side, `git merge --no-ff ${side} -m "merge it"`)
      harbour.run(`git branch -d ${side}`)
    },
    () => {
      harbour.run(`git switch -c ${side}`)
      harbour.run(commit)
      harbour.run('git switch main')
      harbour.run(`git branch -D ${side}`)
    },
    () => {
      harbour.run(`git switch -c ${side} && ${commit}`)
      harbour.run('git switch main')
      harbour.merge(side, `git merge --squash ${side}`)
      harbour.run(`git commit -m "step ${step} squashed"`)
    },
    () => {
      harbour.run(`git switch -c ${side} && ${commit}`)
      harbour.run(`git switch main && git cherry-pick ${side}`)
      harbour.run(`git branch -D ${side}`)
    },
    () => {
      harbour.run(commit)
      harbour.run('git revert --no-edit HEAD')
    },
    () => {
      harbour.run(`git switch -c ${side} && ${commit}`)
      harbour.run(`git switch main && git commit --allow-empty -m "step ${step} beside"`)
      harbour.run(`git switch ${side} && git rebase main`)
      harbour.run('git switch main')
      harbour.merge(side, `git merge ${side}`)
      harbour.run(`git branch -d ${side}`)
    },
    () => {
      harbour.run(commit)
      harbour.run(`echo more > more-${step}.txt && git add -A && git commit -m "step ${step} more"`)
      harbour.run(`git reset --soft HEAD~2 && git commit -m "step ${step} as one"`)
    },
    () => {
      harbour.run(commit)
      harbour.run(`echo loose > loose-${step}.txt && git add -A && git stash`)
      harbour.run('git stash drop')
    },
    () => {
      harbour.run(commit)
      harbour.run(`git checkout -b ${side} && git log --oneline -3`)
      harbour.run('git checkout main')
      harbour.push('git push origin main')
    },
    () => {
      harbour.pushedByOthers(step)
      harbour.run(commit)
      harbour.run(`git -C ../other-${step} status`)
      harbour.run(`(cd ../other-${step} && git status); git show HEAD:file-${step}.txt`)
      harbour.run(`git pull --rebase && git status`)
    },
    () => {
      harbour.run(`git worktree add -b ${side} ../${side}`)
      harbour.run(`cd ../${side} && ${commit}`)
      harbour.run(`git worktree remove ../${side}`)
    },
  ]
}

function wordsOf(step: number) {
  const subject = `step ${step} of the pier`
  const write = `echo ${step} > file-${step}.txt && git add -A`
  return { subject, write, commit: `${write} && git commit -m "${subject}"` }
}
