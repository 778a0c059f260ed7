// Whole screens as text, narrow, usual and wide: what a person sees, to be looked at when it changes.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, result, user } from '../say.ts'
import { type ChatSetup, exchange, openChat } from './setup.ts'

const WIDTHS = [60, 80, 120]

const ANSWER = `## What I found

The **parser** reads \`config.json\` twice; 設定ファイルを二回読みます 👩‍👩‍👧‍👦.

1. open the file
2. read it

\`\`\`ts
const config = read('config.json')
\`\`\`

| file | lines |
|---|---|
| parser.ts | 120 |`

/** What depends on the length of a temporary path, or on the moment, is no part of the picture. */
function picture(screen: string): string {
  const tidy = screen
    .replace(/billed [\d.]+k?/g, 'billed N')
    .replace(/\$\d+\.\d+/g, '$N')
    .replace(/cache \d+ %/g, 'cache N %')
    .split('\n')
    .map((line) => line.trimEnd())
  return `${tidy.join('\n')}\n`
}

async function expectPicture(chat: ChatSetup, name: string, width: number): Promise<void> {
  const screen = picture(await chat.terminal.screen())
  await expect(screen).toMatchFileSnapshot(`./screens/${name}-${width}.txt`)
}

describe.each(WIDTHS)('at %i columns', (columns) => {
  it('a conversation with thinking, a tool and Markdown', async () => {
    const chat = await openChat({
      columns,
      rows: 40,
      dev: {
        script: [
          {
            thinking: 'The user wants to know how the file is read. I will look at the parser.',
            text: 'I look at the parser.',
            calls: [{ name: 'read', arguments: { path: 'parser.ts' } }],
          },
          { text: ANSWER },
        ],
      },
    })
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1} of the parser`)
    writeFileSync(join(chat.folder, 'parser.ts'), lines.join('\n'))
    await exchange(chat, 'How is config.json read?', /120/)
    await chat.terminal.sees(/billed [1-9]/)
    await expectPicture(chat, 'conversation', columns)
  })

  it('a fresh session', async () => {
    const script = [
      { text: 'Hello, what can I do?' },
      { text: '## Progress\n\n- said hello\n\n## Next\n\nNothing yet.' },
    ]
    const chat = await openChat({ columns, rows: 30, dev: { script } })
    await exchange(chat, 'hello', 'what can I do?')
    chat.terminal.enter('/compact')
    await chat.terminal.sees('New session started')
    await chat.terminal.sees('billed 0')
    await expectPicture(chat, 'fresh', columns)
  })

  it('commands that are offered', async () => {
    const chat = await openChat({ columns, rows: 24 })
    chat.terminal.type('/')
    await chat.terminal.sees('/compact')
    await expectPicture(chat, 'offered', columns)
  })

  it('a question whether a tool may run', async () => {
    const script = [{ calls: [{ name: 'run', arguments: { command: 'npm test' } }] }]
    const chat = await openChat({ columns, rows: 24, dev: { script } })
    chat.terminal.enter('test it')
    await chat.terminal.sees('Enter chooses')
    await expectPicture(chat, 'approval', columns)
  })

  it('a divider of a compaction in place', async () => {
    const chat = await openChat({ columns, rows: 24, preset: 'log' })
    const text = `${'content of a file '.repeat(300)}`
    for (const round of [1, 2, 3, 4, 5, 6])
      await chat.home.threads.append(chat.threadId, [
        user(`question ${round}`),
        ...answer('Looking.', `c${round}`),
        result(`c${round}`, text),
        ...answer(`Answer ${round}.`),
      ])
    await chat.terminal.sees('Answer 6.')
    chat.dev.script([{ text: '1. Overview:\nA summary of c1.ts to c6.ts.' }])
    chat.terminal.enter('/compact')
    await chat.terminal.sees('compacted successfully')
    await chat.terminal.sees(/context ░+ ≈?0 %/)
    await chat.terminal.sees('Esc stops it', false)
    // What the summary cost comes a moment later.
    await chat.terminal.sees(/billed [1-9]/)
    const screen = picture(await chat.terminal.screen()).replace(
      /[\d,]+ → [\d,]+ tokens(.*?) ─+/,
      'N → N tokens$1 ─',
    )
    await expect(screen).toMatchFileSnapshot(`./screens/divider-${columns}.txt`)
  })
})
