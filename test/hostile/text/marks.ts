// Collects from the sources what our texts open, head and mark with, so that no new mark is forgotten
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where texts are written that stand in a context or are sent to a model. */
const FOLDERS = [
  'strategies',
  'core/view',
  'core/edit',
  'core/repair',
  'core/window',
  'messages',
  'compaction',
  'agent',
  'hosts',
  'cli/hosts',
]
/** A label in brackets, a tag, a heading, or a line that ends in a colon or says that words are those of the user. */
const MARK =
  /^(?:\[[A-Z][a-zA-Z]+[ :,\]].*|<\/?[a-z]+(?:-[a-z]+)+>.*|#{1,3} [A-Z]\w+.*|[A-Z][^.!?;{}()|\\]{6,90}:|(?:An? |The |Requests? )[^.!?;{}|\\]{6,90}(?:word for word|up to and including))$/
const COMMENT = /^\s*(?:\/\/|\*|\/\*).*$/gm
const LITERAL = /(?<![\w\\])'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g

/** Each up to the first value in it. */
export function marksInSource(): string[] {
  const root = fileURLToPath(new URL('../../../src/', import.meta.url))
  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  const lines = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(`${root}${file}`, 'utf8').replace(COMMENT, '')
      return [...text.matchAll(LITERAL)].flatMap(([, one, other]) =>
        (one ?? other ?? '').split(/\\n|\n/),
      )
    })
  const heads = lines.map((line) => line.trim().split('${')[0]?.trim() ?? '')
  return [...new Set(heads.filter((head) => MARK.test(head)))].sort()
}
