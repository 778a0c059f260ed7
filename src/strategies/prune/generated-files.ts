// `generated-files`: lock files, maps and minified code, which programs write for programs.
import { baseName } from '../../core/ledger/path.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { asRef } from '../elision.ts'
import { type Prune, withText } from './prune-kind.ts'
import { fileRead, linesIn } from './read-ranges.ts'
import type { ToolUse } from './tool-uses.ts'

const LEAST_CHARS = 1_500
const HEAD_CHARS = 300
/** Nobody writes lines that are so long on average. */
const MINIFIED_LINE_CHARS = 500

const LOCKS = new Set(
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock poetry.lock uv.lock Pipfile.lock pdm.lock composer.lock Gemfile.lock go.sum flake.lock mix.lock pubspec.lock Podfile.lock packages.lock.json'.split(
    ' ',
  ),
)

export const generatedFiles: Prune = {
  name: 'generated-files',
  isSingle: true,
  find({ uses, until }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided || use.isFailed || use.text.length < LEAST_CHARS)
        return []
      return isGenerated(use) ? [withText(use, headOf(use))] : []
    })
  },
}

function isGenerated(use: ToolUse): boolean {
  const read = fileRead(use)
  const name = read && baseName(read.path)
  if (name !== undefined && (LOCKS.has(name) || /\.min\.(?:js|css)$|\.map$/.test(name))) return true
  // What a tool answers in one line may be an answer; a file of such lines is none to read.
  return read !== undefined && use.text.length / linesIn(use.text) > MINIFIED_LINE_CHARS
}

function headOf({ text, ref }: ToolUse): string {
  const size = `${linesIn(text).toLocaleString('en-US')} lines, ${text.length.toLocaleString('en-US')} characters`
  return `${cutHead(text, HEAD_CHARS)}\n[… of ${size}, written by a program. The whole: ${asRef(ref)}]`
}
