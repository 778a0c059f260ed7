// Media that a wire names by a URL, whose bytes may be in it.
import type { Media } from '../core/view/content.ts'

export function dataUrl(url: string | undefined, mimeType: string): Media | undefined {
  if (url === undefined) return undefined
  const inline = /^data:([^;,]+)(?:;[^,;]*)*;base64,/.exec(url.slice(0, 200))
  if (!inline) return { mimeType, uri: url }
  return { mimeType: inline[1] ?? mimeType, data: url.slice(inline[0].length) }
}
