// A random coding session that is really carried out in a git repository of its own.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Tool } from '../../src/core/agent/tool.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Json } from '../../src/core/text/json.ts'
import { codingTools } from '../../src/tools/index.ts'
import { openWorkspace } from '../../src/tools/workspace.ts'
import { Random } from '../generate/random.ts'
import { toolRun, writeFiles } from '../tools/temporary-workspace.ts'
import { contentOf, filesIn, git, START } from './disk.ts'
import { firstCall, nextCall, type Scene, type Style } from './moves.ts'

export interface Session {
  readonly root: string
  readonly drafts: readonly EventDraft[]
  /** Paths whose first line stood in a result, as they were called then. */
  readonly read: ReadonlySet<string>
  /** Paths whose first line another file had as well: nobody can say which was read. */
  readonly alike: ReadonlySet<string>
}

/** The caller removes the folder. */
export async function carryOut(seed: number, style: Style, steps: number): Promise<Session> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'precis-ledger-')))
  const random = new Random(seed)
  const scene: Scene = { root, random, style, fresh: 0, moved: new Set(), copied: new Set() }
  prepare(scene)
  const tools = codingTools({ workspace: openWorkspace({ root }), search: { ripgrep: false } })
  const drafts: EventDraft[] = [{ type: 'THREAD_SETTINGS', data: { workspace: root } }]
  const [read, alike] = [new Set<string>(), new Set<string>()]
  let folder = root
  for (let step = 0; step < steps; step += 1) {
    const { name, input } = step === 0 ? firstCall(scene) : nextCall(scene, relative(root, folder))
    const before = firstLines(root, alike)
    const id = `call_${step}`
    drafts.push(
      { type: 'AGENT_MESSAGE', data: { content: '', calls: [id] } },
      { type: 'TOOL_CALL', data: { id, name, arguments: input, answer: 0 } },
    )
    if (name === 'Bash') {
      const ended = inShell(String((input as { command: string }).command), folder)
      folder = ended.folder
      drafts.push(resultOf(id, ended.status, ended.text))
      noteRead(read, before, ended.text)
    } else {
      const outcome = await call(tools, name, input)
      drafts.push({ type: 'TOOL_RESULT', data: { id, ...outcome } })
      noteRead(read, before, outcome.content.map(({ text = '' }) => text).join('\n'))
    }
  }
  return { root, drafts, read, alike }
}

function call(tools: readonly Tool[], name: string, input: Json) {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  return tool.run(input, toolRun())
}

function prepare({ root, random }: Scene): void {
  const folders = ['', 'src/', 'src/lib/', 'docs/', 'test/', 'old/']
  const names = ['alpha', 'beta', 'gamma', 'delta', 'with space', "it's"]
  const files: Record<string, string> = {}
  for (const folder of folders)
    for (const name of names.slice(0, random.int(2, 6)))
      files[`${folder}${name}.${random.pick(['ts', 'md', 'txt'])}`] = contentOf(random)
  writeFiles(root, files)
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'config', 'user.email', 'someone@example.com')
  git(root, 'config', 'user.name', 'Someone')
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'start')
  git(root, 'tag', START)
}

function firstLines(root: string, alike: Set<string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of filesIn(root)) {
    if (statSync(join(root, path)).size === 0) continue
    const mark = readFileSync(join(root, path), 'utf8').split(/[ \n]/, 1)[0] ?? ''
    const other = found.get(mark)
    if (other !== undefined) alike.add(path).add(other)
    found.set(mark, path)
  }
  return found
}

function noteRead(read: Set<string>, marks: ReadonlyMap<string, string>, text: string): void {
  for (const mark of text.match(/mark-\d+-\d+/g) ?? []) {
    const path = marks.get(mark)
    if (path !== undefined) read.add(path)
  }
}

function inShell(command: string, folder: string) {
  const marker = '::folder::'
  const script = `trap 'echo; echo ${marker}; pwd' EXIT\n${command}`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
  })
  const [output = '', end = ''] = stdout.split(`\n${marker}\n`)
  const text = [output.trimEnd(), stderr.trimEnd()].filter((part) => part !== '').join('\n')
  const isDone = status === 0
  return {
    folder: end.trim() || folder,
    status: isDone ? ('completed' as const) : ('failed' as const),
    text: isDone ? text : `Exit code ${status}\n${text}`,
  }
}

function resultOf(id: string, status: 'completed' | 'failed', text: string): EventDraft {
  return { type: 'TOOL_RESULT', data: { id, status, content: [{ type: 'text', text }] } }
}
