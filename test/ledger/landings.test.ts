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

const STEPS = 24

type Truth = Record<'commits' | 'pushes' | 'merges' | 'tags', string[]>

interface Worked {
  readonly drafts: readonly EventDraft[]
  readonly truth: Truth
  readonly isPushed: boolean
  readonly head: string
}

/** In a clone, with a bare repository that it pushes to. The caller removes the folder. */
function carryOut(base: string, random: Random): Worked {
  const root = join(base, 'work')
  git(base, 'init', '-q', '--bare', '-b', 'main', 'far.git')
  git(base, 'clone', '-q', 'far.git', 'work')
  git(root, 'config', 'user.email', 'someone@example.com')
  git(root, 'config', 'user.name', 'Someone')
  git(root, 'checkout', '-q', '-b', 'main')
  git(root, 'commit', '-q', '--allow-empty', '-m', 'start')
  git(root, 'push', '-q', '-u', 'origin', 'main')
  const drafts: EventDraft[] = []
  const truth: Truth = { commits: [], pushes: [], merges: [], tags: [] }
  const run = (command: string) => {
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], {
      cwd: root,
      encoding: 'utf8',
    })
    drafts.push(...ran(command, `${stdout}${stderr}`.trimEnd(), status ?? 1))
    return status === 0
  }
  const head = () => git(root, 'rev-parse', '--short', 'HEAD').trim()
  for (let step = 0; step < STEPS; step += 1) {
    const subject = `step ${step} of the pier`
    const write = `echo ${step} > file-${step}.txt && git add -A`
    const made = random.pick([
      () => run(`${write} && git commit -m "${subject}"`) && truth.commits.push(head()),
      () =>
        run(`${write} && git commit -q -m '${subject}' && git status --short`) &&
        truth.commits.push(subject),
      () =>
        run(
          `${write} && git commit -m "$(cat <<'EOF'\n${subject}\n\nBecause of the tide.\nEOF\n)"`,
        ) && truth.commits.push(head()),
      () => run('git commit -m "nothing at all"'),
      () => run('git push') && truth.pushes.push('push'),
      () => run('git push --dry-run'),
      () => run('git push elsewhere main'),
      () => run(`git tag v1.${step}`) && truth.tags.push(`v1.${step}`),
      () => run('git tag'),
      () => {
        const branch = `side-${step}`
        git(root, 'checkout', '-q', '-b', branch)
        git(root, 'commit', '-q', '--allow-empty', '-m', 'aside')
        git(root, 'checkout', '-q', 'main')
        return run(`git merge --no-ff ${branch} -m "merge it"`) && truth.merges.push(branch)
      },
    ])
    made()
  }
  const isPushed =
    git(root, 'log', '--oneline', 'origin/main..HEAD', '--no-merges', '--grep', 'step').trim() ===
    ''
  return { drafts, truth, isPushed, head: head() }
}

function kinds(landings: readonly Landing[], kind: Landing['kind']): readonly Landing[] {
  return landings.filter((each) => each.kind === kind)
}

describe('what was recorded for good', () => {
  it.each(seeds(4, 4))('is what git knows, seed %i', (seed) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'precis-landings-')))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const { drafts, truth, isPushed } = carryOut(base, new Random(seed))
    const ledger = ledgerOf(...drafts)
    const { landings } = ledger
    const commits = kinds(landings, 'commit')
    expect(commits).toHaveLength(truth.commits.length)
    for (const [at, { what }] of commits.entries()) expect(what).toContain(truth.commits[at])
    expect(kinds(landings, 'push')).toHaveLength(truth.pushes.length)
    expect(kinds(landings, 'tag').map(({ what }) => what)).toEqual(truth.tags)
    expect(kinds(landings, 'merge').map(({ what }) => what)).toEqual(truth.merges)
    const told = ledgerLines(ledger, 400).find((line) => line.startsWith('last commit'))
    if (commits.length > 0) expect(told?.includes('not pushed'), told).toBe(!isPushed)
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
