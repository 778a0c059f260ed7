// Results of 50 MB: the record they came from must not count against them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inFolder } from '../../src/stores/contract/place.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { runPrecis } from '../cli/run.ts'

const RESULT_CHARS = 50_000_000
const RESULTS = 3

/** A line of code, with the quotes and breaks that become longer in JSON, and again in a record of it. */
const LINE = 'const kettle = "boil";\n'

function session(): string {
  const text = LINE.repeat(RESULT_CHARS / LINE.length)
  const results = Array.from({ length: RESULTS }, (_, n) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${n}`, name: 'read', input: { path: `${n}.ts` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: text }] },
  ])
  const messages = [{ role: 'user', content: 'Read them all.' }, ...results.flat()]
  return messages
    .map((message, n) =>
      JSON.stringify({
        ...{ type: message.role, uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}` },
        ...{ sessionId: 's', timestamp: '2026-03-01T09:00:00.000Z', version: '2.0.0', message },
      }),
    )
    .join('\n')
}

describe('a session with results of 50 MB', () => {
  it('is imported with its records, and every result is whole', { timeout: 600_000 }, () =>
    inFolder(async (folder) => {
      const [file, path] = [join(folder, 'large.jsonl'), join(folder, 'log.db')]
      writeFileSync(file, session())
      const environment = { PRECIS_HOME: join(folder, 'home'), PRECIS_STORE: path }
      const imported = await runPrecis(['import', file, '--json'], { cwd: folder, environment })
      expect(imported).toMatchObject({ status: 0 })
      const [{ threadId }] = JSON.parse(imported.stdout)
      const store = await openSqliteStore(path)
      const { version = 0 } = (await store.info(threadId)) ?? {}
      let results = 0
      for (let seq = 1; seq <= version; seq += 1) {
        const [row] = await store.read(threadId, { from: seq, to: seq })
        if (row?.type !== 'TOOL_RESULT') continue
        results += 1
        expect(JSON.stringify(row.data).length).toBeGreaterThan(RESULT_CHARS)
        expect(JSON.stringify(row.source).length).toBeGreaterThan(RESULT_CHARS)
      }
      expect(results).toBe(RESULTS)
      await store.close()
    }),
  )
})
