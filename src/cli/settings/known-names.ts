// Names in the settings that only the whole program can tell: is there such a strategy, such a provider.
import { PrecisError } from '../../core/errors.ts'
import type { ResolvedSettings } from '../../core/settings/settings.ts'
import { PROVIDER_ENTRIES } from '../../providers/entries.ts'
import { splitName } from '../../providers/model-name.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { chooseStrategy } from '../compact/plan.ts'

/** Those of the program, and the stand-in. */
const PROVIDERS = [...PROVIDER_ENTRIES.map(({ id }) => id), 'dev']

/** Throws for the first that names nothing, with where it is set. */
export function refuseUnknownNames(resolved: ResolvedSettings): void {
  chooseStrategy(
    resolved,
    {},
    DEFAULT_STRATEGIES.map(({ id }) => id),
  )
  const { models } = resolved.settings
  for (const [key, name] of Object.entries(models)) if (name) refuseModel(key, name, resolved)
}

function refuseModel(role: string, name: string, { origins }: ResolvedSettings): void {
  const key = `models.${role}`
  try {
    splitName(name, PROVIDERS)
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const { where = key } = origins[key] ?? {}
    const { message, hint } = thrown
    throw new PrecisError('invalid-settings', `${key}: ${message}`, {
      where,
      ...(hint !== undefined && { hint }),
      cause: thrown,
    })
  }
}
