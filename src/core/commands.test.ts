// Which messages are commands, and what they carry.
import { describe, expect, it } from 'vitest'
import { type Command, parseCommand } from './commands.ts'

const compact = (instructions?: string): Command => ({
  command: 'compact',
  ...(instructions !== undefined && { instructions }),
})
const next = (nextPrompt?: string): Command => ({
  command: 'compact-and-continue',
  ...(nextPrompt !== undefined && { nextPrompt }),
})

const VECTORS: [text: string, command: Command | undefined][] = [
  ['/compact', compact()],
  ['/compact ', compact()],
  ['/compact  focus on X ', compact('focus on X')],
  ['/compactx', undefined],
  [' /compact', compact()],
  ['@compact next', next('next')],
  ['please @compact', undefined],
]

const FIRST_WORDS: [text: string, command: Command | undefined][] = [
  ['/compactfoo', undefined],
  ['/etc/hosts is broken', undefined],
  ['/compact extra words', compact('extra words')],
  ['/compact-all', undefined],
  ['/', undefined],
  ['/ compact', undefined],
  ['//compact', undefined],
  ['/Compact', undefined],
]

const INSTRUCTIONS: [text: string, instructions: string | undefined][] = [
  ['/compact keep the plan', 'keep the plan'],
  ['/compact   keep the plan  ', 'keep the plan'],
  ['/compact', undefined],
  ['/compact    ', undefined],
  ['/compact\nkeep\n\nboth lines\n', 'keep\n\nboth lines'],
]

const OTHERS: [text: string, command: Command | undefined][] = [
  ['@compact', next()],
  ['@compact \n', next()],
  ['  @compact then fix the tests', next('then fix the tests')],
  ['@compactor', undefined],
  ['@compact, please', undefined],
  ['say /compact', undefined],
  ['', undefined],
  [' \n', undefined],
  ['constructor', undefined],
]

describe('commands', () => {
  it.each(VECTORS)('reads %j as the vectors say', (text, command) => {
    expect(parseCommand(text)).toEqual(command)
  })

  it.each(FIRST_WORDS)(
    'takes %j for a message unless its first word is a command [LOG-31]',
    (text, command) => {
      expect(parseCommand(text)).toEqual(command)
    },
  )

  it.each(INSTRUCTIONS)(
    'trims the instructions of %j, and blanks are none [FRESH-07]',
    (text, instructions) => {
      expect(parseCommand(text)).toStrictEqual(compact(instructions))
    },
  )

  it.each(OTHERS)('reads %j', (text, command) => {
    expect(parseCommand(text)).toStrictEqual(command)
  })
})
