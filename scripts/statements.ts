// Prints how many numbered statements each family has and how many of them a test names.
// With --write it renews docs/spec/to-come.md; with a family's name it lists what is missing there.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { coverage, LIST_PATH, writeList } from '../test/tidy/statements.ts'
import { readTree } from '../test/tidy/tree.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = process.argv.slice(2)
const files = readTree(root)
const families = coverage(files)

for (const { name, ids, missing } of families) {
  console.log(`${name}: ${ids.length - missing.length} of ${ids.length}`)
  if (asked.includes(name)) for (const id of missing) console.log(`  ${id}`)
}
const all = families.reduce((sum, { ids }) => sum + ids.length, 0)
const missing = families.reduce((sum, family) => sum + family.missing.length, 0)
console.log(`statements named by a test: ${all - missing} of ${all}`)

if (asked.includes('--write')) {
  writeFileSync(new URL(`../${LIST_PATH}`, import.meta.url), writeList(files))
  console.log(`written: ${LIST_PATH}`)
}
