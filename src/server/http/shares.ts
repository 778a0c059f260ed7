// Fair shares: one owner cannot use up a limit

/**
 * Alone, each may have `each` at once, which is half of all there is. While others are there, it is half of
 * what they leave: so there is always some left for one more owner.
 */
export class Shares {
  readonly each: number
  readonly #held = new Map<string, number>()
  #all = 0

  constructor(each: number) {
    this.each = each
  }

  /** Gives back what was taken, once; undefined if it is too much. */
  take(who: string, amount = 1): (() => void) | undefined {
    const own = this.#held.get(who) ?? 0
    const left = this.each * 2 - (this.#all - own)
    if (own + amount > left / 2) return undefined
    this.#add(who, amount)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(who, -amount)
      isHeld = false
    }
  }

  #add(who: string, amount: number): void {
    const now = (this.#held.get(who) ?? 0) + amount
    this.#all += amount
    if (now === 0) this.#held.delete(who)
    else this.#held.set(who, now)
  }
}
