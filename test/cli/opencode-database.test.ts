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
