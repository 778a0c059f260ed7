// `precis token`: creates, lists and revokes tokens of the store.
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { shownAddress } from '../../core/text/address.ts'
import { addToken, listTokens, revokeToken } from '../../server/accounts/tokens.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { loadSettings } from '../settings/settings.ts'
import { writeStream } from '../terminal/io.ts'
import { padColumns, print, quoted } from '../terminal/terminal.ts'
import { openHome } from '../threads/home.ts'

export interface TokenFlags {
  readonly owner?: string
  readonly store?: string
  readonly json?: boolean
}

const NAME_COLUMNS = 24

export async function addOne(name: string, flags: TokenFlags, io: Io): Promise<void> {
  const { owner = name, json } = flags
  const token = await onStore(io, flags, (home) => addToken(home, name, owner))
  // Written directly: all other output is redacted.
  await writeStream(io.stdout, json ? `${JSON.stringify({ name, owner, token })}\n` : `${token}\n`)
  if (!json)
    await writeStream(
      io.stderr,
      `Save it: it is not shown again. It gives access to the threads of ${owner}.\n`,
    )
}

export async function listAll(flags: TokenFlags, io: Io): Promise<void> {
  const tokens = await onStore(io, flags, listTokens)
  await print(io, { tokens }, flags.json, (told) => {
    if (told.tokens.length === 0)
      return asTyped(
        `There are no tokens. \`precis token add NAME${storeOption(flags.store)}\` creates one.\n`,
        programName(io),
      )
    return told.tokens
      .map(
        ({ name, owner, since }) =>
          `${padColumns(name, NAME_COLUMNS)} ${padColumns(owner, NAME_COLUMNS)} since ${since.toISOString().slice(0, 16).replace('T', ' ')}\n`,
      )
      .join('')
  })
}

export async function revokeOne(name: string, flags: TokenFlags, io: Io): Promise<void> {
  await onStore(io, flags, (home) => revokeToken(home, name))
  await print(
    io,
    { revoked: name },
    flags.json,
    ({ revoked }) => `The token ${revoked} is revoked.\n`,
  )
}

/** For a hint that uses the same store: as given, without a password. */
export function storeOption(store: string | undefined): string {
  if (store === undefined) return ''
  return ` --store ${quoted(shownAddress(store))}`
}

async function onStore<T>(
  io: Io,
  { store }: TokenFlags,
  work: (home: Composed) => Promise<T>,
): Promise<T> {
  const { settings } = loadSettings({
    ...io,
    ...(store !== undefined && { flags: { store } }),
  })
  const home = await openHome(settings, io)
  try {
    return await work(home)
  } catch (thrown) {
    throw onSameStore(thrown, storeOption(store))
  } finally {
    await home.close()
  }
}

const LIST = 'precis token list'

/** Hints name the command, but not its store. */
function onSameStore(thrown: unknown, option: string): unknown {
  if (!PrecisError.is(thrown) || !thrown.hint?.includes(LIST)) return thrown
  const { code, message, where, hint, details } = thrown
  return new PrecisError(code, message, {
    ...(where !== undefined && { where }),
    hint: hint.replace(LIST, (list) => `${list}${option}`),
    details,
    cause: thrown,
  })
}
