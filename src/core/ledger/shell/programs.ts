// The effects of common programs on files, from their arguments.
import { type FileOperation, OPEN_FILE, type Target } from '../operation.ts'
import { LONGEST_PATH_CHARS } from '../path-text.ts'
import type { ShellWord } from './text.ts'

export interface Arguments {
  readonly options: ReadonlySet<string>
  /** Values by option. */
  readonly values: ReadonlyMap<string, ShellWord>
  readonly rest: readonly ShellWord[]
  /** Words after `--`, if present. */
  readonly behindDashes?: readonly ShellWord[]
}

/** `withValue` names options that take the next word. Short options may be combined. */
export function readArguments(
  words: readonly ShellWord[],
  withValue: readonly string[] = [],
): Arguments {
  const options = new Set<string>()
  const values = new Map<string, ShellWord>()
  const rest: ShellWord[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as ShellWord
    const text = word.text ?? ''
    if (text === '--') {
      const behindDashes = words.slice(at + 1)
      return { options, values, rest: [...rest, ...behindDashes], behindDashes }
    }
    if (!text.startsWith('-') || text === '-') {
      rest.push(word)
      continue
    }
    const [name = text] = text.startsWith('--') ? text.split('=', 1) : [text]
    for (const option of text.startsWith('--') ? [name] : [text, ...countLetters(text)])
      options.add(option)
    const value = words[at + 1]
    if (withValue.includes(name) && value !== undefined) {
      values.set(name, value)
      at += 1
    } else if (text.includes('=')) {
      values.set(name, { raw: word.raw, text: text.slice(name.length + 1) })
    }
  }
  return { options, values, rest }
}

/** `-rf` is `-r` and `-f`. */
function countLetters(text: string): string[] {
  return [...text.slice(1, 12)].map((letter) => `-${letter}`)
}

export function hasAny(options: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => options.has(name))
}

/** The paths among the words, and whether some are unknown. */
interface Targets {
  readonly targets: readonly Target[]
  readonly isUnclear: boolean
}

export function findTargets(words: readonly ShellWord[]): Targets {
  const targets = words.flatMap((word) => readTarget(word) ?? [])
  return { targets, isUnclear: targets.length < words.length }
}

export function readTarget({ text, glob }: ShellWord): Target | undefined {
  if (text === undefined || text === '' || text.length > LONGEST_PATH_CHARS) return undefined
  if (text.includes('\0') || text.includes('\n')) return undefined
  return { name: text, ...(glob && { glob }) }
}

const MOST_BRACED = 50

/** `src/{a,b}.ts` is two words. Nested and quoted braces stay. */
export function expandBraces(word: ShellWord): ShellWord[] {
  if (word.isQuoted || word.text === undefined || !word.text.includes('{')) return [word]
  const found = /^([^{}]{0,1024})\{([^{}]{1,1024})\}([^{}]{0,1024})$/.exec(word.text)
  const [, before = '', inside = '', after = ''] = found ?? []
  const parts = inside.includes(',') ? inside.split(',') : numbersIn(inside)
  // Too many, or letters: several words, none of them known.
  if (parts.length === 0) return inside.includes('..') ? [{ raw: word.raw }] : [word]
  return parts.slice(0, MOST_BRACED).map((part) => ({
    ...word,
    text: `${before}${part}${after}`,
  }))
}

/** `1..3`; empty for anything else. */
function numbersIn(range: string): string[] {
  const [, from, to] = /^(0|[1-9]\d{0,5})\.\.(0|[1-9]\d{0,5})$/.exec(range) ?? []
  const count = Number(to) - Number(from) + 1
  if (!(count >= 1 && count <= MOST_BRACED)) return []
  return Array.from({ length: count }, (_, at) => String(Number(from) + at))
}

export interface Effect {
  readonly operations: readonly FileOperation[]
  readonly isUnclear: boolean
}

type Program = (words: readonly ShellWord[]) => Effect

const NOTHING: Effect = { operations: [], isUnclear: false }
export const UNCLEAR: Effect = { operations: [], isUnclear: true }

/** They change only the files they are redirected to. */
const HARMLESS = new Set(
  `[ [[ (( ag alias basename bg break cal cksum clear cmp column comm command continue cut date declare df
  diff dig dirname du echo egrep env exit export expr false fd fg fgrep file find fold free gh grep groups
  hash head history host hostname id jobs jq kill killall less let local locale ls lsof md5sum more nl
  nproc od paste pgrep ping pkill printenv printf ps pwd read readlink readonly realpath
  return rev rg set sha1sum sha256sum shift shopt sleep sort stat strings tac test time top tr trap tree
  true tty type ulimit umask uname uniq unset uptime wait wc which who whoami xxd yes ast-grep bat cat
  tail base64 awk gawk sed perl seq shuf fmt bc sha512sum lscpu getent man`.split(/\s+/),
)
/** They print the content of their files. */
const READERS = new Set(['cat', 'head', 'tail', 'less', 'more', 'nl', 'bat', 'tac', 'jq'])
const WITH_VALUE: Readonly<Record<string, readonly string[]>> = {
  head: ['-n', '-c', '--lines', '--bytes'],
  tail: ['-n', '-c', '--lines', '--bytes'],
  bat: ['-r', '--line-range', '-l', '--language'],
  jq: ['--indent'],
}

/** Unclear for unknown programs. */
export function computeEffect(program: string, words: readonly ShellWord[]): Effect {
  const known = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined
  if (known !== undefined) return known(words)
  if (READERS.has(program)) return reading(program, words)
  return HARMLESS.has(program) ? NOTHING : UNCLEAR
}

function reading(program: string, words: readonly ShellWord[]): Effect {
  const { rest } = readArguments(words, WITH_VALUE[program])
  const { targets } = findTargets(program === 'jq' ? rest.slice(1) : rest)
  return { operations: targets.map((path) => ({ op: 'read', path })), isUnclear: false }
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  cd: (words) => changeFolder(words),
  pushd: (words) => changeFolder(words, 'push'),
  popd: () => ({ operations: [{ op: 'cd', path: { name: '' }, stack: 'pop' }], isUnclear: false }),
  sed: streamEdit,
  perl(words) {
    const inPlace = words.some(({ text = '' }) => /^-[a-zA-Z0-9]*i/.test(text) && text !== '-i-')
    const code = words.findIndex(({ text = '' }) => /^-[a-zA-Z0-9.]*[eE]$/.test(text))
    if (!inPlace || code < 0) return UNCLEAR
    const files = words.slice(code + 2).filter(({ text = '' }) => !text.startsWith('-'))
    return editInPlace(files, copySuffix(words, /^-[a-zA-Z0-9]*?i(\.\w+)$/))
  },
  awk: readByScript,
  gawk: readByScript,
  tee(words) {
    const { options, rest } = readArguments(words)
    const op = hasAny(options, '-a', '--append') ? 'append' : 'write'
    return each(rest, (path) => ({ op, path }))
  },
  // SWE-agent: edits apply to the open file.
  open: (words) => each(words.slice(0, 1), (path) => ({ op: 'read', path })),
  create: (words) => each(words.slice(0, 1), (path) => ({ op: 'write', path, isNew: true })),
  edit: () => ({ operations: [{ op: 'edit', path: OPEN_FILE }], isUnclear: false }),
  touch: (words) =>
    each(readArguments(words, ['-d', '-t', '-r']).rest, (path) => ({ op: 'touch', path })),
  truncate: (words) =>
    each(readArguments(words, ['-s', '--size']).rest, (path) => ({ op: 'write', path })),
  mkdir(words) {
    const { options, rest } = readArguments(words, ['-m', '--mode'])
    const isNew = !hasAny(options, '-p', '--parents')
    return each(rest, (path) => ({ op: 'folder', path, ...(isNew && { isNew }) }))
  },
  rmdir: () => NOTHING,
  rm(words) {
    const { options, rest } = readArguments(words)
    const isDeep = hasAny(options, '-r', '-R', '--recursive')
    const how = {
      ...(isDeep && { isDeep }),
      ...(hasAny(options, '-f', '--force') && { isForced: true as const }),
    }
    return each(rest, (path) => ({ op: 'delete', path, ...how }))
  },
  unlink: (words) => each(words, (path) => ({ op: 'delete', path })),
  mv: (words) => transfer('move', words),
  cp: (words) => transfer('copy', words),
  ln: (words) => each(readArguments(words).rest.slice(-1), (path) => ({ op: 'write', path })),
  chmod: (words) => each(readArguments(words).rest.slice(1), (path) => ({ op: 'edit', path })),
  curl: (words) => download(words, ['-o', '--output'], ['-O', '--remote-name', '-J']),
  wget: (words) => download(words, ['-O', '--output-document'], undefined),
  sort(words) {
    const { values } = readArguments(words, ['-o', '--output', '-k', '-t'])
    const output = values.get('-o') ?? values.get('--output')
    return output ? each([output], (path) => ({ op: 'write', path })) : NOTHING
  },
  find: (words) =>
    words.some(({ text = '' }) => /^-(?:delete|exec|execdir|ok|fprint)/.test(text))
      ? UNCLEAR
      : NOTHING,
}

function each(words: readonly ShellWord[], make: (path: Target) => FileOperation): Effect {
  const { targets, isUnclear } = findTargets(words)
  return { operations: targets.map(make), isUnclear }
}

/** The original stays under the name the option gives. */
function editInPlace(files: readonly ShellWord[], suffix: string | undefined): Effect {
  const { targets, isUnclear } = findTargets(files)
  const operations = targets.flatMap((path): FileOperation[] => [
    ...(suffix === undefined || path.glob
      ? []
      : [{ op: 'copy' as const, path, to: { name: `${path.name}${suffix}` } }]),
    { op: 'edit', path },
  ])
  const isUntold = suffix !== undefined && targets.some(({ glob }) => glob)
  return { operations, isUnclear: isUnclear || isUntold }
}

function copySuffix(words: readonly ShellWord[], option: RegExp): string | undefined {
  return words.flatMap(({ text = '' }) => option.exec(text)?.[1] ?? [])[0]
}

function changeFolder(words: readonly ShellWord[], stack?: 'push'): Effect {
  const { rest } = readArguments(words)
  const [word] = rest
  const path = word === undefined ? { name: '~' } : readTarget(word)
  // The target is not in the text: the following commands run in an unknown folder.
  const operation = { op: 'cd', path: path ?? { name: '' }, ...(stack && { stack }) } as const
  return { operations: [operation], isUnclear: false }
}

function streamEdit(words: readonly ShellWord[]): Effect {
  const isInPlace = (text: string) => /^(?:-[nErsz]*i|--in-place)/.test(text)
  const inPlace = words.some(({ text = '' }) => isInPlace(text))
  // On BSD, `-i ''` keeps no copy.
  const plain = words.filter(
    ({ text, raw }, at) =>
      !(text === '' && raw.length === 2 && isInPlace(words[at - 1]?.text ?? '')),
  )
  const { options, rest } = readArguments(plain, ['-e', '-f', '--expression', '--file'])
  const hasScript = hasAny(options, '--expression', '--file') || plain.some(isScriptOption)
  const files = hasScript ? rest : rest.slice(1)
  if (!inPlace) return each(files, (path) => ({ op: 'read', path }))
  return editInPlace(files, copySuffix(words, /^(?:-[nErsz]*i|--in-place=)([.~]\w*)$/))
}

function isScriptOption({ text }: ShellWord): boolean {
  return text === '-e' || text === '-f'
}

/** A script first, then its files. */
function readByScript(words: readonly ShellWord[]): Effect {
  if (words.some(({ text = '' }) => text === 'inplace' || text.includes('-f'))) return UNCLEAR
  if (words.some(({ text = '' }) => text.includes('>'))) return UNCLEAR
  return NOTHING
}

function transfer(op: 'move' | 'copy', words: readonly ShellWord[]): Effect {
  const { options, values, rest } = readArguments(words, ['-t', '--target-directory'])
  const folder = values.get('-t') ?? values.get('--target-directory')
  const last = folder ?? rest.at(-1)
  const to = last && readTarget(last)
  const { targets, isUnclear } = findTargets(folder ? rest : rest.slice(0, -1))
  if (to === undefined || to.glob || hasAny(options, '-n', '--no-clobber')) return UNCLEAR
  const into = folder !== undefined || targets.length > 1 || to.name.endsWith('/')
  return {
    operations: targets.map((path) =>
      op === 'copy' && path.name.endsWith('/.')
        ? { op, path: { ...path, name: path.name.slice(0, -2) }, to, isContents: true }
        : { op, path, to, ...(into && { into }) },
    ),
    isUnclear,
  }
}

function download(
  words: readonly ShellWord[],
  named: readonly string[],
  unnamed: readonly string[] | undefined,
): Effect {
  const { options, values } = readArguments(words, named)
  const output = named.flatMap((option) => values.get(option) ?? [])
  if (output.some(({ text }) => text === '-')) return NOTHING
  if (output.length > 0) return each(output, (path) => ({ op: 'write', path }))
  return unnamed === undefined || hasAny(options, ...unnamed) ? UNCLEAR : NOTHING
}
