// The version of this package, as its manifest has it.
import { readFileSync } from 'node:fs'

export function version(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version: number }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return number
}
