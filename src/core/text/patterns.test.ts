// Stars in texts and in paths.
import { describe, expect, it } from 'vitest'
import { matchesPath, matchesText } from './patterns.ts'

const TEXTS: [pattern: string, fitting: string[], other: string[]][] = [
  ['git status', ['git status'], ['git status ', 'git', 'Git status', '']],
  ['git status*', ['git status', 'git status -s', 'git statuses'], ['git stash', ' git status']],
  ['*', ['', 'a', 'a b\nc', '😀'], []],
  ['a*b*c', ['abc', 'a--b--c', 'abcbc', 'aXbbXcc'], ['acb', 'ab', 'abcd']],
  ['*.ts', ['.ts', 'a.ts', 'a.ts.ts'], ['a.tsx', 'ts']],
  ['a.c', ['a.c'], ['abc']],
  ['[x](y)+$', ['[x](y)+$'], ['x', 'xyy']],
  ['😀*', ['😀', '😀x'], ['\ud83d', 'x']],
  ['', [''], ['a']],
]

const PATHS: [pattern: string, fitting: string[], other: string[]][] = [
  ['src/*', ['src/a.ts', 'src/b'], ['src', 'src/a/b', 'other/a']],
  ['src/**', ['src/a', 'src/a/b/c', 'src'], ['srcs/a', 'a/src/b']],
  ['**/x', ['x', 'a/x', 'a/b/x'], ['a/xx', 'x/a']],
  ['a/**/z/*.ts', ['a/z/q.ts', 'a/b/z/q.ts', 'a/z/z/q.ts'], ['a/z/q.js', 'a/q.ts']],
  ['**/a/**/b', ['a/b', 'x/a/y/b', 'a/x/a/b'], ['a', 'b/a']],
  ['/etc/*', ['/etc/hosts'], ['etc/hosts', '/etc/a/b']],
  ['a**b', ['ab', 'axb'], ['a/b']],
]

describe('stars', () => {
  it.each(TEXTS)('in the text %j', (pattern, fitting, other) => {
    for (const text of fitting) expect(matchesText(pattern, text), text).toBe(true)
    for (const text of other) expect(matchesText(pattern, text), text).toBe(false)
  })

  it.each(PATHS)('in the path %j', (pattern, fitting, other) => {
    for (const path of fitting) expect(matchesPath(pattern, path), path).toBe(true)
    for (const path of other) expect(matchesPath(pattern, path), path).toBe(false)
  })

  it('take no longer the more of them there are', () => {
    expect(matchesText(`${'*a'.repeat(200)}b`, 'a'.repeat(20_000))).toBe(false)
    const path = 'a/'.repeat(2_000)
    expect(matchesPath(`${'**/a/'.repeat(200)}b`, path)).toBe(false)
  })
})
