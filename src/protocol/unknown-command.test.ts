// Which texts are a slip of somebody who wanted a command, and what is said of them.
import { expect, it } from 'vitest'
import { unknownCommand } from './view.ts'

const HERE = { own: ['/help'], listing: '/help lists them.' }

const TEXTS: readonly [string, string | undefined][] = [
  ['/hlp', 'There is no command /hlp. Did you mean /help?'],
  ['/compct the ports', 'There is no command /compct. Did you mean /compact?'],
  ['/frobnicate', 'There is no command /frobnicate. /help lists them.'],
  ['/frobnicate is what I said', undefined],
  ['/help', undefined],
  ['/compact the ports', undefined],
  ['/etc/hosts is broken', undefined],
  ['/com/compact', 'There is no command /com/compact. Did you mean /compact?'],
  ['/etc/compact is broken', undefined],
  ['/readme.md', undefined],
  ['an / alone', undefined],
  ['/', 'Type a command behind the slash. /help lists them.'],
]

it.each(TEXTS)('of %j it is said: %s', (text, said) => {
  expect(unknownCommand(text, HERE)).toBe(said)
})
