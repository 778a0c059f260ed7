// A map that is never changed: each change gives another one, which shares all but one bucket with it.

const BUCKETS = 128

/** Keys with their values; a change costs a bucket, not the whole. Order is that of buckets, not of time. */
export class BucketMap<V> {
  readonly size: number
  readonly #buckets: readonly (ReadonlyMap<string, V> | undefined)[]

  private constructor(buckets: readonly (ReadonlyMap<string, V> | undefined)[], size: number) {
    this.#buckets = buckets
    this.size = size
  }

  static of<V>(entries: Iterable<readonly [string, V]> = []): BucketMap<V> {
    const buckets: (Map<string, V> | undefined)[] = new Array(BUCKETS).fill(undefined)
    let size = 0
    for (const [key, value] of entries) {
      const at = bucketOf(key)
      const bucket = buckets[at] ?? new Map<string, V>()
      if (!bucket.has(key)) size += 1
      buckets[at] = bucket.set(key, value)
    }
    return new BucketMap(buckets, size)
  }

  get(key: string): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key)
  }

  with(key: string, value: V): BucketMap<V> {
    const at = bucketOf(key)
    const before = this.#buckets[at]
    const isNew = before === undefined || !before.has(key)
    return new BucketMap(
      this.#buckets.with(at, new Map(before).set(key, value)),
      this.size + (isNew ? 1 : 0),
    )
  }

  /** Only those whose value is among these. */
  keeping(values: Iterable<V>): BucketMap<V> {
    const kept = new Set(values)
    const buckets = this.#buckets.map(
      (bucket) => bucket && new Map([...bucket].filter(([, value]) => kept.has(value))),
    )
    return new BucketMap(buckets, kept.size)
  }

  *values(): IterableIterator<V> {
    for (const bucket of this.#buckets) if (bucket) yield* bucket.values()
  }
}

function bucketOf(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1)
}
