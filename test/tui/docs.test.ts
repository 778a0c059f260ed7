// The page of the chat says what the chat does: its keys, its commands, its options, its picture.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { definitions } from '../../src/cli/commands/threads.ts'
import { processIo } from '../../src/cli/process-io.ts'
import { CHAT_COMMANDS, helpText } from '../../src/tui/dialogs/commands.ts'
import { EDITOR_KEYS, KEYS } from '../../src/tui/screen/keys.ts'

const page = readFileSync(new URL('../../docs/chat.md', import.meta.url), 'utf8')

/** The rows of the table behind a mark, without its head. */
function tableBehind(mark: string): string[] {
  const [, rest = ''] = page.split(`<!-- ${mark}:`)
  const [table = ''] = rest.slice(rest.indexOf('\n') + 1).split('<!--')
  return table.trim().split('\n').slice(2)
}

describe('docs/chat.md', () => {
  it('lists the keys', () => {
    const rows = [...KEYS, ...EDITOR_KEYS].map(({ shown, does }) => `| ${shown} | ${does} |`)
    expect(tableBehind('keys')).toEqual(rows)
  })

  it('lists the commands of the chat', () => {
    const rows = CHAT_COMMANDS.map(({ usage, description }) => `| \`${usage}\` | ${description} |`)
    expect(tableBehind('commands')).toEqual(rows)
  })

  it('lists the options', () => {
    const command = new Command('chat')
    definitions.chat?.(command, processIo())
    for (const { flags } of command.options) expect(page).toContain(`| \`${flags}\` |`)
  })

  it('shows a recording of a fresh session', () => {
    const film = readFileSync(new URL('../../docs/pictures/chat.svg', import.meta.url), 'utf8')
    for (const words of ['Context compacted. Summary:', 'New session started', 'queue 0'])
      expect(film).toContain(words)
    expect(film).toContain('<animate ')
  })
})

describe('/help', () => {
  it('lists every key and every command', () => {
    const help = helpText('chat')
    for (const { shown } of [...KEYS, ...EDITOR_KEYS]) expect(help).toContain(shown)
    for (const { usage } of CHAT_COMMANDS) expect(help).toContain(usage)
    expect(help).toContain('Compact context into summary + start fresh')
  })
})
