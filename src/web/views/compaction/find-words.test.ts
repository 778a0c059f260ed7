// What is looked for in what was removed: whole words and parts of identifiers
import { expect, it } from 'vitest'
import { findLines, soughtWords } from './find-words.ts'

const has = (text: string, query: string) => findLines(text, soughtWords(query)) !== undefined

it('finds a word, several of it and a part of a name, and nothing inside another word', () => {
  for (const text of [
    '--port 80',
    'Ports:',
    'server_port',
    'serverPort',
    'PORT_BASE',
    'portNumber',
  ])
    expect(has(text, 'port'), text).toBe(true)
  for (const text of ['import json', 'a report', 'PORTABLE', 'portable', 'airport', 'Export'])
    expect(has(text, 'port'), text).toBe(false)
  expect(has('読み込みの港を', '港')).toBe(true)
  expect(has('open quay/bookings.py now', 'bookings.py')).toBe(true)
  expect(has('a port', 'port quay')).toBe(false)
  expect(soughtWords(' --port=  (quay) -- ')).toEqual(['port', 'quay'])
})

it('shows the lines, those with most of the words first, with the words apart', () => {
  const found = findLines('import os\nport = 1\nquay port = 8090\n', ['port', 'quay'])
  expect(found?.count).toBe(2)
  expect(found?.lines[0]).toEqual(['', 'quay', ' ', 'port', ' = 8090'])
  expect(found?.lines[1]).toEqual(['', 'port', ' = 1'])
})
