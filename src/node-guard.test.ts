// An old Node gets a sentence instead of a crash.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { requirement, SYSTEM_NODE } from '../test/require.ts'
import { checkNode } from './node-guard.ts'

const { available, notice } = requirement('old-node')

describe('checkNode', () => {
  it('lets new ones pass', () => {
    checkNode({ node: '22.19.0', napi: '10' })
    checkNode(process.versions)
  })

  it.each([
    ['20.20.2', '9'],
    ['16.0.0', undefined],
  ])('stops Node %s', (node, version) => {
    const check = () => checkNode({ node, napi: version })
    expect(check).toThrow(`precis needs Node 22.19 or later, and this is Node ${node}.`)
    expect(check).toThrow(expect.objectContaining({ code: 'wrong-node' }))
  })

  it.skipIf(!available)(`stops the command on an old Node ${notice}`, () => {
    const command = fileURLToPath(new URL('../bin/precis.js', import.meta.url))
    const { status, stderr, signal } = spawnSync(SYSTEM_NODE, [command], { encoding: 'utf8' })
    expect([status, signal]).toEqual([1, null])
    expect(stderr).toMatch(
      /^precis needs Node 22\.19 or later, and this is Node \d+\.\d+\.\d+.*\n$/,
    )
  })
})
