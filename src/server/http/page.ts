// The web page: serves its built files and nothing else from the disk.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Its name changes with its content. */
  readonly isHashed: boolean
}

/** Keyed by URL path. */
export type Page = ReadonlyMap<string, PageFile>

const FOLDER = fileURLToPath(new URL('../../../dist/web/', import.meta.url))
const INDEX = '/index.html'
const HASHED = '/assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** Only its own scripts and styles; no framing, no requests to other hosts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const NOT_BUILT = `The page is not there: it is built with \`npx vite build\` in a checkout, and part of every package.
The API answers at /api, and describes itself at /api/openapi.json.
`

/** Reads all files once. Requests are looked up among them, so no path can escape. */
export function readPage(folder: string = FOLDER): Page {
  const page = new Map<string, PageFile>()
  for (const entry of readEntries(folder)) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    page.set(path, {
      bytes: new Uint8Array(readFileSync(file)),
      type: TYPES[extname(file)] ?? 'application/octet-stream',
      isHashed: path.startsWith(HASHED),
    })
  }
  return page
}

/** Undefined if there is no such file. */
export function pageResponse(page: Page, path: string): Response | undefined {
  if (path === '/' && !page.has(INDEX))
    return new Response(NOT_BUILT, {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    })
  const file = page.get(path === '/' ? INDEX : path)
  if (!file) return undefined
  return new Response(file.bytes, {
    headers: {
      'content-type': file.type,
      'content-security-policy': POLICY,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
