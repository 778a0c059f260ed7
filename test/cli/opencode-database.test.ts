// OpenCode's database: one session of it is read, compacted in place, undone, and refused while it is open.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { eachPlace } from './place.ts'

const place = eachPlace()
const LONG = 'a line of a long output\n'.repeat(400)

/** The columns that précis knows of; OpenCode has more. */
const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL,
    directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);`

/** A database with these sessions, each of a question, a long result and an answer. */
function database(...ids: string[]): string {
  const name = place().write('opencode.db', '')
  const db = open()
  db.pragma('journal_mode = WAL')
  db.exec(TABLES)
  for (const id of ids) {
    const session = [id, 'global', 'a-slug', '/srv/shop', `about ${id}`, '1.18.33', 1, 9]
    db.prepare('INSERT INTO session VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?)').run(session)
    const model = { providerID: 'dev', modelID: 'dev-1' }
    put(db, id, 1, { role: 'user', time: { created: 1 }, agent: 'build', model }, [
      { type: 'text', text: `Look at ${id}.` },
    ])
    const state = { status: 'completed', input: { command: 'seq' }, output: LONG, title: 'bash' }
    put(db, id, 2, { role: 'assistant', time: { created: 2 }, finish: 'tool-calls' }, [
      { type: 'tool', tool: 'bash', callID: 'c1', state: { ...state, metadata: {}, time: {} } },
    ])
    put(db, id, 3, { role: 'assistant', time: { created: 3 }, finish: 'stop' }, [
      { type: 'text', text: 'All is well.' },
    ])
  }
  db.close()
  return name
}

function open() {
  return new Sqlite(join(place().folder, 'opencode.db'))
}

function put(
  db: ReturnType<typeof open>,
  session: string,
  time: number,
  data: object,
  parts: readonly object[],
): void {
  const id = `msg_${session}_${time}`
  const row = [id, session, time, time, ` ${JSON.stringify(data)}`]
  db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(row)
  parts.forEach((part, index) => {
    const partRow = [`prt_${id}_${index}`, id, session, time, time, JSON.stringify(part)]
    db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(partRow)
  })
}

function rows(): unknown {
  const db = open()
  const all = ['session', 'message', 'part'].map((table) =>
    db.prepare(`SELECT * FROM ${table} ORDER BY id`).all(),
  )
  db.close()
  return all
}

const IN_PLACE = ['--strategy', 'trim-tool-results', '--in-place']

describe('opencode.db', () => {
  it('is compacted in place, one session of it, and undo and redo bring back every row', async () => {
    database('ses_a', 'ses_b')
    const before = rows()
    await place().json(['compact', 'opencode.db#ses_a', ...IN_PLACE])
    const after = rows()
    expect(after).not.toEqual(before)
    const db = open()
    const messages = db
      .prepare("SELECT id, data FROM message WHERE session_id = 'ses_a' ORDER BY time_created, id")
      .all() as { id: string; data: string }[]
    expect(messages.slice(0, 3).map(({ id }) => id)).toEqual([1, 2, 3].map((n) => `msg_ses_a_${n}`))
    expect(JSON.parse(messages.at(4)?.data ?? '')).toMatchObject({ summary: true, finish: 'stop' })
    const others = db
      .prepare("SELECT count(*) FROM message WHERE session_id = 'ses_b'")
      .pluck()
      .get()
    db.close()
    expect(others).toBe(3)
    const { before: size } = await place().json<{ before: { total: number } }>([
      'compact',
      'opencode.db#ses_a',
      '--strategy',
      'trim-tool-results',
    ])
    expect(size.total).toBeLessThan(500)

    await place().json(['undo', 'opencode.db#ses_a'])
    expect(rows()).toEqual(before)
    await place().json(['redo', 'opencode.db#ses_a'])
    expect(rows()).toEqual(after)
    const again = await place().precis(['redo', 'opencode.db#ses_a'])
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing to redo') })
  })

  it('needs no id where it holds one session, and lists them where it holds several', async () => {
    database('ses_a')
    expect(await place().precis(['export', 'opencode.db', '--to', 'markdown'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Look at ses_a.'),
    })
    database('ses_c', 'ses_d')
    const several = await place().precis(['inspect', 'opencode.db'])
    expect(several).toMatchObject({ status: 2, stderr: expect.stringContaining('#ses_c') })
    expect(several.stderr).toContain('holds 2 sessions')
    const unknown = await place().precis(['inspect', 'opencode.db#ses_x'])
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('#ses_d') })
  })

  it('is refused while another program has it open, and left as it was', async () => {
    database('ses_a')
    const before = rows()
    const opencode = open()
    opencode.prepare('SELECT count(*) FROM session').get()
    const refused = await place().precis(['compact', 'opencode.db', ...IN_PLACE])
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is open in another program'),
    })
    opencode.close()
    expect(rows()).toEqual(before)
    expect(await place().precis(['compact', 'opencode.db', ...IN_PLACE])).toMatchObject({
      status: 0,
    })
  })

  describe('with an undo in OpenCode that is not over', () => {
    const undone = (revert: object | null) => {
      const db = open()
      if (revert) db.exec('ALTER TABLE session ADD COLUMN revert TEXT')
      db.prepare("UPDATE session SET revert = ? WHERE id = 'ses_a'").run(
        revert && JSON.stringify(revert),
      )
      db.close()
    }
    const text = async () =>
      (await place().precis(['export', 'opencode.db#ses_a', '--to', 'markdown'])).stdout

    it('is read without the messages that are undone', async () => {
      database('ses_a', 'ses_b')
      undone({ messageID: 'msg_ses_a_3', snapshot: 'abc' })
      expect(await text()).toContain('Look at ses_a.')
      expect(await text()).toContain('a line of a long output')
      expect(await text()).not.toContain('All is well.')
      const other = ['export', 'opencode.db#ses_b', '--to', 'markdown']
      expect((await place().precis(other)).stdout).toContain('All is well.')
    })

    it('is read without the parts that are undone', async () => {
      database('ses_a')
      const db = open()
      const part = { type: 'text', text: 'I looked first.' }
      const row = ['prt_a', 'msg_ses_a_2', 'ses_a', 2, 2, JSON.stringify(part)]
      db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(row)
      db.close()
      undone({ messageID: 'msg_ses_a_2', partID: 'prt_msg_ses_a_2_0' })
      expect(await text()).toContain('I looked first.')
      expect(await text()).not.toMatch(/a line of a long output|All is well/)
    })

    it('is not written to before that is over', async () => {
      database('ses_a')
      undone({ messageID: 'msg_ses_a_3' })
      const before = rows()
      const refused = await place().precis(['compact', 'opencode.db', ...IN_PLACE])
      expect(refused).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('Finish or redo the undo in OpenCode first'),
      })
      expect(rows()).toEqual(before)
      undone(null)
      const done = await place().precis(['compact', 'opencode.db', ...IN_PLACE])
      expect(done).toMatchObject({ status: 0 })
    })
  })

  it.each([
    ['message', 'msg_ses_a_2', '{"role":'],
    ['part', 'prt_msg_ses_a_2_0', '7'],
  ])('with a %s that is no JSON object is named as damaged', async (table, id, data) => {
    database('ses_a')
    const db = open()
    db.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(data, id)
    db.close()
    for (const args of [
      ['inspect', 'opencode.db'],
      ['compact', 'opencode.db', ...IN_PLACE],
    ]) {
      const failed = await place().precis(args)
      expect(failed).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`opencode.db is damaged: ${id} holds no JSON object`),
      })
      expect(failed.stderr).not.toContain('bug')
    }
  })

  it('of another program is named as what it is', async () => {
    const name = place().write('notes.db', '')
    const db = new Sqlite(join(place().folder, name))
    db.exec('CREATE TABLE notes (text TEXT)')
    db.close()
    expect(await place().precis(['inspect', name])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is a database, but not OpenCode's"),
    })
  })
})
