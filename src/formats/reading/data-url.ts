// Media that a format names by a URL, whose bytes may be in it.
import type { Media } from '../../core/view/content.ts'

export { dataUrl } from '../../wire/data-url.ts'

export function urlOfMedia({ data, uri, mimeType }: Media): string | undefined {
  return data === undefined ? uri : `data:${mimeType};base64,${data}`
}
