// The page on the agent: its examples run, and its table of commands is the one that is in force.
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/core/agent/commands.ts'
import { checkExamples } from './example.ts'
import { codeIn, readPage, tablesWith } from './page.ts'

checkExamples('docs/agent.md')

it('names every command of the table, and no other', () => {
  const [table] = tablesWith(readPage('docs/agent.md'), 'command', '')
  const named = table?.rows.flatMap(([cell = '']) => codeIn(cell).map((code) => code.split(' ')[0]))
  expect(named?.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})
