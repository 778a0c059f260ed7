// Commits, pushes, merges and tags that are really made: what the ledger says of them is what git says.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ledgerLines } from '../../src/core/ledger/ledger-lines.ts'
import type { Landing } from '../../src/core/ledger/records.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { Random } from '../generate/random.ts'
import { seeds } from '../scale.ts'
import { ledgerOf, ran } from './calls.ts'
import { git } from './disk.ts'

const STEPS = 24 // with more, the oldest landings give way to newer ones

interface Worked {
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
class Harbour {
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
function moves(harbour: Harbour, step: number): readonly (() => void)[] {
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

function carryOut(base: string, random: Random): Worked {
  const harbour = new Harbour(base)
  for (let step = 0; step < STEPS; step += 1) random.pick(moves(harbour, step))()
  return harbour.worked()
}

function toldBy(landings: readonly Landing[], kind: Landing['kind']): readonly string[] {
  return landings.filter((each) => each.kind === kind).map(({ what }) => what)
}

describe('what was recorded for good', () => {
  it.each(seeds(4, 2))('is what git knows, seed %i', (seed) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'precis-landings-')))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const { drafts, branch, isPushed, ...truth } = carryOut(base, new Random(seed))
    const ledger = ledgerOf(...drafts)
    const { landings } = ledger
    const subjects = toldBy(landings, 'commit').map((what) =>
      what.replace(/^.* on \S+: |^on \S+: /, ''),
    )
    // A rebase leaves the old commit on the branches that began behind it.
    expect(new Set(subjects)).toEqual(new Set(truth.commits))
    const hashes = toldBy(landings, 'commit').flatMap((what) => /^[0-9a-f]{7}/.exec(what) ?? [])
    expect(hashes.filter((hash) => !truth.hashes.has(hash))).toEqual([])
    expect(toldBy(landings, 'push')).toHaveLength(truth.pushes)
    expect(toldBy(landings, 'tag').toSorted()).toEqual(truth.tags.toSorted())
    expect(toldBy(landings, 'merge')).toEqual(truth.merges)
    const lines = ledgerLines(ledger, 400)
    expect(lines.filter((line) => line.startsWith('branch: '))).toEqual(
      lines.some((line) => line.startsWith('branch: ')) ? [`branch: ${branch}`] : [],
    )
    const ours = landings.filter((each) => each.kind === 'commit' && !/on side-/.test(each.what))
    const told = ledgerLines(
      {
        ...ledger,
        landings: landings.filter((each) => each.kind === 'push' || ours.includes(each)),
      },
      400,
    ).find((line) => line.startsWith('last commit'))
    if (ours.length > 0) expect(told?.includes('not pushed'), told).toBe(!isPushed)
  })

  const RECORDED = [
    [
      'gh pr create --fill',
      'https://github.com/o/r/pull/12\n',
      'pull request opened: https://github.com/o/r/pull/12',
    ],
    [
      'gh pr merge 12 --squash',
      '✓ Squashed and merged pull request #12 (Mend)',
      'pull request merged: #12',
    ],
    [
      'gh release create v2.0.0 --notes x',
      'https://github.com/o/r/releases/tag/v2.0.0',
      'released: v2.0.0',
    ],
    [
      'gh pr close 12 --delete-branch',
      '✓ Closed pull request o/r#12 (Mend)\n✓ Deleted branch mend',
      'pull request closed: #12',
    ],
    ['npm publish', 'npm notice\n+ harbour@2.0.0', 'released: harbour@2.0.0'],
    [
      'cd x && git push -u origin mend 2>&1',
      'To https://github.com/o/r.git\n * [new branch]      mend -> mend\nbranch set up',
      'last push: mend',
    ],
    [
      'git push --force-with-lease',
      ' + 4405459...9a3beda mend -> mend (forced update)',
      'last push: mend at 9a3beda',
    ],
  ] as const
  it.each(RECORDED)('is read from %s', (command, output, line) => {
    expect(ledgerLines(ledgerOf(...ran(command, output)), 100)).toContain(line)
  })

  it('is not what failed, was only tried, or is replaced', () => {
    const refused = ran('git push', '! [rejected] main -> main (fetch first)\nerror: failed', 1)
    const drawn = ran('echo "git push"; grep -rn "git commit" docs', 'docs/a.md: git commit -m x')
    expect(ledgerOf(...refused, ...drawn).landings).toEqual([])
    const amended = ledgerOf(
      ...ran('git commit -m one', '[main 1111111] one'),
      ...ran('git commit --amend --no-edit', '[main 2222222] one'),
    )
    expect(amended.landings.map(({ what }) => what)).toEqual(['2222222 on main: one'])
  })

  it('is no pull request that is merged later', () => {
    const later = '✓ Pull request o/r#12 will be automatically merged via squash when it can be'
    expect(ledgerOf(...ran('gh pr merge 12 --auto --squash', later)).landings).toEqual([])
    const queued = '✓ Pull request o/r#12 will be added to the merge queue for main'
    expect(ledgerOf(...ran('gh pr merge 12', queued)).landings).toEqual([])
  })

  it('shows a pull request only as it stands now', () => {
    const opened = (number: number) =>
      ran('gh pr create --fill', `https://github.com/o/r/pull/${number}\n`)
    const lines = ledgerLines(
      ledgerOf(
        ...opened(12),
        ...opened(13),
        ...opened(14),
        ...ran('gh pr merge 12 --squash', '✓ Squashed and merged pull request #12 (Mend)'),
        ...ran('gh pr close 13', '✓ Closed pull request o/r#13 (Other)'),
      ),
      100,
    )
    expect(lines.filter((line) => line.startsWith('pull request'))).toEqual([
      'pull request opened: https://github.com/o/r/pull/14',
      'pull request merged: #12',
      'pull request closed: #13',
    ])
  })

  it('counts a commit as pushed only where its branch was', () => {
    const ledger = ledgerOf(
      ...ran('git commit -m one', '[main 1111111] one'),
      ...ran('git push origin mend', ' * [new branch]      mend -> mend'),
    )
    expect(ledgerLines(ledger, 100)).toContain(
      'last commit of 1, 1 not pushed: 1111111 on main: one',
    )
  })
})

describe('a commit that waits for a push', () => {
  const commit = ran('git commit -m one', '[harbour 1111111] one')
  const push = ran('git push -u origin pier', ' * [new branch]      pier -> pier')
  const isPushed = (...drafts: readonly EventDraft[]) =>
    ledgerLines(ledgerOf(...drafts), 100).some((line) =>
      line.startsWith('last commit of 1, pushed'),
    )

  it('is on a branch whose log shows it, whatever branch it was made on', () => {
    const log = '1111111 one\n2222222 older'
    expect(isPushed(...commit, ...push)).toBe(false)
    expect(
      isPushed(...commit, ...ran('git switch pier && git log --oneline -3', log), ...push),
    ).toBe(true)
    const others = ['git log --oneline --all', 'git log --oneline harbour', 'git log -3 main..pier']
    for (const other of others)
      expect(isPushed(...commit, ...ran('git switch pier'), ...ran(other, log), ...push)).toBe(
        false,
      )
    expect(
      isPushed(...commit, ...ran('git switch pier && git log --oneline', '3333333 x'), ...push),
    ).toBe(false)
  })

  it('is pushed where git says that the branch is up to date', () => {
    const status = (branch: string) =>
      ran(
        'git status',
        `On branch harbour\nYour branch is up to date with 'origin/${branch}'.\n\nnothing to commit`,
      )
    expect(isPushed(...commit)).toBe(false)
    expect(isPushed(...commit, ...status('harbour'))).toBe(true)
    expect(isPushed(...commit, ...status('main'))).toBe(false)
    expect(isPushed(...status('harbour'), ...commit)).toBe(false)
  })

  const upToDate = "On branch harbour\nYour branch is up to date with 'origin/harbour'."
  const ELSEWHERE = [
    'cd ../other && git status',
    '(cd ../other && git status)',
    'cd ../other && git status; cd -',
    'git -C ../other status',
    'git --git-dir ../other/.git status',
    'GIT_DIR=../other/.git git status',
    'cd "$(mktemp -d)" && git status',
    'git show HEAD:README',
    'cat README && git status --short',
    'git status --short; git cat-file -p HEAD:README',
    'git log -1 --format=%B',
    'echo "git status"; cat notes',
  ]
  it.each(ELSEWHERE)('still waits after %s', (command) => {
    const ledger = ledgerOf(...commit, ...ran(command, upToDate))
    expect(toldBy(ledger.landings, 'push')).toEqual([])
    expect(isPushed(...commit, ...ran(command, upToDate))).toBe(false)
  })

  it.each(['git switch harbour', 'git status && git diff --stat', 'git status | head -4'])(
    'waits no more after %s',
    (command) => expect(isPushed(...commit, ...ran(command, upToDate))).toBe(true),
  )

  it('waits in a shell that was left in another repository', () => {
    const there = [...ran('cd ../other'), ...ran('git status', upToDate)]
    expect(isPushed(...commit, ...there)).toBe(false)
  })

  it('is on both branches where a branch was begun behind it', () => {
    const log = ran('git checkout -b feature && git log --oneline', '1111111 one\n2222222 older')
    const toHarbour = ran('git push origin harbour', ' * [new branch]      harbour -> harbour')
    const toFeature = ran('git push origin feature', ' * [new branch]      feature -> feature')
    expect(isPushed(...commit, ...log)).toBe(false)
    expect(isPushed(...commit, ...log, ...toFeature)).toBe(true)
    expect(isPushed(...commit, ...log, ...ran('git checkout harbour'), ...toHarbour)).toBe(true)
    const reset = ran('git checkout harbour && git reset --hard HEAD~1', 'HEAD is now at 2222222 o')
    expect(isPushed(...commit, ...log, ...reset, ...toHarbour)).toBe(false)
    expect(isPushed(...commit, ...log, ...reset, ...toFeature)).toBe(true)
  })
})

describe('what failed and works again', () => {
  it('is no open error: the same program with the same subcommand worked', () => {
    const ledger = ledgerOf(
      ...ran('pnpm run build --filter a', 'error: boom', 1),
      ...ran('/opt/jdk/bin/javap -p Dvc', 'javap: not found', 127),
      ...ran('gh pr view 12 --json x', 'Unknown JSON field', 1),
      ...ran('pnpm run build'),
      ...ran('javap -p out/Dvc'),
    )
    expect(ledger.errors.map(({ subject }) => subject)).toEqual(['gh pr view 12 --json x'])
  })

  it('is no failing test: a wider run passed', () => {
    const ledger = ledgerOf(
      ...ran('cargo test -p core config::', 'error: unexpected argument', 1),
      ...ran('cargo +1.90.0 test --no-run', 'error: toolchain', 1),
      ...ran('cargo test -p core', 'test result: ok. 5 passed; 0 failed;'),
    )
    const failing = (tests: typeof ledger.tests) => tests.filter(({ isFailed }) => isFailed)
    expect(failing(ledger.tests).map(({ key }) => key)).toEqual(['cargo +1.90.0 test --no-run'])
    expect(ledgerLines(ledger, 100)).toContain(
      'tests pass: cargo test -p core (0 failed, 5 passed)',
    )
  })
})
