// State by kind on sessions that are really carried out: precision, recall and F1 of each in one run.
import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resultRow } from '../../bench/result-row.ts'
import type { Landing, Ledger } from '../../src/core/ledger/records.ts'
import { isWaiting } from '../../src/core/ledger/shell/undone.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { Random } from '../generate/random.ts'
import { SEED, seeds } from '../scale.ts'
import { done, ledgerOf, ran } from './calls.ts'
import { Harbour, moves } from './harbour.ts'
import { addScore, f1, type Score } from './score.ts'

const STEPS = 24
const GOAL = 0.98
const SESSIONS = seeds(10, 2)
const KINDS = [
  ...['todos', 'errors', 'tests', 'branches', 'commits', 'commits not pushed', 'pushes', 'merges'],
  ...['tags', 'pull requests', 'releases'],
] as const

type Told = Readonly<Record<string, readonly string[]>>

/** What the session did beside git, and how it stands at the end. */
class Desk {
  readonly todos = new Map<string, string>()
  readonly errors = new Set<string>()
  readonly tests = new Map<string, boolean>() // by file: whether it fails
  readonly shownTests = new Map<string, string>()
  readonly requests = new Map<number, string>()
  readonly releases: string[] = []
  readonly drafts: EventDraft[]
  readonly #harbour: Harbour
  readonly #root: string
  readonly #agent: string

  constructor(harbour: Harbour, root: string, random: Random) {
    this.#harbour = harbour
    this.#root = root
    this.drafts = harbour.drafts
    this.#agent = random.pick(['TodoWrite', 'update_plan', 'TaskCreate', 'write_todos'])
  }

  /** As each agent writes its list: the whole of it again, or one task at a time. */
  changeTodos(step: number, random: Random): void {
    const open = [...this.todos].filter(([, status]) => status !== 'completed')
    const text = `mend pier ${step}`
    const [changed, was] = open.length > 0 ? random.pick(open) : []
    const isNew = changed === undefined || random.chance(0.4)
    const status = was === 'pending' ? 'in_progress' : 'completed'
    if (isNew) this.todos.set(text, 'pending')
    else this.todos.set(changed, status)
    const all = [...this.todos]
    if (this.#agent === 'TaskCreate') {
      const id = all.findIndex(([each]) => each === changed) + 1
      this.drafts.push(
        ...(isNew
          ? done('TaskCreate', { subject: text, description: 'The whole pier.' }, 'created')
          : done('TaskUpdate', { taskId: String(id), status }, 'updated')),
      )
      return
    }
    const items = all.map(([content, state]) =>
      this.#agent === 'update_plan' ? { step: content, status: state } : { content, status: state },
    )
    const field = this.#agent === 'update_plan' ? 'plan' : 'todos'
    this.drafts.push(...done(this.#agent, { [field]: items }, 'noted'))
    this.errors.delete('')
    // A list that was refused changes nothing, and is an error without a subject until one is taken.
    if (random.chance(0.2)) {
      this.drafts.push(...done(this.#agent, { [field]: [] }, 'invalid', { status: 'failed' }))
      this.errors.add('')
    }
  }

  /** A program that fails, and after a while works. */
  runProgram(step: number, random: Random): void {
    const old = [...this.errors].find((each) => each.startsWith('node '))
    const name =
      old !== undefined && random.chance(0.5) ? old.slice('node '.length) : `tool-${step}.mjs`
    const isBroken = `node ${name}` !== old
    const content = isBroken ? `throw new Error('broken ${step}')\n` : "console.log('built')\n"
    writeFileSync(join(this.#root, name), content)
    this.drafts.push(...done('Write', { file_path: join(this.#root, name), content }, 'written'))
    this.#harbour.run(`node ${name}`)
    if (isBroken) this.errors.add(`node ${name}`)
    else this.errors.delete(`node ${name}`)
  }

  /** Finds nothing, which is no error. */
  lookInVain(): void {
    this.#harbour.run(`grep -rn "no such words here at all $((1))" *.txt`)
  }

  /** Red, then green; sometimes all of them at once. */
  runTests(step: number, random: Random): void {
    const file = random.pick(['tide.test.mjs', 'quay.test.mjs', 'buoy.test.mjs'])
    const isRed = random.chance(0.5)
    const content = `import { test } from 'node:test'\nimport { equal } from 'node:assert'\ntest('holds ${step}', () => equal(1, ${isRed ? 2 : 1}))\n`
    writeFileSync(join(this.#root, file), content)
    this.drafts.push(...done('Write', { file_path: join(this.#root, file), content }, 'written'))
    this.#harbour.run(`node --test ${file} 2>&1`)
    this.shownTests.set(`node --test ${file}`, isRed ? 'red' : 'green')
  }

  /** Recorded output of a host: nothing is opened anywhere. */
  request(step: number, random: Random): void {
    const open = [...this.requests].filter(([, state]) => state === 'open').map(([each]) => each)
    const number = open.length > 0 && random.chance(0.6) ? random.pick(open) : undefined
    if (number === undefined) {
      this.requests.set(step, 'open')
      this.drafts.push(
        ...ran(
          'gh pr create --fill --base main',
          `Creating pull request for mend into main in o/r\n\nhttps://github.com/o/r/pull/${step}`,
        ),
      )
      return
    }
    const merged = `✓ Squashed and merged pull request o/r#${number} (Mend)\n✓ Deleted remote branch mend`
    const closed = `✓ Closed pull request o/r#${number} (Mend)`
    const reopened = `✓ Reopened pull request o/r#${number} (Mend)`
    const how: () => readonly [string, string, string, number?] = () =>
      random.pick([
        ['merged', `gh pr merge ${number} --squash --delete-branch`, merged],
        ['closed', `gh pr close ${number}`, closed],
        ['open', `gh pr merge ${number}`, 'X Pull request is not mergeable', 1],
        ['open', `gh pr view ${number} --json state`, '{"state":"OPEN"}'],
      ] as const)
    const [state, command, output, code = 0] = how()
    this.requests.set(number, state)
    this.drafts.push(...ran(command, output, code))
    if (state === 'closed' && random.chance(0.4)) {
      this.requests.set(number, 'open')
      this.drafts.push(...ran(`gh pr reopen ${number}`, reopened))
    }
    // To be refused is an error until it works.
    if (code !== 0) this.errors.add(command)
    // Another one that is merged shows that merging works again.
    else if (state === 'merged')
      for (const each of this.errors) if (each.startsWith('gh pr merge')) this.errors.delete(each)
  }

  release(step: number, random: Random): void {
    const tag = `v9.${step}`
    const how = random.pick(['create', 'npm', 'dry', 'refused', 'deleted'])
    const url = `https://github.com/o/r/releases/tag/${tag}`
    const create = ran(`gh release create ${tag} --generate-notes`, url)
    if (how === 'create' || how === 'deleted') this.drafts.push(...create)
    if (how === 'create') this.releases.push(tag)
    if (how === 'deleted')
      this.drafts.push(...ran(`gh release delete ${tag} --yes`, `✓ Deleted release ${tag}`))
    if (how === 'npm') {
      this.drafts.push(...ran('npm publish', `npm notice\n+ harbour@9.0.${step}`))
      this.releases.push(`harbour@9.0.${step}`)
      this.errors.delete('npm publish')
    }
    if (how === 'dry') this.drafts.push(...ran('npm publish --dry-run', `+ harbour@9.1.${step}`))
    if (how === 'refused') {
      this.drafts.push(...ran('npm publish', 'npm error code E403\nnpm error 403 Forbidden', 1))
      this.errors.add('npm publish')
    }
  }

  step(step: number, random: Random): void {
    random.pick([
      () => this.changeTodos(step, random),
      () => this.changeTodos(step, random),
      () => this.runProgram(step, random),
      () => this.lookInVain(),
      () => this.runTests(step, random),
      () => this.runTests(step, random),
      () => this.request(step, random),
      () => this.request(step, random),
      () => this.release(step, random),
    ])()
  }
}

function carryOut(base: string, random: Random) {
  const harbour = new Harbour(base)
  const root = join(base, 'work')
  harbour.run("printf '%s\\n' '*.mjs' > .git/info/exclude")
  const desk = new Desk(harbour, root, random)
  for (let step = 1; step <= STEPS; step += 1) {
    random.pick(moves(harbour, step))()
    for (let more = 0; more < 3; more += 1) desk.step(step * 10 + more, random)
  }
  const { drafts, branch, isPushed, commits, pushes, merges, tags } = harbour.worked()
  const truth: Told = {
    todos: [...desk.todos].map((each) => each.join(': ')),
    errors: [...desk.errors],
    tests: [...desk.shownTests].map((each) => each.join(': ')),
    branches: [branch],
    commits: [...new Set(commits)],
    'commits not pushed': isPushed ? [] : ['main'],
    pushes: numbered(Array.from({ length: pushes }, () => 'push')),
    merges: numbered(merges),
    tags,
    'pull requests': [...desk.requests].map(([number, state]) => `#${number} ${state}`),
    releases: desk.releases,
  }
  return { drafts, truth }
}

/** Equal ones count once each. */
function numbered(names: readonly string[]): string[] {
  return names.map(
    (name, at) => `${name} ${names.slice(0, at).filter((each) => each === name).length}`,
  )
}

function toldBy(ledger: Ledger): Told {
  const { landings, todos, errors, tests, tree } = ledger
  const of = (kind: Landing['kind']) =>
    landings.flatMap((each) => (each.kind === kind ? [each.what] : []))
  const numberOf = (what: string) => /(\d+)$/.exec(what)?.[1] ?? what
  const requests = new Map<string, string>()
  for (const { kind, what } of landings) {
    const state = {
      'pull-request': 'open',
      'pull-request-merged': 'merged',
      'pull-request-closed': 'closed',
    }[kind as string]
    if (state !== undefined) requests.set(numberOf(what), state)
  }
  const failing = new Set(tests.flatMap(({ key, isFailed }) => (isFailed ? [key] : [])))
  return {
    todos: todos.map(({ text, status }) => `${text}: ${status}`),
    // What git refuses in between is no part of the truth that is kept here.
    errors: errors.flatMap(({ subject }) =>
      failing.has(subject) || /^git (?!commit)/.test(subject) ? [] : [subject],
    ),
    tests: tests.map(({ key, isFailed }) => `${key}: ${isFailed ? 'red' : 'green'}`),
    branches: tree.branch === undefined ? [] : [tree.branch],
    commits: [...new Set(of('commit').map((what) => what.replace(/^.* on \S+: |^on \S+: /, '')))],
    'commits not pushed': landings.some(
      (each) => each.kind === 'commit' && !/on side-/.test(each.what) && isWaiting(each, landings),
    )
      ? ['main']
      : [],
    pushes: numbered(of('push').map(() => 'push')),
    merges: numbered(of('merge')),
    tags: of('tag'),
    'pull requests': [...requests].map(([number, state]) => `#${number} ${state}`),
    releases: of('release'),
  }
}

it('state by kind, F1 at least 0.98 each', () => {
  const scores = new Map<string, Score>(
    KINDS.map((kind) => [kind, { hits: 0, missed: 0, wrong: 0 }]),
  )
  const wrong: string[] = []
  for (const seed of SESSIONS) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'precis-state-')))
    try {
      const { drafts, truth } = carryOut(base, new Random(seed))
      const told = toldBy(ledgerOf(...drafts))
      for (const [kind, score] of scores) {
        const [is, says] = [new Set(truth[kind]), new Set(told[kind])]
        addScore(score, is, says)
        const missed = [...is].filter((each) => !says.has(each))
        const extra = [...says].filter((each) => !is.has(each))
        if (missed.length + extra.length > 0)
          wrong.push(`seed ${seed}, ${kind}: missed ${missed}; wrong ${extra}`)
      }
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  }
  const figures = [...scores].map(([kind, { hits, missed, wrong: extra }]) => ({
    kind,
    known: hits + missed,
    precision: hits / Math.max(1, hits + extra),
    recall: hits / Math.max(1, hits + missed),
    f1: f1({ hits, missed, wrong: extra }),
  }))
  const { figures: _, ...origin } = resultRow(
    'ledger',
    { seed: SEED, sessions: SESSIONS.length },
    [],
  )
  const results = process.env.PRECIS_LEDGER
  if (results) appendFileSync(results, `${JSON.stringify({ ...origin, kinds: figures })}\n`)
  expect(
    figures.filter((figure) => figure.f1 < GOAL),
    wrong.join('\n'),
  ).toEqual([])
  // A kind that never comes up would prove nothing.
  expect(figures.filter(({ known }) => known === 0)).toEqual([])
}, 1_200_000)
