// The placeholder for a secret

/** Gives the placeholder for one secret, and counts it. */
export type Replace = (kind: string) => string

export interface SecretCount {
  readonly kind: string
  readonly count: number
}

/** Placeholders, and how many there were of each kind, in the order of their names. */
export class Placeholders {
  readonly #counts = new Map<string, number>()

  readonly replace: Replace = (kind) => {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    return `[redacted:${kind}]`
  }

  get found(): readonly SecretCount[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count })).sort(byKind)
  }
}

/** With the placeholders as pieces of their own, at the odd places. */
export function aroundPlaceholders(text: string): string[] {
  return text.split(/(\[redacted:[\w-]{1,80}\])/)
}

function byKind(a: SecretCount, b: SecretCount): number {
  return a.kind < b.kind ? -1 : 1
}
