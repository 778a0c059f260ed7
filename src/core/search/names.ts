// Names in a text that somebody may want back exactly: paths, identifiers, hashes, versions, codes.

const RUN = /https?:\/\/[^\s"'`<>()[\]{}\\]+|[\p{L}\p{M}\p{N}_$@#%./:~+-]{3,}/gu
/** `./a`, `../a` and `.folder/a` keep their dots; a sentence and `$name` lose theirs. */
const LEAD = /^(?!\.{1,2}\/|\.[\w-]+\/)[.:+%$~-]+(?!\/)/
const TRAIL = /(?::\d+){0,2}[.:+@#/~-]*$/
/** A host with its port: what stands behind the colon is no line of a file, and no number of a step. */
const ADDRESS =
  /^(?![^:]*\.(?:[cm]?[jt]sx?|json|mdx?|py|rs|go|java|rb|[ch]|cc|[ch]pp|cs|s?css|html?|sql|sh|ya?ml|toml|txt|lock|log|vue|svelte|php|kt|swift|xml|csv|ini|cfg|conf):)(?:localhost|\p{L}[\p{L}\p{N}]*-[\p{L}\p{N}-]+|[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+):\d{4,5}(?=[.:]*$)/iu
const LONGEST_CHARS = 160
const SHORTEST_CHARS = 3

const SHAPES: readonly RegExp[] = [
  /[\p{L}\p{N}]\/[\p{L}\p{N}._@-]/u, // a path, a URL, an address
  /^[~.@]{1,2}[\w.-]*\/[\w.-]/,
  /^\/[\w.-]+/,
  /^[\p{L}_$][\p{L}\p{N}_$-]+(?:\.[\p{L}_$][\p{L}\p{N}_$-]*)+$/u, // file.ext, object.member
  /^[\p{L}\p{N}_$]*[\p{L}\p{N}]_[\p{L}\p{N}_$]*$/u, // snake_case
  /^[\p{L}_$][\p{L}\p{N}_$]*\p{Ll}\p{Lu}[\p{L}\p{N}_$]*$/u, // camelCase
  /^[\p{L}][\p{L}\p{N}]*(?:-[\p{L}\p{N}]+){2,}$/u, // names-of-three-parts
  /^#\d+$/,
  /^[A-Z]{1,8}-?\d{2,}$/, // TS2322, ABC-123
  /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/, // a hash
  /^v?\d+(?:\.\d+){1,3}(?:-[\w.]+)?$/, // a version
  /^v\d+$/,
  /^\d+(?:\.\d+)?(?:[a-zµ]{1,3}|[KMGT]i?B?|%)$/i, // 40ms, 10%
]

/** Each once, in the order of the text. */
export function namesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [run] of text.matchAll(RUN)) {
    const bare = run.replace(LEAD, '')
    const address = ADDRESS.exec(bare)?.[0]
    const name = address ?? bare.replace(TRAIL, '')
    const isLongEnough = name.length >= SHORTEST_CHARS && name.length <= LONGEST_CHARS
    const isName = address !== undefined || SHAPES.some((shape) => shape.test(name))
    if (isLongEnough && isName) names.add(name)
  }
  return [...names]
}
