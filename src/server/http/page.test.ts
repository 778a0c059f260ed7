// The page: its files as they are, kept where their names are hashes, under a strict policy.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pageResponse, readPage } from './page.ts'

function built(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'precis-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return readPage(folder)
}

const PAGE = { 'index.html': '<title>', 'favicon.svg': '<svg>', 'assets/index-AbCd12.js': '1' }

const FILES = [
  ['/', 'text/html; charset=utf-8', 'no-cache', '<title>'],
  ['/index.html', 'text/html; charset=utf-8', 'no-cache', '<title>'],
  ['/favicon.svg', 'image/svg+xml', 'no-cache', '<svg>'],
  [
    '/assets/index-AbCd12.js',
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
    '1',
  ],
] as const

describe('the page', () => {
  it('is handed out with its types, and kept where the name changes with the content', async () => {
    const page = built(PAGE)
    for (const [path, type, cache, text] of FILES) {
      const response = pageResponse(page, path)
      expect(response?.status).toBe(200)
      expect(response?.headers.get('content-type')).toBe(type)
      expect(response?.headers.get('cache-control')).toBe(cache)
      expect(await response?.text()).toBe(text)
    }
    expect(pageResponse(page, '/assets/none.js')).toBeUndefined()
  })

  it('may run scripts of its own files only, and be framed by nobody', () => {
    const policy = pageResponse(built(PAGE), '/')?.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })

  it('says how to build it where it is not there', async () => {
    const response = pageResponse(readPage(join(tmpdir(), 'precis-no-such-folder')), '/')
    expect(response?.status).toBe(404)
    expect(await response?.text()).toContain('vite build')
  })
})
