// What a random session does next: a call whose arguments fit the files that are there now.
import type { Json } from '../../src/core/text/json.ts'
import { contentOf, filesIn } from './disk.ts'
import { COMMANDS, changing, type Scene } from './shell-moves.ts'

export type { Scene, Style } from './shell-moves.ts'

interface Call {
  readonly name: string
  readonly input: Json
}

/** Whoever moves or deletes whole folders has looked into them before. */
export function firstCall({ style, random }: Scene): Call {
  if (style === 'tools' && random.chance(0.5)) return { name: 'list', input: { depth: 20 } }
  const command =
    style === 'Bash'
      ? 'git status'
      : random.pick(['find . -type f -not -path "./.git/*"', 'git ls-files'])
  return { name: style === 'Bash' ? 'Bash' : 'run', input: { command } }
}

export function nextCall(scene: Scene, folder: string): Call {
  const { random, style } = scene
  if (style === 'tools' && random.chance(0.6)) return toolCall(scene)
  const command = nextCommand(scene, style === 'Bash' ? folder : '')
  return { name: style === 'Bash' ? 'Bash' : 'run', input: { command } }
}

function toolCall(scene: Scene): Call {
  const { random, root } = scene
  const path = random.pick(filesIn(root))
  switch (
    random.weighted({ read: 4, write: 2, replace: 1, edit: 4, list: 1, search: 1, wrong: 1 })
  ) {
    case 'read':
      return { name: 'read', input: { path } }
    case 'write':
      return { name: 'write', input: { path: newPath(scene), content: contentOf(random) } }
    case 'replace':
      if (scene.moved.has(path) || path.startsWith('old')) return { name: 'read', input: { path } }
      scene.copied.add(path)
      return { name: 'write', input: { path, content: contentOf(random) } }
    case 'edit': {
      const line = random.int(1, 13)
      return {
        name: 'edit',
        input: { path, oldText: `\nline${line} `, newText: `\nline${line} edited` },
      }
    }
    case 'list':
      return { name: 'list', input: { depth: 20 } }
    case 'search':
      return { name: 'search', input: { pattern: 'line3' } }
    case 'wrong':
      return { name: 'edit', input: { path: 'not/there.ts', oldText: 'a', newText: 'b' } }
  }
}

function newPath(scene: Scene): string {
  scene.fresh += 1
  return `${scene.random.pick(['', 'src/', 'docs/', 'new/'])}fresh${scene.fresh}.ts`
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`
}

/** A command of one or several parts, seen from the folder where the shell is. */
function nextCommand(scene: Scene, folder: string): string {
  const { random } = scene
  const up = folder === '' ? '' : `${folder.split('/').fill('..').join('/')}/`
  const one = simpleCommand(scene, up)
  switch (
    random.weighted({ plain: 8, joined: 2, after: 2, failing: 1, wrapped: 1, guarded: 1, cd: 2 })
  ) {
    case 'plain':
      return one
    case 'joined':
      return `${one} && echo done`
    case 'after':
      return `echo begin; ${one}`
    case 'failing':
      return random.pick([
        `cat ${up}missing.ts && ${one}`,
        `${one}; cat ${up}missing.ts`,
        `ls ${up}nowhere || ${one}`,
        `true || ${one}`,
      ])
    case 'wrapped':
      return one.includes("'") || one.includes('\n') || one.includes('$')
        ? one
        : random.pick([`bash -c '${one}'`, `(${one})`, `{ ${one}; }`])
    case 'guarded':
      return `if [ -d ${up}src ]; then echo yes; fi; ${one}`
    case 'cd':
      return scene.style === 'Bash'
        ? `cd ${up || '.'} && cd ${random.pick(['.', '.', folderIn(scene)])}`
        : `cd ${folderIn(scene)} && ls > /dev/null; cd - > /dev/null; ${one}`
  }
}

function folderIn({ root, random }: Scene): string {
  const folders = filesIn(root).flatMap((path) =>
    path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : [],
  )
  return folders.length === 0 ? '.' : quote(random.pick(folders))
}

function simpleCommand(scene: Scene, up: string): string {
  const { random, root } = scene
  const files = filesIn(root).filter((path) => !path.includes("'"))
  const path = random.pick(files)
  const other = random.pick(files)
  const at = (name: string) => quote(`${up}${name}`)
  const line = random.int(1, 13)
  const kind = random.weighted(COMMANDS)
  switch (kind) {
    case 'cat':
      return `cat ${at(path)}`
    case 'head':
      return random.pick([
        `head -n 5 ${at(path)}`,
        `cat ${at(path)} | head -4`,
        `head -3 ${at(path)}`,
      ])
    case 'sedRead':
      return `sed -n '1,6p' ${at(path)}`
    case 'catTwo':
      return `cat ${at(path)} ${at(other)}`
    case 'missing':
      return `rm ${at('missing.txt')}`
    case 'grep':
      return `grep -rn line7 ${up || '.'} | wc -l`
    case 'lookAround':
      return random.pick([
        'ls',
        'git log --oneline',
        'pwd',
        `find ${up || '.'} -type f -name '*.ts' | wc -l`,
      ])
    default:
      return changing(scene, kind, { path, other, at, line, up })
  }
}
