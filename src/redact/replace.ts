// The placeholder for a secret.

/** Returns the placeholder for one secret and counts it. */
export type Replace = (kind: string) => string

export interface SecretCount {
  readonly kind: string
  readonly count: number
}

/** Placeholders with counts by kind, sorted by name. */
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

/** Splits a text; placeholders are the odd pieces. */
export function aroundPlaceholders(text: string): string[] {
  return text.split(/(\[redacted:[\w-]{1,80}\])/)
}

function byKind(a: SecretCount, b: SecretCount): number {
  return a.kind < b.kind ? -1 : 1
}
