// The question whether a folder is trusted: asked once for each content of its settings, on a terminal.
import { realpathSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { escapeHidden } from '../../core/text/visible.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { configFolder, type Environment } from './places.ts'
import { type RulesFile, rulesFiles } from './project-rules.ts'
import type { ProjectSettings } from './project-settings.ts'
import { projectSettings } from './settings.ts'
import { remember } from './trust.ts'

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Asks once about undecided settings and rules and keeps the answers; without one they stay ignored. */
export async function askTrust(
  cwd: string,
  environment: Environment,
  streams: Streams,
): Promise<void> {
  const project = projectSettings(cwd, environment)
  if (project?.isUndecided) {
    const file = realpathSync(project.file)
    const isDecided = await ask(buildQuestion(project), { ...project, file }, environment, streams)
    if (!isDecided) return
  }
  for (const rules of rulesFiles(cwd, environment))
    if (rules.isUndecided && !(await ask(rulesQuestion(rules), rules, environment, streams))) return
}

/** False where there is no answer. */
async function ask(
  question: string,
  { file, content }: Pick<RulesFile, 'file' | 'content'>,
  environment: Environment,
  { input, output }: Streams,
): Promise<boolean> {
  output.write(question)
  const lines = createInterface({ input, output, terminal: false })
  const gone = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([lines.question('Trust this folder? [y/N] '), gone])
    if (answer === undefined) return false
    const decision = /^y(?:es)?$/i.test(answer.trim()) ? 'yes' : 'no'
    remember(file, content, decision, configFolder(environment))
    return true
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

const SHOWN_CHARS = 4_000

function rulesQuestion({ file, content }: RulesFile): string {
  const shown = escapeHidden(cutHead(content, SHOWN_CHARS)).replace(/^/gm, '  ')
  const more =
    content.length > SHOWN_CHARS ? `\n  [${content.length - SHOWN_CHARS} more characters]` : ''
  return `${escapeHidden(file)} has rules for agents in this folder:
${shown}${more}
They are sent to the model with every request of new threads. If you do not know who wrote them, say no.
`
}
