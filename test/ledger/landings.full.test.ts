// Commits, pushes, merges and tags that are really made: what the ledger says of them is what git says.
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
import { Harbour, moves, type Worked } from './harbour.ts'

const STEPS = 24 // with more, the oldest landings give way to newer ones

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

  it('shows a pull request that was reopened, and no release that was deleted', () => {
    const told = ledgerOf(
      ...ran('gh pr create --fill', 'https://github.com/o/r/pull/12\n'),
      ...ran('gh pr close 12', '✓ Closed pull request o/r#12 (Mend)'),
      ...ran('gh pr reopen 12', '✓ Reopened pull request o/r#12 (Mend)'),
      ...ran('gh release create v2.0.0 --notes x', 'https://github.com/o/r/releases/tag/v2.0.0'),
      ...ran('gh release delete v2.0.0 --yes', '✓ Deleted release v2.0.0'),
    )
    expect(ledgerLines(told, 100)).toEqual(
      expect.arrayContaining(['pull request opened: https://github.com/o/r/pull/12']),
    )
    expect(told.landings.map(({ kind }) => kind)).toEqual(['pull-request'])
  })

  it('shows a pull request behind any number of commits', () => {
    const commits = Array.from({ length: 90 }, (_, at) =>
      ran(`git commit -m "step ${at}"`, `[main ${1_000_000 + at}] step ${at}`),
    )
    const opened = ran('gh pr create --fill', 'https://github.com/o/r/pull/12\n')
    expect(ledgerLines(ledgerOf(...opened, ...commits.flat()), 100)).toContain(
      'pull request opened: https://github.com/o/r/pull/12',
    )
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

  it('is still open where the same interpreter ran another script', () => {
    const ledger = ledgerOf(
      ...ran('node tool.mjs', 'Error: broken', 1),
      ...ran('python3 check.py', 'Error: broken', 1),
      ...ran('gh pr merge 12', 'X Pull request is not mergeable', 1),
      ...ran('git commit -m "nothing"', 'On branch main\nnothing to commit, working tree clean', 1),
      ...ran('node other.mjs', 'fine'),
      ...ran('python3 -u check.py --quick', 'fine'),
      ...ran('gh pr view 12', 'open'),
      ...ran('npm publish', 'npm error 403', 1),
      ...ran('npm publish --dry-run', '+ pier@1.0.0'),
    )
    const open = ledger.errors.map(({ subject }) => subject)
    expect(open).toEqual(['node tool.mjs', 'gh pr merge 12', 'npm publish'])
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
