// What any text of the tree must not hold, and the line with which a source file opens.
import { type Finding, isCode, type SourceFile } from './finding.ts'

/** An absolute path into one person's or one machine's folders; `${dir}/work/` and URLs are none. */
const MACHINE_PATH = /(?<![\w.~}*>)-])\/(?:(?:work|root)\/|home\/[a-z])/i
const REGISTRY =
  /https?:\/\/[^\s/'"]*(?:registry|artifactory|nexus|verdaccio)|registry\.(?:npmjs|yarnpkg)\.|^\s*(?:@[\w-]+:)?registry\s*=|"resolved": *"http|_auth(?:Token)?\s*=/i

const BESIDE = /(?<![\w.])\.\.\/shared(?![\w.-])/

export function machinePaths(files: readonly SourceFile[]): Finding[] {
  return inLines(files, 'machine-path', MACHINE_PATH, 'a path of one machine')
}

export function registries(files: readonly SourceFile[]): Finding[] {
  return inLines(files, 'registry', REGISTRY, 'a package registry')
}

/** Only CI, which brings folders of its own beside the checkout, may name one. */
export function outsideFolders(files: readonly SourceFile[]): Finding[] {
  const inside = files.filter(({ path }) => path !== '.ci/run')
  return inside.flatMap((file) => {
    const depth = file.path.split('/').length - 1
    const escaping = new RegExp(`${BESIDE.source}|new URL\\(\\s*['"\`](?:\\.\\./){${depth + 1}}`)
    return inLines([file], 'outside-folder', escaping, 'a folder outside of the repository')
  })
}

/** The first line of a source file (after `#!`) says what the file is for. */
export function openingComments(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    const start = lines[0]?.startsWith('#!') ? 1 : 0
    if (!isCode(path) && !path.endsWith('.sh') && start === 0) return []
    const opening = lines[start] ?? ''
    if (/^(?:\/\/|#|\/\*\*?) ?\S.{9,}/.test(opening)) return []
    const message = 'the file does not open with a comment that says what it is for'
    return [{ rule: 'opening-comment', path, line: start + 1, message }]
  })
}

/** Every folder of the documented trees has its line in ARCHITECTURE.md. */
export function documentedFolders(files: readonly SourceFile[]): Finding[] {
  const page = files.find(({ path }) => path === 'ARCHITECTURE.md')?.text ?? ''
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)))
  return [...folders]
    .filter((folder) => !page.includes(`\`${folder}/\``))
    .map((folder) => ({
      rule: 'undocumented-folder',
      path: folder,
      line: 1,
      message: `ARCHITECTURE.md has no line for \`${folder}/\``,
    }))
}

function inLines(
  files: readonly SourceFile[],
  rule: string,
  pattern: RegExp,
  what: string,
): Finding[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = pattern.exec(line)?.[0]
      if (found === undefined) return []
      return [{ rule, path, line: index + 1, message: `${what}: ${found}` }]
    }),
  )
}

/** `src/a`, `src/a/b` for src/a/b/c.ts. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  if (!['src', 'bench', 'test', 'docs'].includes(parts[0] ?? '')) return []
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join('/'))
}
