// Detects the kind of a file from its first bytes: image, text or other

export type FileKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'binary' }

/** As many bytes as git looks at. */
export const KIND_BYTES = 8_000

/** Kinds that models take, by how their files begin. WebP has its mark behind a length. */
const IMAGES: readonly (readonly [mimeType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

export function fileKindOf(start: Buffer): FileKind {
  const text = start.subarray(0, 16).toString('latin1')
  const image = IMAGES.find(([, pattern]) => pattern.test(text))
  if (image) return { kind: 'image', mimeType: image[0] }
  return start.subarray(0, KIND_BYTES).includes(0) ? { kind: 'binary' } : { kind: 'text' }
}
