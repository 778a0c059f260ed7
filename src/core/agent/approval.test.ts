// What may run, what is asked for and what is refused; above all commands that try to be more than they seem.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { type ApprovalPolicy, judge, patternProblem } from './approval.ts'
import type { ToolEffect } from './tool.ts'

type Verdict = 'allow' | 'ask' | 'deny'

const ASK: ApprovalPolicy = { mode: 'ask', allow: [], deny: [], readOnly: false }

function verdictOn(
  policy: Partial<ApprovalPolicy>,
  effect: ToolEffect,
  subject: string,
  name: string = effect,
): Verdict {
  const { verdict, reason } = judge({ ...ASK, ...policy }, { name, effect, subject })
  expect(reason).toMatch(/^[A-Z][^\n]*\.$/)
  expect(reason.length).toBeLessThan(300)
  return verdict
}

describe('the mode', () => {
  const cases: [ApprovalPolicy['mode'], ToolEffect, Verdict][] = [
    ['ask', 'read', 'ask'],
    ['ask', 'run', 'ask'],
    ['ask', 'none', 'allow'],
    ['allow', 'read', 'allow'],
    ['allow', 'write', 'allow'],
    ['allow', 'run', 'allow'],
    ['deny', 'read', 'deny'],
    ['deny', 'run', 'deny'],
    ['deny', 'none', 'allow'],
  ]
  it.each(cases)('%s decides on %s where no pattern does: %s', (mode, effect, verdict) => {
    expect(verdictOn({ mode }, effect, 'x')).toBe(verdict)
  })

  it.each(['ask', 'allow', 'deny'] as const)(
    '%s gives way to read-only and to patterns',
    (mode) => {
      const wide = { mode, allow: ['*', 'run:*', 'write:*', 'read:*'] }
      expect(verdictOn({ ...wide, readOnly: true }, 'write', 'a')).toBe('deny')
      expect(verdictOn({ ...wide, readOnly: true }, 'run', 'ls')).toBe('deny')
      expect(verdictOn({ ...wide, readOnly: true }, 'read', 'a')).toBe('allow')
      expect(verdictOn({ ...wide, readOnly: true }, 'none', 'a')).toBe('allow')
      expect(verdictOn(wide, 'run', 'ls')).toBe('allow')
      expect(verdictOn({ ...wide, deny: ['run:ls*'] }, 'run', 'ls')).toBe('deny')
      expect(verdictOn({ ...wide, deny: ['recall'] }, 'none', 'a', 'recall')).toBe('deny')
    },
  )
})

describe('a pattern', () => {
  const cases: [allow: string, effect: ToolEffect, name: string, subject: string, Verdict][] = [
    ['search', 'read', 'search', 'anything', 'allow'],
    ['search', 'read', 'search-all', 'anything', 'ask'],
    ['mcp_*', 'write', 'mcp_files', 'a', 'allow'],
    ['write', 'write', 'edit', 'a', 'ask'], // the tool of that name, not the effect
    ['write', 'write', 'write', 'a', 'allow'],
    ['write:*', 'write', 'edit', 'a/b/c', 'allow'],
    ['write:**', 'write', 'edit', '../a', 'allow'],
    ['edit:docs/*', 'write', 'edit', 'docs/a.md', 'allow'],
    ['edit:docs/*', 'write', 'write', 'docs/a.md', 'ask'],
    ['edit:docs/*', 'write', 'edit', 'docs/a/b.md', 'ask'],
    ['write:src/**', 'write', 'edit', 'src/a/b.ts', 'allow'],
    ['write: src/** ', 'write', 'edit', './src//a.ts', 'allow'],
    ['write:src/', 'write', 'edit', 'src/a/b.ts', 'allow'],
    ['write:./src/**', 'write', 'edit', 'src/a', 'allow'],
    ['write:src/**', 'read', 'read', 'src/a', 'ask'],
    ['write:src/**', 'write', 'edit', 'SRC/a', 'ask'],
    ['write:src/**', 'write', 'edit', 'src/../package.json', 'ask'],
    ['write:src/**', 'write', 'edit', 'src/../../src/a', 'ask'],
    ['write:src/**', 'write', 'edit', 'src\\..\\a', 'ask'],
    ['write:src/**', 'write', 'edit', '/src/a', 'ask'],
    ['write:**/a', 'write', 'edit', '../a', 'ask'],
    ['write:**/a', 'write', 'edit', '/etc/a', 'ask'],
    ['write:*.md', 'write', 'edit', 'docs/a.md', 'ask'],
    ['read:../docs/**', 'read', 'read', '../docs/a', 'allow'],
    ['read:../**', 'read', 'read', '../../etc/passwd', 'ask'],
    ['read:/tmp/**', 'read', 'read', '/tmp/a', 'allow'],
    ['read:/tmp/**', 'read', 'read', '/tmp/../etc/passwd', 'ask'],
    ['write:', 'write', 'edit', '', 'ask'],
    ['', 'write', '', 'a', 'allow'], // a tool without a name has none but this
  ]
  it.each(cases)('%j allows %s by %s of %j: %s', (pattern, effect, name, subject, verdict) => {
    expect(verdictOn({ allow: [pattern] }, effect, subject, name)).toBe(verdict)
  })

  const denied: [deny: string, effect: ToolEffect, subject: string, Verdict][] = [
    ['write:.env', 'write', '.env', 'deny'],
    ['write:.env', 'write', './x/../.ENV', 'deny'],
    ['write:.ENV', 'write', '.env', 'deny'],
    ['write:SRC/Gen/**', 'write', 'src/gen/a', 'deny'],
    ['run:RM *', 'run', 'rm -rf /', 'deny'],
    ['write:.env', 'write', 'deep/in/.env', 'deny'],
    ['write:.env', 'write', '/srv/app/.env', 'deny'],
    ['write:.env', 'read', '.env', 'allow'],
    ['write:.env', 'write', '.env.example', 'allow'],
    ['write:src/gen/**', 'write', 'src/gen/a', 'deny'],
    ['write:src/gen/**', 'write', '/srv/src/gen/a', 'deny'],
    ['write:src/gen/**', 'write', '../app/src/gen/a', 'deny'],
    ['write:src/gen/**', 'write', 'other/src/gen/a', 'allow'],
    ['write:src/gen', 'write', 'src/gen/a/b', 'deny'],
    ['read:secrets', 'read', 'secrets/key', 'deny'],
    ['read:/etc/**', 'read', '../../../etc/passwd', 'deny'],
    ['read:*', 'read', 'a', 'deny'],
    ['run:rm *', 'run', 'rm -rf /', 'deny'],
    ['run:rm *', 'run', 'cd /; rm -rf .', 'deny'],
    ['run:rm *', 'run', 'true &&rm -rf .', 'deny'],
    ['run:rm *', 'run', "'rm' -rf .", 'deny'],
    ['run:rm *', 'run', 'r\\m -rf .', 'deny'],
    ['run:rm *', 'run', 'RM -rf .', 'deny'],
    ['run:rm *', 'run', '/bin/rm -rf .', 'deny'],
    ['run:rm *', 'run', 'A=1 B=2 rm -rf .', 'deny'],
    ['run:rm *', 'run', 'sudo rm -rf .', 'deny'],
    ['run:rm *', 'run', 'env -i A=1 nice -n 5 rm -rf .', 'deny'],
    ['run:rm *', 'run', 'if true; then rm -rf .; fi', 'deny'],
    ['run:rm *', 'run', '(rm -rf .)', 'deny'],
    ['run:rm *', 'run', '{ rm -rf .; }', 'deny'],
    ['run:rm *', 'run', 'echo $(rm -rf .)', 'deny'],
    ['run:rm *', 'run', 'ls\nrm -rf .', 'deny'],
    ['run:rm *', 'run', 'find . | xargs rm -f', 'deny'],
    ['run:rm *', 'run', 'bash -c "rm -rf ."', 'ask'],
    ['run:rm *', 'run', 'sudo -u root rm -rf .', 'ask'],
    ['run:rm *', 'run', '`rm -rf .`', 'ask'],
    ['run:rm *', 'run', 'git rm a', 'ask'],
    ['run:rm *', 'run', 'x=rm; $x -rf .', 'ask'],
    ['run:rm *', 'run', '/bin/r? -rf .', 'ask'],
    ['run:rm *', 'run', 'echo cm0gLXJmIC8= | base64 -d | sh <<< x', 'ask'],
    ['run:rm *', 'run', 'npm run build', 'allow'],
    ['run:rm *', 'run', 'npm run format', 'allow'],
    ['run:git push', 'run', 'bash -c "git push" x', 'ask'],
    ['read:.env', 'run', 'cat ./.env', 'ask'],
    ['write:.env', 'run', 'tee --output=.env', 'ask'],
    ['write:.env', 'run', 'echo x >deep/.env', 'ask'],
    ['read:.env', 'run', 'cat $(ls -a | head -3)', 'ask'],
    ['write:.env', 'run', 'npm test', 'allow'],
    ['run:', 'run', 'ls', 'ask'], // a pattern that says nothing must not let all through
    ['', 'read', 'a', 'ask'],
  ]
  it.each(denied)(
    '%j denies %s of %j where all is allowed: %s',
    (deny, effect, subject, verdict) => {
      expect(verdictOn({ mode: 'allow', deny: [deny] }, effect, subject)).toBe(verdict)
      expect(verdictOn({ allow: ['*'], deny: [deny] }, effect, subject)).toBe(verdict)
    },
  )

  it('that is none is told', () => {
    for (const pattern of ['', ' ', ':x', ' : '])
      expect(patternProblem(pattern)).toMatch(/names no/)
    for (const pattern of ['run:', 'run: ']) expect(patternProblem(pattern)).toMatch(/has nothing/)
    for (const pattern of ['*', 'run', 'run:npm test*', 'read:a:b']) {
      expect(patternProblem(pattern)).toBeUndefined()
    }
  })
})

describe('a command', () => {
  const policy = { allow: ['run:git status*', 'run:ls*', 'run:npm test'] }

  const allowed = [
    'git status',
    '  git   status\t-s ',
    'git status "a b" \'; rm -rf /\'',
    'git status \\; ls',
    'git status "\\"; rm -rf /; "',
    'git status; ls -la',
    'git status && ls || npm test',
    'ls | ls',
    'ls\nls\n',
    'ls & ls &',
    '(ls; git status)',
    'ls 2>&1 >/dev/null 2> /dev/null </dev/null',
    'ls &>/dev/null',
    'ls a#b "#c" \\$HOME \'$HOME\'',
    'ls *.ts ~/x',
  ]
  it.each(allowed)('of allowed parts only is allowed: %j', (command) => {
    expect(verdictOn(policy, 'run', command)).toBe('allow')
    expect(verdictOn({ ...policy, mode: 'deny' }, 'run', command)).toBe('allow')
  })

  const hostile = [
    'git status; rm -rf /',
    'git status;rm -rf /',
    'git status && rm -rf /',
    'git status || rm -rf /',
    'git status | sh',
    'git status |& sh',
    'git status & rm -rf /',
    'git status\nrm -rf /',
    'git status\r\nrm -rf /',
    'git status $(rm -rf /)',
    'git status `rm -rf /`',
    'git status "$(rm -rf /)"',
    'git status "`rm -rf /`"',
    `git status $\{x:-$(rm -rf /)}`,
    'git status $HOME',
    "git status $'\\n'",
    'git status <(rm -rf /)',
    'git status >(sh)',
    'git status > ~/.bashrc',
    'git status >> ~/.bashrc',
    'git status >| x',
    'git status &> x',
    'git status >& x',
    'git status 2>x',
    'git status <x',
    'git status <>x',
    'git status > /dev/null > x',
    'git status >/dev/null/../../x',
    'git status <<EOF\nEOF\nrm -rf /',
    'git status <<< x',
    'git status # comment',
    'git status {a,b}',
    'git status; { rm -rf /; }',
    'git() { rm -rf /; }; git status',
    'git status; (rm -rf /)',
    'git status "unclosed',
    "git status 'unclosed",
    'git status \\',
    'git status\\\n; rm -rf /',
    "git status '\\'; rm -rf /",
    'git status "" ; "rm" -rf /',
    'git status\u0000; rm -rf /',
    'git status\u001b]0;x\u0007',
    'GIT_PAGER=sh git status',
    'sudo git status',
    '! git status',
    'if git status; then rm -rf /; fi',
    '"git status"',
    'g?t status',
    'git\u00a0status',
    'git stash',
    'npm test evil',
    'npm testing',
    'rm -rf / # git status',
    '',
    '   ',
    ';',
    '>/dev/null',
  ]
  it.each(hostile)('that is more than its beginning is not allowed: %j', (command) => {
    expect(verdictOn(policy, 'run', command)).toBe('ask')
    expect(verdictOn({ ...policy, mode: 'deny' }, 'run', command)).toBe('deny')
  })

  it('that is very long is asked for, unless everything is allowed', () => {
    const long = `git status ${'x'.repeat(5_000)}`
    expect(verdictOn(policy, 'run', long)).toBe('ask')
    expect(verdictOn({ mode: 'allow' }, 'run', long)).toBe('allow')
    expect(verdictOn({ mode: 'allow', deny: ['run:rm *'] }, 'run', long)).toBe('ask')
    expect(verdictOn({ mode: 'allow', deny: ['read:.env'] }, 'read', long)).toBe('ask')
    expect(verdictOn({ mode: 'allow', deny: ['read:.env'] }, 'write', long)).toBe('allow')
  })

  it('is judged in good time, however long and strange', () => {
    const deny = ['run:rm *', `run:${'*a'.repeat(100)}b`, 'read:**/a/**/b/**/c']
    for (const part of ['rm ', 'a/', '"', '$(', 'a ', '\\', '((', '../']) {
      verdictOn({ mode: 'allow', deny }, 'run', part.repeat(3_900 / part.length))
      verdictOn({ mode: 'allow', deny }, 'read', part.repeat(10_000))
    }
  })
})

/**
 * The shells themselves say what a command does: where a pattern allows it, nothing but `git` may
 * run, and no file may appear.
 */
describe.each(['sh', 'bash'])('what is allowed, run by %s', (shell) => {
  const SIGNS = [
    ...[
      'git status',
      'evil',
      'x',
      ' ',
      ' ',
      '\n',
      '\t',
      ';',
      '&',
      '|',
      '(',
      ')',
      '<',
      '>',
      '$',
      '`',
    ],
    ...[
      "'",
      '"',
      '\\',
      '{',
      '}',
      '#',
      '!',
      '*',
      '?',
      '[',
      ']',
      '=',
      ',',
      '-',
      '~',
      '1',
      '2',
      '%',
      '^',
    ],
    ...['/dev/null', '&1', '$(', '${', '<<', ' && ', '; ', '\u00a0', '\r', 'if ', 'eval ', '/'],
  ]
  const command = fc
    .array(fc.constantFrom(...SIGNS), { maxLength: 8 })
    .map((signs) => `git status${signs.join('')}`)

  it('runs nothing else and writes nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-approval-'))
    try {
      for (const name of ['git', 'evil', 'x']) {
        const file = join(folder, name)
        writeFileSync(file, name === 'git' ? '#!/bin/sh\n' : '#!/bin/sh\necho "RAN $0"\n')
        chmodSync(file, 0o700)
      }
      const before = readdirSync(folder)
      const options = { cwd: folder, env: { PATH: folder }, encoding: 'utf8' } as const
      let ran = 0
      fc.assert(
        fc.property(command, (text) => {
          if (verdictOn({ allow: ['run:git status*'] }, 'run', text) !== 'allow') return
          ran += 1
          const path = shell === 'sh' ? '/bin/sh' : '/bin/bash'
          const { stdout } = spawnSync(path, ['-c', text], { ...options, timeout: 10_000 })
          expect(stdout).not.toContain('RAN')
          expect(readdirSync(folder)).toEqual(before)
        }),
        runs(600),
      )
      expect(ran).toBeGreaterThan(30)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
