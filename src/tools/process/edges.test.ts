// Outputs and environments of commands at their edges: each limit at it and one beyond.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import { commandEnvironment, safePath } from './environment.ts'
import { limitedOutcome, limitLine, limitOutput } from './limit-output.ts'

describe('an output', () => {
  const limits = { shownChars: 360, lineChars: 50, keptChars: 1_000 }
  const lines = (count: number) => Array.from({ length: count }, () => 'x'.repeat(19)).join('\n')

  it('is whole up to its limits', () => {
    expect(limitOutput(lines(18), limits)).toEqual({ whole: lines(18) })
    const { whole, shown = '' } = limitOutput(lines(19), limits)
    expect(whole).toBe(lines(19))
    expect(shown).toBe(`${lines(6)}\n[… 7 lines, 140 characters left out …]\n${lines(6)}`)
    const small = { ...limits, shownChars: 1 } // so little says nothing
    expect(limitOutput(lines(18), small)).toEqual({ whole: lines(18) })
    expect(limitOutput('x'.repeat(50), limits)).toEqual({ whole: 'x'.repeat(50) })
    expect(limitOutput('x'.repeat(51), limits).shown).toBe(
      `${'x'.repeat(50)}… [1 more characters in this line]`,
    )
    const long = { ...limits, lineChars: 1_000 }
    expect(limitOutput('x'.repeat(60), long)).toEqual({ whole: 'x'.repeat(60) })
    expect(limitOutput('x'.repeat(61), long).shown).toMatch(/^x{60}… \[1 more/)
  })

  it('keeps both ends of what is too long', () => {
    expect(limitOutput('x'.repeat(1_000), limits).whole).toBe('x'.repeat(1_000))
    expect(limitOutput(`a${'x'.repeat(999)}b`, limits).whole).toBe(
      `a${'x'.repeat(499)}\n[… 1 characters left out here and not kept …]\n${'x'.repeat(499)}b`,
    )
  })

  it('has an ending and metadata only where they are given', () => {
    expect(limitedOutcome({ status: 'completed', text: 'a' }, limits)).toEqual({
      status: 'completed',
      content: [{ type: 'text', text: 'a' }],
    })
    expect(
      limitedOutcome({ status: 'failed', text: '', ending: 'b', metadata: 0 }, limits),
    ).toEqual({
      status: 'failed',
      content: [{ type: 'text', text: 'b' }],
      metadata: 0,
    })
    const { content, shown } = limitedOutcome(
      { status: 'completed', text: lines(19), ending: 'end' },
      limits,
    )
    expect(content[0]?.text).toBe(`${lines(19)}\nend`)
    expect(shown?.[0]?.type).toBe('text')
    expect(shown?.[0]?.text).toMatch(/left out …\][\s\S]*\nend$/)
  })

  it('has lines that are cut beyond their limit, which is said', () => {
    expect(limitLine('x'.repeat(10), 10)).toBe('x'.repeat(10))
    expect(limitLine('x'.repeat(1_010), 10)).toBe(
      `${'x'.repeat(10)}… [1,000 more characters in this line]`,
    )
  })
})

describe('the environment of a command', () => {
  const all = {
    PATH: '/usr/bin',
    HOME: '/h',
    LC_ALL: 'C',
    XDG_CACHE_HOME: '/c',
    JAVA_HOME: '/j',
    NODE_EXTRA_CA_CERTS: '/n',
    SystemRoot: 'C:',
    SECRET: 's',
    MY_API_KEY: 'k',
    ANTHROPIC_AUTH_TOKEN: 't',
    AWS_PROFILE: 'p',
    AWS_KEY: 'a',
    TERM: 'xterm',
    PAGER: 'less',
  }
  const fixed = {
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
  }
  const usual = {
    PATH: '/usr/bin',
    HOME: '/h',
    LC_ALL: 'C',
    XDG_CACHE_HOME: '/c',
    JAVA_HOME: '/j',
    NODE_EXTRA_CA_CERTS: '/n',
    SystemRoot: 'C:',
    ...fixed,
  }
  it.each([
    [{}, {}],
    [{ passed: ['SECRET'] }, { SECRET: 's' }],
    [{ passed: ['AWS_*'] }, { AWS_PROFILE: 'p', AWS_KEY: 'a' }],
    [{ passed: ['AWS_*'], hidden: ['AWS_KEY'] }, { AWS_PROFILE: 'p' }],
    [{ passed: ['AWS_KEY'], hidden: ['AWS_KEY'] }, { AWS_KEY: 'a' }],
    [{ passed: ['*'] }, { SECRET: 's', AWS_PROFILE: 'p', AWS_KEY: 'a' }],
    [
      { passed: ['MY_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] },
      { MY_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't' },
    ],
  ])('with %j', (options, more) => {
    expect(commandEnvironment(all, '/w', options)).toEqual({ ...usual, ...more })
  })

  it.each([
    ...['USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'PWD', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP'],
    ...['TEMP', 'CI', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
    ...['GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT', 'SSL_CERT_FILE'],
    ...[
      'SSL_CERT_DIR',
      'SystemDrive',
      'PATHEXT',
      'COMSPEC',
      'USERPROFILE',
      'APPDATA',
      'LOCALAPPDATA',
    ],
  ])('holds %s', (name) => {
    expect(commandEnvironment({ [name]: 'x' }, '/w')).toEqual({ [name]: 'x', ...fixed })
    expect(commandEnvironment({ [`X${name}`]: 'x' }, '/w')).toEqual(fixed)
  })

  it('has no path into the workspace, unless it is passed as it is', () => {
    const { root } = workspaceWith({ 'bin/': '' })
    const inside = join(root, 'bin')
    const link = join(workspaceWith().root, 'link')
    symlinkSync(inside, link)
    const path = ['/usr/bin', inside, 'relative', '', link, '/none'].join(':')
    expect(safePath(path, root)).toBe('/usr/bin:/none')
    expect(safePath(undefined, root)).toBe('')
    expect(commandEnvironment({ PATH: path }, root).PATH).toBe('/usr/bin:/none')
    expect(commandEnvironment({ Path: path }, root, { passed: ['Path'] }).Path).toBe(
      '/usr/bin:/none',
    )
    expect(commandEnvironment({ PATH: path }, root, { passed: ['PATH'] }).PATH).toBe(path)
  })
})
