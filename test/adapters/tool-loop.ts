// A loop that reads files until it has enough: the same for every framework, with results that fill a window

export const WINDOW_TOKENS = 8_000
export const STEPS = 40

export function fileText(number: number): string {
  return Array.from({ length: 60 }, (_, line) => `line ${line} of file ${number}`).join('\n')
}

/** In how many of the requests the one before is not the beginning. */
export function brokenPrefixes(requests: readonly (readonly unknown[])[]): number {
  let broken = 0
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1]
    if (!before) continue
    const shared = request.slice(0, before.length)
    if (JSON.stringify(shared) !== JSON.stringify(before)) broken += 1
  }
  return broken
}
