// Removes landings that a command undid: reset commits, deleted tags and branches.
import type { Landing } from '../records.ts'
import type { CommandEnd } from './outcome.ts'

const COMMIT = /^(?:([0-9a-f]{7,40}) )?on (\S+): /
const GIT = 'git(?: +-[cC] +\\S+| +--\\S+)*'
const RESET = new RegExp(`\\b${GIT} +reset\\b([^;&|\\n]*)`)

/** The branch of a commit, if its output named it. */
function branchOf({ what }: Landing): string | undefined {
  return COMMIT.exec(what)?.[2]
}

function branchesOf(commit: Landing): readonly (string | undefined)[] {
  return [branchOf(commit), ...(commit.alsoOn ?? []).map(({ branch }) => branch)]
}

/** Empty if it was only on this branch. */
function takenOff(commit: Landing, branch: string | undefined): readonly Landing[] {
  const { alsoOn = [], ...rest } = commit
  if (branch === undefined || alsoOn.length === 0) return []
  const others = alsoOn.filter((each) => each.branch !== branch)
  if (branchOf(commit) !== branch)
    return [{ ...rest, ...(others.length > 0 && { alsoOn: others }) }]
  const [next, ...further] = others
  if (!next) return []
  const what = rest.what.replace(/ on \S+: |^on \S+: /, (on) =>
    on.replace(/on \S+: $/, () => `on ${next.branch}: `),
  )
  return [{ ...rest, what, ...(further.length > 0 && { alsoOn: further }) }]
}

/** Pushing another branch does not push a commit; with an unknown branch any push counts. */
export function isWaiting(commit: Landing, landings: readonly Landing[]): boolean {
  const on = [{ branch: branchOf(commit), at: commit.at }, ...(commit.alsoOn ?? [])]
  return !landings.some(({ kind, what, at }) => {
    const to = what.split(' at ')[0]?.split(/[\s:]/).at(-1) ?? ''
    const isOf = (branch: string | undefined) =>
      branch === undefined || [branch, '', 'origin', 'HEAD'].includes(to)
    return kind === 'push' && on.some((each) => at >= each.at && isOf(each.branch))
  })
}

/** A log without range or ref: starts at the checked-out commit. */
const PLAIN_LOG = new RegExp(
  `\\b${GIT} +log((?: +(?:-\\d+|-n +\\d+|--oneline|--no-decorate))*) *(?:2>\\S+ *)?(?:[;&|\\n]|$)`,
)
const LOOK = new RegExp(`\\b${GIT} +(?:status|checkout|switch)\\b`)
const MOST_BRANCHES = 8
const UP_TO_DATE = /^Your branch is up to date with '[^'/\s]+\/([^'\s]+)'/m
/** File output says nothing about the repository; the others look at another one. */
const OTHER_SOURCE =
  /\bgit\b[^;&|\n]* (?:show|cat-file|--git-dir|--work-tree)\b|\bGIT_(?:DIR|WORK_TREE)=/
const PRINTED = new RegExp(`\\b${GIT} +log\\b|up to date with`)

/** How much a command line shows: whether only git printed, about the session's repository. */
export interface Sight {
  readonly branch: string | undefined
  readonly isHere: boolean
  readonly isGitAlone: boolean
}

/**
 * What a look at the repository says about unpushed commits: other branches that contain them, and pushes by
 * others.
 */
export function withSeen(
  landings: readonly Landing[],
  command: string,
  { output, isFailed }: CommandEnd,
  { branch, isHere, isGitAlone }: Sight,
  at: number,
): readonly Landing[] {
  if (isFailed || !isHere || branch === undefined || OTHER_SOURCE.test(command)) return landings
  const waits = (each: Landing) =>
    each.kind === 'commit' && each.at < at && isWaiting(each, landings)
  const isTold = isGitAlone && LOOK.test(command) && !PRINTED.test(command)
  const isUpToDate = isTold && UP_TO_DATE.exec(output)?.[1] === branch
  if (isUpToDate && landings.some((each) => waits(each) && branchesOf(each).includes(branch)))
    return [...landings, { kind: 'push', what: branch, at: at - 1 }] // it shows an earlier push
  if (!PLAIN_LOG.test(command)) return landings
  const seen = Array.from(
    output.matchAll(/^(?:commit )?([0-9a-f]{7,40})(?= |$)/gm),
    ([, hash = '']) => hash,
  )
  if (seen.length === 0) return landings
  return landings.map((each) => {
    const hash = COMMIT.exec(each.what)?.[1]
    const isNew = branchOf(each) !== undefined && !branchesOf(each).includes(branch)
    if (!isNew || !seen.some((one) => isSame(hash, one)) || !waits(each)) return each
    return { ...each, alsoOn: [...(each.alsoOn ?? []), { branch, at }].slice(-MOST_BRANCHES) }
  })
}

/** The same list if nothing was undone. */
export function withoutUndone(
  landings: readonly Landing[],
  command: string,
  { output, isFailed }: CommandEnd,
  branch: string | undefined,
): readonly Landing[] {
  let left = landings
  const tags = [...output.matchAll(/^Deleted tag '?([^'\s]+)'?/gm)].map(([, name]) => name)
  if (tags.length > 0)
    left = left.filter(({ kind, what }) => kind !== 'tag' || !tags.includes(what))
  for (const [, name = ''] of output.matchAll(/^Deleted branch (\S+) \(was /gm))
    if (/ -D\b/.test(command)) left = withoutBranch(left, name)
  if (isFailed) return left
  const reset = RESET.exec(command)?.[1]
  if (reset !== undefined) left = withoutReset(left, reset, output, branch)
  if (/Successfully rebased and updated refs\/heads\//.test(output)) left = left.map(withoutHash)
  return left
}

/** Its commits are gone unless merged. */
function withoutBranch(landings: readonly Landing[], name: string): readonly Landing[] {
  if (landings.some(({ kind, what }) => kind === 'merge' && what === name)) return landings
  return landings.flatMap((each) =>
    each.kind === 'commit' && branchesOf(each).includes(name) ? takenOff(each, name) : each,
  )
}

/** The commits of this branch after its new tip, or as many as the command names. */
function withoutReset(
  landings: readonly Landing[],
  target: string,
  output: string,
  branch: string | undefined,
): readonly Landing[] {
  const hash = /^HEAD is now at ([0-9a-f]{7,40})/m.exec(output)?.[1] ?? ''
  const isHere = (each: Landing) =>
    each.kind === 'commit' &&
    (branch === undefined || branchesOf(each).some((on) => on === undefined || on === branch))
  const at = landings.findLastIndex(
    (each) => isHere(each) && hash !== '' && isSame(COMMIT.exec(each.what)?.[1], hash),
  )
  if (at >= 0)
    return landings.flatMap((each, index) =>
      !isHere(each) || index <= at ? each : takenOff(each, branch),
    )
  const steps = /HEAD(?:~(\d{1,3})|\^)/.exec(target)
  let count = steps ? Number(steps[1] ?? 1) : 0
  return landings
    .toReversed()
    .flatMap((each) => {
      if (!isHere(each) || count === 0) return each
      count -= 1
      return takenOff(each, branch)
    })
    .toReversed()
}

function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && (one.startsWith(other) || other.startsWith(one))
}

/** A rebase changes commit hashes. */
function withoutHash(landing: Landing): Landing {
  if (landing.kind !== 'commit') return landing
  return { ...landing, what: landing.what.replace(/^[0-9a-f]{7,40} (?=on \S+: )/, '') }
}
