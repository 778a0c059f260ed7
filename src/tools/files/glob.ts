// Patterns for paths, as .gitignore has them: `*`, `?`, `[a-z]`, `**`. Time grows with pattern × path at most.
import { matchesList } from '../../core/text/words.ts'

export interface Glob {
  /** A path relative to where the pattern counts from, with `/` between its parts. */
  matches(path: string): boolean
}

/** One sign of a pattern: any run of characters, any one, one of a class, or itself. */
type Sign = '*' | '?' | RegExp | { readonly char: string }
type Segment = '**' | readonly Sign[]

/** A pattern without `/` matches a name in any folder; with one, it counts from the top. */
export function compileGlob(pattern: string): Glob {
  const parts = pattern.replace(/^\.\//, '').replace(/\/+$/, '').split('/')
  const isAnchored = parts.length > 1
  if (parts[0] === '') parts.shift() // a slash in front only says that it counts from the top
  if (parts.at(-1) === '**' && parts.length > 1) parts.push('*') // what is inside, not the folder
  const named = parts.map((part): Segment => (part === '**' ? '**' : findSigns(part)))
  const segments: readonly Segment[] = isAnchored ? named : ['**', ...named]
  return {
    matches: (path) =>
      matchesList(
        segments,
        path.split('/'),
        (segment) => segment === '**',
        (segment, name) => segment !== '**' && matchesName(segment, name),
      ),
  }
}

const MOST_ALTERNATIVES = 64

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`; beyond a limit braces stay as they are. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next)
    const choices = braces?.[1]?.split(',') ?? []
    if (!braces || done.length + waiting.length + choices.length > MOST_ALTERNATIVES) {
      done.push(next)
      continue
    }
    const before = next.slice(0, braces.index)
    const after = next.slice(braces.index + braces[0].length)
    waiting.push(...choices.map((choice) => before + choice + after))
  }
  return done
}

function findSigns(part: string): Sign[] {
  const signs: Sign[] = []
  for (let at = 0; at < part.length; ) {
    const rest = part.slice(at)
    const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest)
    if (rest.startsWith('*')) {
      if (signs.at(-1) !== '*') signs.push('*')
      at += 1
    } else if (rest.startsWith('?')) {
      signs.push('?')
      at += 1
    } else if (set) {
      signs.push(classOf(set[1] !== '', set[2] ?? ''))
      at += set[0].length
    } else {
      const char = String.fromCodePoint(rest.codePointAt(rest.startsWith('\\') ? 1 : 0) ?? 0x5c)
      signs.push({ char })
      at += char.length + (rest.startsWith('\\') && rest.length > 1 ? 1 : 0)
    }
  }
  return signs
}

/** A class that makes no sense, as `[z-a]`, matches nothing. */
function classOf(isNegated: boolean, inside: string): RegExp {
  const escaped = inside.replace(/[\\\]^[]/g, '\\$&')
  try {
    return new RegExp(`^[${isNegated ? '^' : ''}${escaped}]$`, 'u')
  } catch {
    return /$./
  }
}

function matchesName(signs: readonly Sign[], name: string): boolean {
  return matchesList(
    signs,
    [...name],
    (sign) => sign === '*',
    (sign, char) => {
      if (sign === '?') return true
      if (sign instanceof RegExp) return sign.test(char)
      return sign !== '*' && sign.char === char
    },
  )
}
