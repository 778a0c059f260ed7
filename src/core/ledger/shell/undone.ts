// Landings that a command undid: commits that were reset, tags and branches that were deleted
import type { Landing } from '../records.ts'
import type { CommandEnd } from './outcome.ts'

const COMMIT = /^(?:([0-9a-f]{7,40}) )?on (\S+): /
const GIT = 'git(?: +-[cC] +\\S+| +--\\S+)*'
const RESET = new RegExp(`\\b${GIT} +reset\\b([^;&|\\n]*)`)

/** The branch that a commit was made on, where its output said so. */
export function branchOf({ what }: Landing): string | undefined {
  return COMMIT.exec(what)?.[2]
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
