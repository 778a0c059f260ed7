// Loads what needs an optional package, and says which one is missing
import { PrecisError } from './errors.ts'

export async function importPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (thrown) {
    throw missingPeer(name, thrown) ?? thrown
  }
}

/** Undefined where something else went wrong. */
export function missingPeer(name: string, thrown: unknown): PrecisError | undefined {
  const { code, message } = Object(thrown)
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isMissing || !String(message).includes(`'${name}'`)) return undefined
  return new PrecisError('wrong-setup', `The package ${name} is not installed.`, {
    where: name,
    hint: `It is an optional peer of precis: npm install ${name}`,
    cause: thrown,
  })
}
