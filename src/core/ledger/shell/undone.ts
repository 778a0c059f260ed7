// Landings that a command undid: commits that were reset, tags and branches that were deleted
import type { Landing } from '../records.ts'
import type { CommandEnd } from './outcome.ts'

const COMMIT = /^(?:([0-9a-f]{7,40}) )?on (\S+): /
const GIT = 'git(?: +-[cC] +\\S+| +--\\S+)*'
const RESET = new RegExp(`\\b${GIT} +reset\\b([^;&|\\n]*)`)

/** The branch that a commit was made on, where its output said so. */
function branchOf({ what }: Landing): string | undefined {
  return COMMIT.exec(what)?.[2]
}

/** A push of another branch leaves a commit where it is; where a branch is not known, any push counts. */
export function isWaiting(commit: Landing, landings: readonly Landing[]): boolean {
  const branch = branchOf(commit)
  return !landings.some(({ kind, what, at }) => {
    const to = what.split(' at ')[0]?.split(/[\s:]/).at(-1) ?? ''
    const isBranch = branch === undefined || [branch, '', 'origin', 'HEAD'].includes(to)
    return kind === 'push' && at >= commit.at && isBranch
  })
}

/** A log without a range or a ref: it begins at what is checked out. */
const PLAIN_LOG = new RegExp(
  `\\b${GIT} +log((?: +(?:-\\d+|-n +\\d+|--oneline|--no-decorate))*) *(?:2>\\S+ *)?(?:[;&|\\n]|$)`,
)
const UP_TO_DATE = /^Your branch is up to date with '[^'/\s]+\/([^'\s]+)'/m

/**
 * What a look at the repository says of commits that wait: on which branch they are by now, which may be
 * another than the commit printed, and that their branch was pushed, by whomever.
 */
export function withSeen(
  landings: readonly Landing[],
  command: string,
  { output, isFailed }: CommandEnd,
  branch: string | undefined,
  at: number,
): readonly Landing[] {
  if (isFailed || !landings.some((each) => each.kind === 'commit')) return landings
  const waits = (each: Landing) => each.kind === 'commit' && isWaiting(each, landings)
  const pushed = UP_TO_DATE.exec(output)?.[1]
  if (pushed !== undefined && landings.some((each) => waits(each) && branchOf(each) === pushed))
    return [...landings, { kind: 'push', what: pushed, at }]
  if (branch === undefined || !PLAIN_LOG.test(command)) return landings
  const seen = Array.from(
    output.matchAll(/^(?:commit )?([0-9a-f]{7,40})(?= |$)/gm),
    ([, hash]) => hash,
  )
  if (seen.length === 0) return landings
  return landings.map((each) => {
    const [, hash, on] = COMMIT.exec(each.what) ?? []
    if (on === branch || !seen.some((one) => one && isSame(hash, one)) || !waits(each)) return each
    return { ...each, what: each.what.replace(/ on \S+: /, () => ` on ${branch}: `) }
  })
}

/** The same list where nothing was undone. */
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

/** Its commits are gone, unless it was merged. */
function withoutBranch(landings: readonly Landing[], name: string): readonly Landing[] {
  if (landings.some(({ kind, what }) => kind === 'merge' && what === name)) return landings
  return landings.filter((each) => each.kind !== 'commit' || branchOf(each) !== name)
}

/** Of this branch, what is behind the commit that is its last one now; or as many as the command names. */
function withoutReset(
  landings: readonly Landing[],
  target: string,
  output: string,
  branch: string | undefined,
): readonly Landing[] {
  const hash = /^HEAD is now at ([0-9a-f]{7,40})/m.exec(output)?.[1] ?? ''
  const isHere = (each: Landing) =>
    each.kind === 'commit' && [undefined, branch ?? branchOf(each)].includes(branchOf(each))
  const at = landings.findLastIndex(
    (each) => isHere(each) && hash !== '' && isSame(COMMIT.exec(each.what)?.[1], hash),
  )
  if (at >= 0) return landings.filter((each, index) => !isHere(each) || index <= at)
  const steps = /HEAD(?:~(\d{1,3})|\^)/.exec(target)
  let count = steps ? Number(steps[1] ?? 1) : 0
  return landings
    .toReversed()
    .filter((each) => {
      if (!isHere(each) || count === 0) return true
      count -= 1
      return false
    })
    .toReversed()
}

function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && (one.startsWith(other) || other.startsWith(one))
}

/** A rebase gives commits new names. */
function withoutHash(landing: Landing): Landing {
  if (landing.kind !== 'commit') return landing
  return { ...landing, what: landing.what.replace(/^[0-9a-f]{7,40} (?=on \S+: )/, '') }
}
