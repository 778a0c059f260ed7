// The question whether a folder is trusted: asked once for each content of its settings, on a terminal.
import { realpathSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { escapeHidden } from '../../core/text/visible.ts'
import type { ProjectSettings } from './project-settings.ts'
import { configFolder, type Environment, projectSettings } from './settings.ts'
import { remember } from './trust.ts'

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Asks once about undecided settings and keeps the answer; without one the keys stay ignored. */
export async function askTrust(
  cwd: string,
  environment: Environment,
  { input, output }: Streams,
): Promise<void> {
  const project = projectSettings(cwd, environment)
  if (!project?.isUndecided) return
  output.write(buildQuestion(project))
  const lines = createInterface({ input, output, terminal: false })
  const gone = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([lines.question('Trust this folder? [y/N] '), gone])
    if (answer === undefined) return
    const decision = /^y(?:es)?$/i.test(answer.trim()) ? 'yes' : 'no'
    remember(realpathSync(project.file), project.content, decision, configFolder(environment))
  } finally {
    lines.close()
  }
}

/** Every value in full: it is what is decided on. */
function buildQuestion({ file, ignored }: ProjectSettings): string {
  const lines = ignored.map(
    ({ key, value }) => `  ${key}: ${escapeHidden(JSON.stringify(value, undefined, 1))}`,
  )
  return `${escapeHidden(file)} sets what a folder may set only if you trust it:
${lines.join('\n')}
If you do not know who wrote it, say no: everything else works.
`
}
