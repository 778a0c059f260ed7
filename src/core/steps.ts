// Steps that may wait: written once, run synchronously if nothing waits, otherwise as a promise.

/** A computation that yields what it waits for; `yield* wait(value)` is its `await`. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>

/** Waits for a promise; returns other values at once. */
export function* wait<T>(value: T | PromiseLike<T>): Steps<T> {
  return isPromise(value) ? ((yield value) as T) : value
}

/** Runs synchronously. Throws the result of `refusal` if something must be awaited. */
export function runNow<T>(steps: Steps<T>, refusal: () => Error): T {
  const step = steps.next()
  if (step.done) return step.value
  steps.return(undefined as T)
  throw refusal()
}

/** Runs to the end and awaits what is needed. */
export async function runSteps<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next()
  while (!step.done) step = await settle(steps, step.value)
  return step.value
}

async function settle<T>(steps: Steps<T>, value: PromiseLike<unknown>) {
  let result: unknown
  try {
    result = await value
  } catch (error) {
    return steps.throw(error)
  }
  return steps.next(result)
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}
