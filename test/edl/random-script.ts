// Random files and random scripts for them, from a seed: sensible ones, silly ones, and broken ones.
import { SEARCHES, WRITES } from '../../src/edl/script.ts'
import type { Random } from '../generate/random.ts'

const PATHS = ['a', 'b', '/c d', 'new']
const LINES = ['a', 'b', 'ab', '', 'a b', '  a', '# x', '😀', 'é', 'b😀']
const REGEXES = '/a/ /b/g /[ab]+/ /\\n/ /😀/ /.b?/s /\\s+/ /(?<=a)b/ /\\bab?/i /x/ /^a/y'.split(' ')
/** These are found in every text. */
const FOUND = '/b*/ /(?:)/ /$/ /^/m /^.*$/m /^|a$/m bof eof 1 1:0 1-eof bof-1 bof-eof'.split(' ')
const POSITIONS = ['bof', 'eof', '1', '2', '3', '9', '1:0', '2:0', '2:1', '1:2', '2:']
const REGISTERS = ['r', 's', '_saved_1']

export type Texts = Readonly<Record<string, string>>

export function randomFiles(random: Random): Record<string, string> {
  const files: Record<string, string> = {}
  for (const path of PATHS)
    if (path !== 'new' && random.chance(0.9)) files[path] = randomText(random)
  return files
}

export function randomScript(random: Random, texts: Texts): string {
  const script: string[] = []
  for (let count = random.int(1, 3); count > 0; count -= 1) {
    const path = random.pick(PATHS)
    script.push(open(random, path))
    for (let more = random.int(0, 3); more > 0; more -= 1)
      script.push(...(random.chance(0.9) ? phrase(random, texts[path] ?? '') : [command(random)]))
  }
  const text = script.join(random.chance(0.1) ? '\n\n# note\n' : '\n')
  return random.chance(0.05) ? damaged(random, text) : text
}

/** Few different lines, so that many occur more than once. */
function randomText(random: Random): string {
  const lines = LINES.slice(random.int(0, 5))
  const text = Array.from({ length: random.int(0, 5) }, () => random.pick(lines)).join('\n')
  return text + random.pick(['', '\n', '\n', '\r\n'])
}

function open(random: Random, path: string): string {
  const name = path === 'new' || random.chance(0.03) ? 'newfile' : 'file'
  return `${name} ${path.includes(' ') || random.chance(0.3) ? `\`${path}\`` : path}`
}

/** What makes sense: several are selected, one is chosen, it may be widened, and something is done to it. */
function phrase(random: Random, text: string): string[] {
  const commands = [`select_multiple ${pattern(random, text)}`]
  if (random.chance(0.2)) commands.push(`narrow_multiple ${random.pick(FOUND)}`)
  if (random.chance(0.6)) {
    commands.push(random.pick(['retain_first', 'retain_last', 'retain_nth 0', 'retain_nth -1']))
    const beside = random.pick(['extend_forward', 'extend_back', 'select_next', 'select_prev'])
    const where = random.pick([pattern(random, text), ...FOUND])
    if (random.chance(0.4)) commands.push(`${beside} ${where}`)
  }
  const last = random.weighted({ write: 6, delete: 1, cut: 1 })
  if (last === 'write') commands.push(`${random.pick(WRITES)} ${value(random)}`)
  else commands.push(last === 'delete' ? last : `cut ${random.pick(REGISTERS)}`)
  return commands
}

function command(random: Random): string {
  switch (random.weighted({ search: 8, write: 4, retain: 2 })) {
    case 'search':
      return `${random.pick(SEARCHES)} ${pattern(random, random.pick(LINES))}`
    case 'write':
      return `${random.pick(WRITES)} ${value(random)}`
    case 'retain':
      return `retain_nth ${random.int(-3, 3)}`
  }
}

function pattern(random: Random, text: string): string {
  switch (random.weighted({ found: 5, regex: 2, lines: 4, position: 2, range: 2 })) {
    case 'found':
      return random.pick(FOUND)
    case 'regex':
      return random.pick(REGEXES)
    case 'lines': {
      const lines = text.split('\n')
      const first = random.int(0, lines.length - 1)
      return heredoc(lines.slice(first, first + random.int(1, 2)))
    }
    case 'position':
      return random.pick(POSITIONS)
    case 'range':
      return `${random.pick(POSITIONS)}-${random.pick(POSITIONS)}`
  }
}

function value(random: Random): string {
  switch (random.weighted({ lines: 4, string: 4, register: 1 })) {
    case 'lines':
      return heredoc(Array.from({ length: random.int(0, 2) }, () => random.pick(LINES)))
    case 'string':
      return `"${random.pick(['x', '', 'a', '😀', 'a b', '\\"', 'é\\\\'])}"`
    case 'register':
      return random.pick(REGISTERS)
  }
}

function heredoc(lines: readonly string[]): string {
  return ['<<E', ...lines, 'E'].join('\n')
}

/** Something is missing, or something is there that should not be. */
function damaged(random: Random, script: string): string {
  const at = random.int(0, script.length)
  const junk = random.pick(['', '"', '/', '<<', '`', '\n', 'E\n', '\\', '\u0000', ' x '])
  return script.slice(0, at) + junk + script.slice(at + random.int(0, 4))
}
