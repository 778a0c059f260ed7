// The files of the corpus: recorded sessions in one or more folders, which PRECIS_CORPUS names.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORPUS, requirement } from '../require.ts'

/** The folders of sessions, and what they are read as. */
export const FORMAT_OF: Readonly<Record<string, string>> = {
  aider: 'aider',
  'claude-code': 'claude-code',
  'claude-web-session': 'claude-code',
  'cline-sdk': 'cline',
  codex: 'codex',
  'copilot-cli': 'copilot-cli',
  'gemini-cli': 'gemini-cli',
  'mini-swe-agent': 'openai-chat',
  opencode: 'opencode',
  openhands: 'openhands',
  pi: 'pi',
  'swe-agent': 'swe-agent',
}

export interface CorpusFile {
  readonly folder: string
  readonly name: string
  read(): string
}

/** Without a corpus one placeholder for each folder, so that its tests are seen to be skipped. */
export function corpusFiles(folders: readonly string[]): readonly CorpusFile[] {
  if (!requirement('corpus').available)
    return folders.map((folder) => ({ folder, name: '*', read: () => '' }))
  return folders.flatMap((folder) =>
    CORPUS.map((corpus) => join(corpus, folder))
      .filter((path) => existsSync(path))
      .flatMap((path) =>
        readdirSync(path).map((name) => ({
          folder,
          name,
          read: () => readFileSync(join(path, name), 'utf8'),
        })),
      ),
  )
}
