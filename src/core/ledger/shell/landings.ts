// What a command produced: commits, pushes, merges, tags, pull requests, releases, from its output.
import { cutHead } from '../../window/tokens/cut.ts'
import type { Landing, Ledger } from '../records.ts'
import type { CommandEnd } from './outcome.ts'
import { type Sight, withoutUndone, withSeen } from './undone.ts'

type LandingMatch = Omit<Landing, 'at'> & { readonly isAmended?: boolean }

/** Of each kind: many commits take no open pull request away. */
const MOST_OF_KIND = 40
const SUBJECT_CHARS = 120
const COMMAND_CHARS = 20_000
const OUTPUT_CHARS = 60_000

const COMMITTED = /^\[(\S{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})$/gm
const PUSHED =
  /^ ?[ +*=!-] (?:\[new branch\]|([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40})) +(\S{1,200}) -> (\S{1,200})/gm
const REFUSED = /\[(?:remote )?rejected\]|^(?:error|fatal): /m
const PULL_REQUEST = /https?:\/\/[^\s"'<>]{1,300}\/(?:pull|merge_requests)\/(\d{1,9})\b/

/** Output of `gh pr merge` if checks or a queue come first. */
const MERGED_LATER =
  /\bwill be (?:automatically merged|added to the merge queue)\b|already queued to merge/

/** Matches a step of a command line that starts with these words. */
function step(words: string): RegExp {
  return new RegExp(
    `(?:^|[;&|(\\n]|\\$\\()\\s*(?:\\w+=\\S* +)*(?:rtk +)?${words}(?=\\s|$)([^;&|\\n]*)`,
  )
}

const GIT = 'git(?: +-[cC] +\\S+| +--\\S+)*'
const COMMIT = step(`${GIT} +commit`)
const COPY = step(`${GIT} +(?:cherry-pick|revert)`)
const PUSH = step(`${GIT} +push`)
const MERGE = step(`${GIT} +merge`)
const TAG = step(`${GIT} +tag`)
const OPEN_REQUEST = step('(?:gh +pr|glab +mr) +create')
const MERGE_REQUEST = step('(?:gh +pr|glab +mr) +merge')
const RELEASE = step('(?:gh|glab) +release +create')
const CLOSE_REQUEST = step('(?:gh +pr|glab +mr) +close')
const UNRELEASE = step('(?:gh|glab) +release +delete')
const REOPEN_REQUEST = step('(?:gh +pr|glab +mr) +reopen')
const PUBLISH = step('(?:npm|pnpm|yarn|cargo|twine|gem) +(?:publish|upload|push)')

/** Everything a command line shows as recorded, in workflow order. */
export function noteLandings(
  ledger: Ledger,
  command: string,
  end: CommandEnd,
  seq: number,
  { isHere, isGitAlone }: Pick<Sight, 'isHere' | 'isGitAlone'>,
): Ledger {
  const text = command.slice(0, COMMAND_CHARS)
  if (!/\b(?:git|gh|glab|publish|twine|gem)\b/.test(text)) return ledger
  const found = [...commits(text, end), ...pushes(text, end), ...others(text, end)]
  const { branch } = ledger.tree
  const undone = withoutUndone(ledger.landings, text, end, branch)
  const landed = found.reduce<readonly Landing[]>(
    (all, { isAmended, ...each }) => [
      ...(isAmended ? withoutLastCommit(all) : all),
      { ...each, at: seq },
    ],
    undone,
  )
  const seen = withSeen(landed, text, end, { branch, isHere, isGitAlone }, seq)
  const landings = latestOfKinds(withoutRevoked(seen, text, end))
  if (landings === ledger.landings) return ledger
  return { ...ledger, landings }
}

function latestOfKinds(landings: readonly Landing[]): readonly Landing[] {
  const left = new Map<Landing['kind'], number>()
  const latest = landings.toReversed().filter(({ kind }) => {
    const room = left.get(kind) ?? MOST_OF_KIND
    left.set(kind, room - 1)
    return room > 0
  })
  return latest.length === landings.length ? landings : latest.reverse()
}

/** A release that is deleted, and a pull request that is open again. */
function withoutRevoked(
  landings: readonly Landing[],
  command: string,
  { output, isFailed }: CommandEnd,
): readonly Landing[] {
  if (isFailed || !(UNRELEASE.test(command) || REOPEN_REQUEST.test(command))) return landings
  const release = UNRELEASE.exec(command)?.[1]?.trim().split(/\s+/)[0]
  const reopened = REOPEN_REQUEST.exec(command)?.[1]?.trim()
  const request = reopened === undefined ? undefined : numberIn(reopened, output)
  return landings.filter(
    ({ kind, what }) =>
      !(kind === 'release' && what === release) &&
      !(kind === 'pull-request-closed' && what === request),
  )
}

function withoutLastCommit(landings: readonly Landing[]): readonly Landing[] {
  const at = landings.findLastIndex(({ kind }) => kind === 'commit')
  return at < 0 ? landings : landings.toSpliced(at, 1)
}

function commits(command: string, { output, isFailed }: CommandEnd): LandingMatch[] {
  const ordered = COMMIT.exec(command)
  if (!ordered && !COPY.test(command)) return []
  const steps = [...command.matchAll(new RegExp(COMMIT, 'g'))]
  const told = [...output.slice(0, OUTPUT_CHARS).matchAll(COMMITTED)]
  if (told.length > 0)
    return told.map(([, branch, hash, subject = ''], at) => ({
      kind: 'commit',
      what: `${hash} on ${branch}: ${cutHead(subject, SUBJECT_CHARS)}`,
      isAmended: isAmending(steps[steps.length - told.length + at]),
    }))
  if (!ordered) return []
  const isEmpty = /nothing (?:added )?to commit|no changes added|working tree clean/.test(output)
  if (isFailed || isEmpty || /--dry-run/.test(ordered[1] ?? '')) return []
  const subject = subjectIn(command.slice(ordered.index))
  const what = cutHead(subject, SUBJECT_CHARS)
  return [{ kind: 'commit', what, isAmended: isAmending(ordered) }]
}

function isAmending(step: RegExpMatchArray | undefined): boolean {
  return step?.[1]?.includes('--amend') ?? false
}

/** From `-m "…"`, or from a here-document. */
function subjectIn(command: string): string {
  const marked = /<<-?\s*['"]?(\w{1,40})['"]?\n\s*([^\n]{1,400})/.exec(command)?.[2]
  const quoted = /(?:-\w*m|--message)[ =]*(?:"([^"\n$`]{1,400})|'([^'\n]{1,400}))/.exec(command)
  return (quoted?.[1] ?? quoted?.[2] ?? marked ?? '').trim()
}

function pushes(command: string, { output, isFailed }: CommandEnd): LandingMatch[] {
  const ordered = PUSH.exec(command)
  if (!ordered || /--dry-run/.test(ordered[1] ?? '')) return []
  const told = [...output.slice(-OUTPUT_CHARS).matchAll(PUSHED)].filter(
    ([line]) => !line.includes('!'),
  )
  if (told.length > 0)
    return told.map(([, , hash, , to = '']) => ({
      kind: 'push',
      what: hash === undefined ? to : `${to} at ${hash}`,
    }))
  if (isFailed || REFUSED.test(output) || /^ [*-] \[(?:new tag|deleted)\]/m.test(output)) return []
  const target = (ordered[1] ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => !/^[-<>\d]/.test(word))
  return [{ kind: 'push', what: target.join(' ') }]
}

function others(command: string, { output, isFailed }: CommandEnd): LandingMatch[] {
  if (isFailed) return []
  const merged = MERGE.exec(command)?.[1]?.trim()
  const tagged = TAG.exec(command)?.[1]?.trim() ?? ''
  const isMerged = /^(?:Merge made by|Fast-forward|Updating [0-9a-f]+\.\.|Squash commit)/m.test(
    output,
  )
  const tag = nameOfTag(tagged)
  const url = PULL_REQUEST.exec(output)?.[0]
  const request = MERGED_LATER.test(output) ? undefined : MERGE_REQUEST.exec(command)?.[1]?.trim()
  const closed = CLOSE_REQUEST.exec(command)?.[1]?.trim()
  const release = RELEASE.exec(command)?.[1]?.trim().split(/\s+/)[0]
  const published = PUBLISH.test(command) && !/--dry-run/.test(command)
  return [
    ...(merged && isMerged ? [{ kind: 'merge' as const, what: lastWord(merged) }] : []),
    ...(tag ? [{ kind: 'tag' as const, what: tag }] : []),
    ...(url && OPEN_REQUEST.test(command) ? [{ kind: 'pull-request' as const, what: url }] : []),
    ...(request === undefined
      ? []
      : [{ kind: 'pull-request-merged' as const, what: numberIn(request, output) }]),
    ...(closed === undefined
      ? []
      : [{ kind: 'pull-request-closed' as const, what: numberIn(closed, output) }]),
    ...(release ? [{ kind: 'release' as const, what: release }] : []),
    ...(published
      ? [{ kind: 'release' as const, what: /^\+ (\S+@\S+)$/m.exec(output)?.[1] ?? 'published' }]
      : []),
  ]
}

/** Without message and flags; undefined if tags are only listed or deleted. */
function nameOfTag(words: string): string | undefined {
  const plain = words.replaceAll(
    /(?:-\w*m|--message|-F|--file|-u)[ =]*(?:"[^"]*"|'[^']*'|\S+)/g,
    ' ',
  )
  if (
    /(?:^|\s)(?:-[dlnv]|--(?:delete|list|verify|contains|points-at|sort|merged|no-merged))/.test(
      plain,
    )
  )
    return undefined
  return plain.split(/\s+/).find((word) => word !== '' && !/^[-<>\d]/.test(word))
}

function numberIn(request: string, output: string): string {
  const number =
    /(?:^|\s)#?(\d{1,9})(?=\s|$)/.exec(request)?.[1] ?? /#(\d{1,9})\b/.exec(output)?.[1]
  return number === undefined ? '' : `#${number}`
}

function lastWord(words: string): string {
  return words.split(/\s+/).findLast((word) => !word.startsWith('-') && !/["']/.test(word)) ?? ''
}
