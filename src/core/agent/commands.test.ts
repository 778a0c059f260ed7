// Which messages are commands, and what they carry.
import { describe, expect, it } from 'vitest'
import { PRESETS } from '../window/presets.ts'
import { COMMANDS, type Command, completeCommand, nearCommand, parseCommand } from './commands.ts'

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
  ['/compact -- keep --foo', compact('keep --foo')],
  ['/compact --', compact()],
  ['/compact keep the --force flag', compact('keep the --force flag')],
  ['/compact - keep this', compact('- keep this')],
  ['/compact — short', compact('— short')],
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

const ARGUMENTS: [text: string, command: Command | undefined][] = [
  ['/undo', { command: 'undo', count: 1 }],
  ['/undo 3', { command: 'undo', count: 3 }],
  ['/redo', { command: 'redo' }],
  ['/expand e12', { command: 'expand', ref: 'e12' }],
  ['/expand [ref:c12.0]', { command: 'expand', ref: 'c12.0' }],
  ['/pin  never push to main ', { command: 'pin', text: 'never push to main' }],
  ['/pin two\n\nlines', { command: 'pin', text: 'two\n\nlines' }],
  ['/pins', { command: 'pins' }],
  ['/unpin pin_1', { command: 'unpin', pinId: 'pin_1' }],
  ['/recall the port of the proxy', { command: 'recall', query: 'the port of the proxy' }],
  ['/recall e12', { command: 'recall-ref', ref: 'e12' }],
  ['/recall c7.0', { command: 'recall-ref', ref: 'c7.0' }],
  ['/recall thr_7:e12', { command: 'recall-ref', ref: 'thr_7:e12' }],
  ['/recall note: see e12', { command: 'recall', query: 'note: see e12' }],
  ['/recall [ref:e12]', { command: 'recall-ref', ref: 'e12' }],
  ['/recall ref: e12', { command: 'recall-ref', ref: 'e12' }],
  ['/recall e12 and e13', { command: 'recall', query: 'e12 and e13' }],
  ['/recall e0', { command: 'recall', query: 'e0' }],
  ['/context', { command: 'context' }],
  ['/strategy', { command: 'strategy' }],
  ['/strategy extract', { command: 'strategy', strategyId: 'extract' }],
  ['/model', { command: 'model' }],
  ['/model openrouter/some/model', { command: 'model', model: 'openrouter/some/model' }],
  ['/model dev', { command: 'model', model: 'dev' }],
  ['/thinking', { command: 'thinking' }],
  ['/thinking high', { command: 'thinking', level: 'high' }],
  ['/fork', { command: 'fork' }],
  ['/new', { command: 'new' }],
  ['/new the second try', { command: 'new', title: 'the second try' }],
  ['/preset', { command: 'preset' }],
  ['/preset log', { command: 'preset', preset: 'log' }],
  ['/pinned', undefined],
  ['/newer', undefined],
  ['/new/file.ts is missing', undefined],
  ['/undo-all', undefined],
]

const COMPACT_OPTIONS =
  'Options: --preview, first and in the chat. For instructions that begin with dashes: /compact -- …'

const INVALID: [text: string, message: string][] = [
  ['/compact --bogus', `"--bogus" is not an option. ${COMPACT_OPTIONS}`],
  ['/compact --bogus keep it', `"--bogus" is not an option. ${COMPACT_OPTIONS}`],
  ['/compact --preview', `"--preview" is only in the chat. ${COMPACT_OPTIONS}`],
  ['/thinking purple', '/thinking takes off, low, medium or high, not "purple".'],
  ['/thinking hgih', '/thinking takes off, low, medium or high, not "hgih".'],
  ['/thinking hig', '/thinking takes off, low, medium or high, not "hig". Did you mean high?'],
  ['/thinking high now', '/thinking takes off, low, medium or high, not "high now".'],
  [
    '/preset toString',
    '/preset takes range, whole, fold, log, fresh, chat or precis, not "toString".',
  ],
  ['/undo 0', '/undo takes a number from 1 to 1000, not "0".'],
  ['/undo 1001', '/undo takes a number from 1 to 1000, not "1001".'],
  ['/undo -1', '/undo takes a number from 1 to 1000, not "-1".'],
  ['/undo 1.5', '/undo takes a number from 1 to 1000, not "1.5".'],
  ['/undo the last one', '/undo takes a number from 1 to 1000, not "the last one".'],
  ['/redo it', '/redo stands alone, and behind it is "it".'],
  ['/pins please\nnow', '/pins stands alone, and behind it is "please\\nnow".'],
  ['/context ?', '/context stands alone, and behind it is "?".'],
  ['/fork here', '/fork stands alone, and behind it is "here".'],
  ['/pin', '/pin needs the text to keep behind it.'],
  ['/unpin', '/unpin needs the id of a pin behind it.'],
  ['/unpin one two', '/unpin takes one word, the id of a pin, not "one two".'],
  ['/recall ', '/recall needs a query or a ref behind it.'],
  ['/model a b', '/model takes one word, provider/model, or dev, not "a b".'],
  ['/strategy a b', '/strategy takes one word, the id of a strategy, not "a b".'],
  [`/redo ${'😀'.repeat(30)}`, `/redo stands alone, and behind it is "${'😀'.repeat(20)}…".`],
]

const NEAR: [text: string, name: string | undefined][] = [
  ['/compcat', '/compact'],
  ['/compcat keep the plan', '/compact'],
  [' /Compact', '/compact'],
  ['@compcat then go on', '@compact'],
  ['/contxt', '/context'],
  ['/thinkin high', '/thinking'],
  ['@undo', '/undo'],
  ['/compact', undefined],
  ['/thinking purple', undefined],
  ['/etc/hosts', undefined],
  ['/etc/hosts is broken', undefined],
  ['/compcat/x', undefined],
  ['/tmp', undefined],
  ['/', undefined],
  ['//', undefined],
  ['@', undefined],
  ['compact', undefined],
  ['please /compcat', undefined],
  ['', undefined],
]

const COMPLETIONS: [prefix: string, texts: string[]][] = [
  ['/com', ['/compact']],
  ['  /com', ['/compact']],
  ['/COM', ['/compact']],
  ['/pin', ['/pin', '/pins']],
  ['@', ['@compact']],
  ['/', COMMANDS.map(({ name }) => name).filter((name) => name.startsWith('/'))],
  ['/thinking ', ['off', 'low', 'medium', 'high'].map((level) => `/thinking ${level}`)],
  ['/thinking M', ['/thinking medium']],
  ['/thinking medium now', []],
  ['/preset f', ['/preset fold', '/preset fresh']],
  ['/compact ', []],
  ['/compact keep', []],
  ['/nothing of the kind', []],
  ['', []],
  ['com', []],
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

  it.each(ARGUMENTS)('reads the argument of %j', (text, command) => {
    expect(parseCommand(text)).toStrictEqual(command)
  })

  it.each(INVALID)('answers %j with a sentence, and never sends it', (text, message) => {
    const name = /^\S+/.exec(text)?.[0]
    expect(parseCommand(text)).toStrictEqual({ command: 'invalid', name, message })
  })

  it.each(NEAR)('finds the command that is nearest to %j', (text, name) => {
    expect(nearCommand(text)).toBe(name)
  })

  it.each(COMPLETIONS)('completes %j', (prefix, texts) => {
    expect(completeCommand(prefix).map(({ text }) => text)).toEqual(texts)
  })

  it('are in one table, each with a usage and a line of its own', () => {
    for (const { name, usage, description } of COMMANDS) {
      expect(parseCommand(name), name).toBeDefined()
      expect(usage.split(' ')[0]).toBe(name)
      expect(description).toMatch(/^[A-Z][^\n]{8,60}$/)
      expect(completeCommand(name)).toContainEqual({ text: name, description })
    }
    expect(new Set(COMMANDS.map(({ description }) => description)).size).toBe(COMMANDS.length)
    for (const preset of Object.keys(PRESETS)) {
      expect(parseCommand(`/preset ${preset}`)).toEqual({ command: 'preset', preset })
    }
  })

  it('reads every completion as a command that makes sense', () => {
    for (const { name } of COMMANDS) {
      for (const { text } of completeCommand(`${name} `)) {
        expect(parseCommand(text)?.command, text).not.toBe('invalid')
      }
    }
  })
})
