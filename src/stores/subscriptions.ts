// Who waits for news of which thread.

export class Wakeups {
  readonly #waiting = new Map<string, Set<() => void>>()

  get threadIds(): readonly string[] {
    return [...this.#waiting.keys()]
  }

  /** True where nobody waited for this thread before. */
  add(threadId: string, wake: () => void): boolean {
    const waiting = this.#waiting.get(threadId)
    if (waiting) {
      waiting.add(wake)
      return false
    }
    this.#waiting.set(threadId, new Set([wake]))
    return true
  }

  /** True where nobody waits for this thread any more. */
  remove(threadId: string, wake: () => void): boolean {
    const waiting = this.#waiting.get(threadId)
    if (!waiting?.delete(wake) || waiting.size > 0) return false
    return this.#waiting.delete(threadId)
  }

  wake(threadId: string): void {
    for (const wake of this.#waiting.get(threadId) ?? []) wake()
  }

  wakeAll(): void {
    for (const threadId of this.threadIds) this.wake(threadId)
  }
}
