// Prints how many numbered statements of each family a test of the last whole run has proven.
// With a family's name it lists what is missing there; --write renews docs/spec/to-come.md.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coverage, REPORTS, TO_COME, writeList } from '../test/tidy/statements.ts'
import { readTree } from '../test/tidy/tree.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const asked = process.argv.slice(2)
const [latest] = Object.values(REPORTS)
  .map((path) => ({ path, at: statSync(join(root, path), { throwIfNoEntry: false })?.mtime }))
  .flatMap(({ path, at }) => (at ? [{ path, at }] : []))
  .toSorted((one, other) => other.at.getTime() - one.at.getTime())

if (latest) print(latest.path, latest.at)
else {
  console.error('There is no report yet: run npm test, or npm run test:all.')
  process.exitCode = 1
}

function print(path: string, at: Date): void {
  const files = readTree(root)
  const report = JSON.parse(readFileSync(join(root, path), 'utf8'))
  const families = coverage(files, report)
  console.log(`${path} of ${at.toISOString()}`)
  for (const { name, ids, missing } of families) {
    console.log(`${name}: ${ids.length - missing.length} of ${ids.length}`)
    if (asked.includes(name)) for (const id of missing) console.log(`  ${id}`)
  }
  const all = families.reduce((sum, { ids }) => sum + ids.length, 0)
  const missing = families.reduce((sum, family) => sum + family.missing.length, 0)
  console.log(`statements proven by a test that ran: ${all - missing} of ${all}`)
  if (!asked.includes('--write')) return
  writeFileSync(join(root, TO_COME), writeList(files, report))
  console.log(`written: ${TO_COME}`)
}
