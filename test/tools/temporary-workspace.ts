// A workspace in a folder of its own that goes away with its test, and short words to call tools in it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Tool, ToolOutcome, ToolRun } from '../../src/core/agent/tool.ts'
import type { Json } from '../../src/core/text/json.ts'
import { openWorkspace, type Workspace } from '../../src/tools/workspace.ts'

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'precis-tools-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Files by path; a path that ends in a slash is an empty folder. */
export function writeFiles(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path)
    mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(target, content)
  }
}

export function workspaceWith(
  files: Readonly<Record<string, string | Buffer>> = {},
  options: { readonly readOnly?: boolean } = {},
): Workspace {
  const root = temporaryFolder()
  writeFiles(root, files)
  return openWorkspace({ root, ...options })
}

export function toolRun(signal: AbortSignal = new AbortController().signal): ToolRun {
  return { threadId: 'thr_1', callId: 'call_1', signal }
}

export function call(tool: Tool, input: Json, signal?: AbortSignal): Promise<ToolOutcome> {
  return tool.run(input, toolRun(signal))
}

/** What the model sees, as one text. */
export function seen({ content, shown }: ToolOutcome): string {
  return (shown ?? content).map((block) => block.text ?? `(${block.type})`).join('\n')
}

/** Status and what the model sees: most of what a test wants to compare. */
export async function outcomeOf(tool: Tool, input: Json): Promise<[string, string]> {
  const outcome = await call(tool, input)
  return [outcome.status, seen(outcome)]
}
