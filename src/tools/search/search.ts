// The tool `search`: lines that match a pattern, with ripgrep or without.
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/model.ts'
import { defineTool, plainText, textField, throwIfAborted } from '../define-tool.ts'
import { namingFile } from '../files/file-errors.ts'
import { count, limitedOutcome, OUTPUT_LIMITS, type OutputLimits } from '../process/limit-output.ts'
import { approvedWorkspace, type Workspace } from '../workspace.ts'
import {
  compilePattern,
  type Hit,
  SEARCH_LIMITS,
  type SearchLimits,
  type SearchMatch,
  type SearchRequest,
} from './files.ts'
import { findRipgrep, searchByRipgrep, wrongPattern } from './ripgrep.ts'

const input = z.strictObject({
  pattern: plainText()
    .min(1)
    .describe('A regular expression, matched line by line; `(?i)` in front ignores case.'),
  path: z
    .string()
    .optional()
    .describe('A folder or a file, relative to the workspace. Default: all of it.'),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe('Only files whose path matches, as `*.ts`, `src/**/*.{ts,tsx}` or `!*.md`.'),
})

export interface SearchOptions {
  readonly limits?: OutputLimits
  readonly searchLimits?: Partial<SearchLimits>
  /** Path of ripgrep; `undefined` searches for it, `false` disables it. */
  readonly ripgrep?: string | false
}

export function searchTool(workspace: Workspace, options: SearchOptions = {}): Tool {
  const { limits = OUTPUT_LIMITS } = options
  const searchLimits: SearchLimits = { ...SEARCH_LIMITS, ...options.searchLimits }
  return defineTool({
    name: 'search',
    description:
      'Searches the files of the workspace for a regular expression and gives `path:line:text` for each line that matches. What git ignores, binary files and files above 1 MB are left out.',
    effect: 'read',
    isParallel: true,
    input,
    subject: (fields) => workspace.nameOf(textField(fields, 'path')),
    target: (fields) => workspace.targetOf(textField(fields, 'path')),
    async run({ pattern, path = '.', glob }, { signal, target }) {
      const place = await approvedWorkspace(workspace, target).locate(path)
      await namingFile(place.name, () => stat(place.path))
      const { root } = workspace
      const wanted = { root, start: place.path, pattern, limits: searchLimits }
      const request = glob === undefined ? wanted : { ...wanted, glob }
      const ripgrep = options.ripgrep ?? findRipgrep(root) ?? false
      const found = await (ripgrep === false
        ? searchByWorker(request, signal)
        : searchByRipgrep(ripgrep, request, signal))
      throwIfAborted(signal)
      return limitedOutcome(describeFound(found, searchLimits), limits)
    },
  })
}

function describeFound({ hits, stopped }: SearchMatch, { hits: most, timeMs }: SearchLimits) {
  const lines = hits.map(
    ({ name, line, text }) => `${name.replace(/[\r\n]/g, '�')}:${line}:${text}`,
  )
  const notes = {
    hits: `[only the first ${count(most)}: narrow the pattern, the path or the glob]`,
    time: `[stopped after ${timeMs / 1_000} s, there may be more: narrow the path or the glob]`,
  }
  return {
    status: 'completed' as const,
    text: hits.length === 0 ? '[no match]' : lines.join('\n'),
    ...(stopped && { ending: notes[stopped] }),
    metadata: { hits: hits.length, isComplete: stopped === undefined },
  }
}

/** Next to this file, as source or build: the compiler does not rewrite worker addresses. */
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

/** Searches in a thread that can be ended on timeout. */
async function searchByWorker(request: SearchRequest, signal: Signal): Promise<SearchMatch> {
  requirePattern(request.pattern)
  const hits: Hit[] = []
  let stopped: SearchMatch['stopped']
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  // Drop flags of the process: some, like `--input-type`, would keep the thread from starting.
  const worker = new Worker(WORKER, { workerData: request, name: 'precis-search', execArgv: [] })
  worker.on('message', (more: readonly Hit[]) => hits.push(...more))
  worker.on('error', ({ message }) =>
    reject(new PrecisError('internal', `The search failed: ${message}`)),
  )
  worker.on('exit', () => resolve())
  const stop = () => void worker.terminate()
  const timer = setTimeout(() => {
    stopped = 'time'
    stop()
  }, request.limits.timeMs)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await ended
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  if (hits.length > request.limits.hits)
    return { hits: hits.slice(0, request.limits.hits), stopped: 'hits' }
  return { hits, ...(stopped && { stopped }) }
}

/** Compiling is safe; only matching may never end. */
function requirePattern(pattern: string): void {
  try {
    compilePattern(pattern)
  } catch (error) {
    throw wrongPattern(error instanceof Error ? error.message : String(error))
  }
}
