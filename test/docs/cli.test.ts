// The page on the command line is what the commands print (`npx vitest run test/docs/cli -u` writes it anew).
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliPage } from '../cli/cli-page.ts'
import { ROOT } from './page.ts'

it('docs/cli.md shows the help of every command', async () => {
  await expect(await cliPage()).toMatchFileSnapshot(join(ROOT, 'docs/cli.md'))
})
