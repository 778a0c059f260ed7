// Commands that change files and the repository, put together for the files that are there now.
import type { Random } from '../generate/random.ts'
import { contentOf, markOf } from './disk.ts'

/** How calls are made: by this project's tools, by a shell that starts anew, by one that stays open. */
export type Style = 'tools' | 'run' | 'Bash'

export interface Scene {
  readonly root: string
  readonly random: Random
  readonly style: Style
  fresh: number
  /** Their content is not replaced: git would no longer see that they were renamed. */
  readonly moved: Set<string>
  /**
   * Copied or replaced: not copied again, and not moved. Git goes by content, and would take another for
   * the renamed one, or none.
   */
  readonly copied: Set<string>
}

/** What commands do, and how often. */
export const COMMANDS = {
  cat: 4,
  head: 2,
  sedRead: 2,
  catTwo: 1,
  echoNew: 3,
  heredoc: 2,
  append: 2,
  tee: 1,
  replace: 1,
  sedEdit: 4,
  perlEdit: 1,
  loopEdit: 1,
  variable: 1,
  move: 3,
  moveInto: 1,
  moveFolder: 0.4,
  gitMove: 1,
  copy: 1,
  remove: 2,
  removeFolder: 0.3,
  removeGlob: 0.3,
  gitRemove: 1,
  gitAdd: 1,
  gitCommit: 2,
  gitCheckout: 1,
  gitRestore: 1,
  gitStash: 1,
  gitBranch: 0.5,
  gitReset: 0.3,
  gitStatus: 1,
  lookAround: 1,
  missing: 1,
  grep: 1,
} as const

interface Given {
  readonly path: string
  readonly other: string
  readonly at: (name: string) => string
  readonly line: number
  readonly up: string
}

export function changing(scene: Scene, kind: keyof typeof COMMANDS, given: Given): string {
  const { random } = scene
  const { path, other, at, line } = given
  const edit = `s/^line${line} /line${line} edited /`
  switch (kind) {
    case 'echoNew':
      return `echo "${lineOf(random)}" > ${at(freshIn(scene, path))}`
    case 'heredoc':
      return `cat > ${at(freshIn(scene, path))} <<'EOF'\n${contentOf(random)}EOF`
    case 'append':
      return `echo "${lineOf(random)}" >> ${at(path)}`
    case 'tee':
      return `echo "${lineOf(random)}" | tee -a ${at(path)} > /dev/null`
    case 'replace':
      if (scene.moved.has(path) || scene.copied.has(path) || path.startsWith('old'))
        return `cat ${at(path)}`
      scene.copied.add(path)
      return `sed -n '1p' ${at(path)}; cat > ${at(path)} <<EOF\n${contentOf(random)}EOF`
    case 'sedEdit':
      return `sed -i '${edit}' ${at(path)}`
    case 'perlEdit':
      return `perl -pi -e '${edit}' ${at(path)}`
    case 'loopEdit':
      return `for f in ${at(path)} ${at(other)}; do sed -i '${edit}' "$f"; done`
    case 'variable':
      return `FILE=${at(path)}; sed -i '${edit}' "$FILE"`
    case 'move':
    case 'gitMove':
    case 'moveInto':
    case 'moveFolder':
    case 'copy':
      return transferring(scene, kind, given)
    default:
      return removing(scene, kind, given)
  }
}

/** As the first line of a file it marks it; as a later one it does no harm. */
function lineOf(random: Random): string {
  return `${markOf(random)} word ${random.int(0, 1e9)}`
}

/** Beside a file that is there. */
function freshIn(scene: Scene, path: string): string {
  scene.fresh += 1
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
  return `${folder}fresh${scene.fresh}.ts`
}

function transferring(scene: Scene, kind: string, { path, at, up }: Given): string {
  const target = freshIn(scene, path)
  if (scene.copied.has(path) && kind !== 'moveFolder') return `cat ${at(path)}`
  switch (kind) {
    case 'copy':
      scene.copied.add(path)
      scene.moved.add(target)
      return `cp ${at(path)} ${at(target)} && sed -i '1s/.*/${markOf(scene.random)}/' ${at(target)}`
    case 'moveInto':
      scene.moved.add(`docs/moved${scene.fresh}/${path.slice(path.lastIndexOf('/') + 1)}`)
      return `mkdir -p ${up}docs/moved${scene.fresh} && mv ${at(path)} ${up}docs/moved${scene.fresh}/`
    case 'moveFolder':
      return scene.style === 'Bash' ? `ls ${up || '.'}` : `mv ${up}old ${up}older${scene.fresh}`
    default:
      scene.moved.add(target)
      return `${kind === 'gitMove' ? 'git ' : ''}mv ${at(path)} ${at(target)}`
  }
}

function removing(scene: Scene, kind: keyof typeof COMMANDS, { path, at }: Given): string {
  const { random } = scene
  switch (kind) {
    case 'remove':
      return random.pick([`rm ${at(path)}`, `rm -f ${at(path)}`])
    case 'removeFolder':
      return scene.style === 'Bash' ? 'true' : 'rm -rf old'
    case 'removeGlob':
      return scene.style === 'Bash' ? 'true' : `rm -f test/*.md`
    case 'gitRemove':
      return `git rm -q -f ${at(path)}`
    case 'gitAdd':
      return random.pick([`git add ${at(path)}`, 'git add -A', 'git add -u'])
    case 'gitCommit':
      return random.pick([
        'git add -A && git commit -m "more"',
        'git commit -am "changed"',
        'git add -A; git commit -q -m work',
      ])
    case 'gitCheckout':
      return `git checkout -- ${at(path)}`
    case 'gitRestore':
      return random.pick([`git restore ${at(path)}`, `git restore --staged ${at(path)}`])
    case 'gitStash':
      return random.pick(['git stash', 'git stash pop', 'git stash && git stash pop'])
    case 'gitBranch':
      return random.pick([
        `git switch -q -c topic${scene.fresh}`,
        'git checkout -q main',
        'git branch --show-current',
      ])
    case 'gitReset':
      return random.pick(['git reset -q --hard', 'git reset -q'])
    default:
      return 'git status --short'
  }
}
