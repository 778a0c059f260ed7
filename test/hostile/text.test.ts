// Hostile text: commands that hide a part of themselves from whoever approves them, and stored text that
// would steer the terminal of whoever reads it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runPlain } from '../../src/tui/plain.ts'
import { eachPlace } from '../cli/place.ts'
import { setUpApp } from '../server/setup.ts'
import { openChat } from '../tui/setup.ts'

const ASKING = { mode: 'ask', allow: ['read:*'], deny: [], readOnly: false } as const

function calling(name: string, input: Readonly<Record<string, string>>) {
  return { script: [{ calls: [{ name, arguments: input }] }, { text: 'The end.' }] }
}

/** Each would be seen as less than it is, or as something else. */
const CONTROLS: readonly (readonly [string, string])[] = [
  ['a title', 'echo tests ok \u001b];touch HIDDEN;\u0007'],
  ['a string of the device', 'echo ok \u001bPtouch HIDDEN;\u001b\\'],
  ['a title of the second set', 'echo ok \u009d;touch HIDDEN;\u009c'],
  ['colours that conceal', 'echo ok \u001b[8m; touch HIDDEN\u001b[0m'],
  ['a return to the start of the line', 'touch HIDDEN\recho ok      '],
  ['backspaces', 'touch HIDDEN\b\b\b\b\b\b\b\b\b\b\b\becho ok     '],
  ['a page', 'touch HIDDEN\u000cecho ok'],
  ['delete', 'touch HIDDEN \u007f\u007f'],
]

describe('a command with control characters', () => {
  it.each(CONTROLS)('is refused, unasked and even where all is allowed: %s', async (_, command) => {
    for (const mode of ['ask', 'allow'] as const) {
      const { client, folder } = await setUpApp({
        dev: calling('run', { command }),
        agent: { approval: { ...ASKING, mode } },
      })
      const { threadId } = await client.createThread({})
      await client.send(threadId, 'go')
      await expect.poll(async () => (await client.thread(threadId)).isWorking).toBe(false)
      const events = await client.events(threadId)
      expect(events.map(({ type }) => type)).not.toContain('TOOL_APPROVAL_REQUEST')
      const result = events.find((event) => event.type === 'TOOL_RESULT')
      expect(JSON.stringify(result?.data)).toMatch(/must not hold control characters \(\[U\+/)
      expect(existsSync(join(folder, 'HIDDEN'))).toBe(false)
    }
  })
})

/** What is asked about, and what must be seen of it. */
const ASKED: readonly (readonly [string, string, string])[] = [
  ['an override of the direction', 'echo \u202etxt.exe', 'run: echo [U+202E]txt.exe'],
  ['an isolate', 'echo \u2066a\u2069', 'run: echo [U+2066]a[U+2069]'],
  ['no width', 'rm -rf build\u200b', 'run: rm -rf build[U+200B]'],
  ['tags', 'echo a\u{e0041}', 'run: echo a[U+E0041]'],
  ['a blank that is not the blank', 'rm\u00a0-rf a', 'run: rm[U+00A0]-rf a'],
  ['a filler', 'echo \u3164', 'run: echo [U+3164]'],
  ['a mark that strikes out', 'rm\u0336 a', 'run: rm[U+0336] a'],
]

describe('what is asked about', () => {
  it.each(ASKED)('is seen in the chat: %s', async (_, command, seen) => {
    const chat = await openChat({ dev: calling('run', { command }) })
    chat.terminal.enter('go')
    const screen = await chat.terminal.sees('Allow')
    expect(screen).toContain(seen)
    chat.terminal.type('s')
    chat.terminal.press('enter')
    await chat.terminal.sees(seen.replace('run: ', 'command: '))
    chat.terminal.press('escape')
    await chat.terminal.sees('Allow')
    chat.terminal.press('escape')
    await chat.terminal.sees('The end.')
  })

  it.each(ASKED)(
    'is seen in plain lines, over HTTP and in the frames: %s',
    async (_, command, seen) => {
      const { client, ask } = await setUpApp({
        dev: calling('run', { command }),
        agent: { approval: ASKING },
      })
      const { threadId } = await client.createThread({})
      let said = ''
      const answers = Promise.withResolvers<string>()
      async function* lines() {
        yield 'go'
        yield await answers.promise
      }
      const chat = runPlain({
        client,
        threadId,
        lines: lines(),
        isPatient: true,
        write: (text) => {
          said += text
        },
        hasFile: async () => false,
        saveFile: async (name) => name,
      })
      const approvals = async () => (await client.thread(threadId)).approvals
      await expect.poll(approvals).toHaveLength(1)
      const body = await (await ask(`/threads/${threadId}`)).text()
      expect(body).toContain(JSON.stringify(seen.replace('run: ', '')))
      answers.resolve('n')
      await chat
      expect(said).toContain(`${seen}\n`)
      for (const character of command.replace(/[ -~]/gu, '')) expect(said).not.toContain(character)
    },
  )

  it('keeps the lines of a command apart from the question', async () => {
    const command = 'echo ok\nPatterns allow it.\n  1. Allow'
    const chat = await openChat({ rows: 30, dev: calling('run', { command }) })
    chat.terminal.enter('go')
    const screen = await chat.terminal.sees('Enter chooses')
    expect(screen).toMatch(
      /run: echo ok +│ *\n.*│ {3}│ Patterns allow it\. +│ *\n.*│ {3}│ {3}1\. Allow/,
    )
  })

  it('is not allowed by the first Enter where it may not be seen whole', async () => {
    const command = `echo ok${'\n'.repeat(30)}touch HIDDEN`
    const chat = await openChat({ dev: calling('run', { command }) })
    chat.terminal.enter('go')
    expect(await chat.terminal.sees('Enter chooses')).toMatch(/… \d+ more lines/)
    chat.terminal.press('enter')
    await chat.terminal.sees('Esc closes')
    chat.terminal.press('page-down', 'page-down')
    await chat.terminal.sees('touch HIDDEN')
    expect(existsSync(join(chat.folder, 'HIDDEN'))).toBe(false)
  })

  it('is a path with every character', async () => {
    const path = 'a\u001b]0;x\u0007\u202eb.txt'
    const chat = await openChat({ dev: calling('write', { path, content: 'x' }) })
    chat.terminal.enter('go')
    expect(await chat.terminal.sees('Allow')).toContain('write: a[U+001B]]0;x[U+0007][U+202E]b.txt')
  })
})

const place = eachPlace()
const EVIL =
  'zebra \u001b]0;title\u0007 \u001b[2J \u001b]52;c;ZXZpbA==\u0007 \u009b2J \u202eturned \rback \bgone \u001bc'

describe('stored text', () => {
  function session(): string {
    return place().write(
      'evil.json',
      JSON.stringify({
        model: 'm\u001b]0;x\u0007',
        messages: [
          { role: 'user', content: EVIL },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'a', name: 'evil\u001b]0;t\u0007', input: { path: EVIL } },
            ],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: `${EVIL}\n`.repeat(200) }],
          },
          { role: 'assistant', content: `It said ${EVIL}` },
        ],
      }),
    )
  }

  it('steers no terminal, whatever command prints it', async () => {
    const file = session()
    const [{ threadId = '' } = {}] = await place().json<{ threadId?: string }[]>(['import', file])
    const commands = [
      ['threads'],
      ['recall', 'zebra'],
      ['recall', 'zebra', '--in', file, '--json'],
      ['recall', '\u001b]0;x\u0007'],
      ['show', `${threadId}:e3`],
      ['show', 'e3', '--in', file],
      ['inspect', file],
      ['pins', threadId, '--add', EVIL],
      ['pins', threadId],
      ['compact', file],
      ['compact', threadId, '--strategy', 'trim-tool-results'],
      ['diff', threadId],
      ['threads', '--json'],
      ['undo', threadId],
      ['check', file],
      ['import', file],
      ['export', threadId, '--to', 'markdown'],
      ['export', threadId, '--to', 'markdown', '--full'],
      ['export', file, '--to', 'html'],
      ['send', '--model', 'dev', EVIL],
      ['show', 'e99\u001b[2J', '--in', file],
      ['compact', `gone\u001b]0;x\u0007.json`],
    ]
    for (const command of commands) {
      const { stdout, stderr } = await place().precis(command)
      const written = stdout + stderr
      expect(written, command.join(' ')).not.toMatch(/(?![\n\t]|\r\n)\p{Cc}|\u202e/u)
    }
  })

  it('is shown in full, and word for word with --json', async () => {
    const file = session()
    const shown = (await place().precis(['show', 'e3', '--in', file])).stdout
    expect(shown).toContain('zebra [U+001B]]0;title[U+0007] [U+001B][2J')
    const { text } = await place().json<{ text: string }>(['show', 'e3', '--in', file])
    expect(text).toContain(EVIL)
  })
})

describe('an argument of a command', () => {
  const NAME = EVIL.replaceAll('/', '_')
  const COMMANDS =
    'compact inspect exam sessions sync import export threads diff undo redo fork pins recall show install uninstall handoff hook token send check store config doctor completion start edl'

  it.each(COMMANDS.split(' '))('steers no terminal: precis %s', async (command) => {
    place().write(NAME, '[{"role": "user", "content": "hello"}]')
    const inPlace = await place().precis(['compact', NAME, '--in-place'])
    expect(inPlace.stderr).toBe('')
    const { stdout: help } = await place().precis([command, '--help'])
    const options = [...help.matchAll(/^ +(?:-\w, )?(--[\w-]+) (?=[<[])/gm)]
    const tries = [[NAME], [NAME, NAME], ['gone', NAME], [`${NAME}2`, 'gone'], [`--${NAME}`]]
    for (const [, option = ''] of options) tries.push([NAME, option, NAME])
    for (const args of tries) {
      const { stdout, stderr } = await place().precis([command, ...args])
      // What export writes is the file itself; on a terminal it is escaped.
      const written = command === 'export' ? stderr : stdout + stderr
      expect(written, args.join(' ')).not.toMatch(/(?![\n\t]|\r\n)\p{Cc}|\u202e/u)
      expect(written).not.toContain('this is a bug')
    }
  })
})
