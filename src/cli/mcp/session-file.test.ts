// Sessions named by their ids, for a server that gives out those of its directory alone
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { eachPlace, PRECIS, sample } from '../../../test/cli/place.ts'
import { quietHost } from '../../../test/cli/run.ts'
import type { Io } from '../process-io.ts'
import { loadSettings } from '../settings/settings.ts'
import { sessionFiles } from './session-scope.ts'

const place = eachPlace()
const PAGE = ['e2', 0, 1_000] as const
const [OWN, OTHER] = [
  'c0de0000-0000-4000-8000-000000000001',
  'c0de0000-0000-4000-8000-000000000002',
]

function io(): Io {
  const nowhere = () => new Writable({ write: (_piece, _encoding, done) => done() })
  const { folder: cwd } = place()
  return {
    ...{ stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere() },
    ...{ environment: place().environment(), cwd, script: PRECIS, host: quietHost() },
  }
}

function put(id: string, text?: string): string {
  const path = join(place().folder, `.codex/sessions/rollout-2026-03-01T09-00-00-${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  if (text === undefined) cpSync(sample('sessions/codex.jsonl'), path)
  else writeFileSync(path, text)
  return path
}

it('reads the facts of no session with another id, and those that it read only once', async () => {
  const text = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
  const own = put(OWN, text.replaceAll('/kettle', place().folder))
  const other = put(OTHER)
  put('ffff0000-0000-4000-8000-000000000003')
  const files = sessionFiles(loadSettings(io()).settings, { isProjectOnly: true }, io())
  expect((await files.read(OWN.slice(0, 8), ...PAGE)).text).not.toBe('')
  const { sessions } = JSON.parse(place().read('.home/session-facts.json'))
  expect(Object.keys(sessions).toSorted()).toEqual([own, other])
  for (const id of [OTHER, 'ffff', 'dead', ''])
    await expect(files.read(id, ...PAGE), id).rejects.toMatchObject({ code: 'not-found' })
})
