// What a check of the tree looks at, and what it says about it.

/** A file of the tree: its path from the root, with `/`, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** Size on disk; the text of a file that is too large is not read. */
  readonly bytes?: number
}

export interface Finding {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A finding that is accepted for now. The list of these only shrinks. */
export interface Exception {
  readonly rule: string
  readonly path: string
  readonly reason: string
}

export type Check = (files: readonly SourceFile[]) => Finding[]

/** What remains to be repaired, and which exceptions nothing needs any more. */
export function settle(
  findings: readonly Finding[],
  exceptions: readonly Exception[],
): { readonly remaining: readonly Finding[]; readonly unneeded: readonly Exception[] } {
  const covers = (exception: Exception, finding: Finding) =>
    exception.rule === finding.rule && exception.path === finding.path
  return {
    remaining: findings.filter((finding) => !exceptions.some((each) => covers(each, finding))),
    unneeded: exceptions.filter((each) => !findings.some((finding) => covers(each, finding))),
  }
}

/** One line for people, which an editor or a terminal turns into a link. */
export function describeFinding({ path, line, rule, message }: Finding): string {
  return `${path}:${line} ${rule}: ${message}`
}

export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}

/** Tests, and the suites that a new plug-in must pass. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || isContract(path)
}

export function isContract(path: string): boolean {
  return /(?:^|\/)contract(?:\.ts$|\/)/.test(path)
}
