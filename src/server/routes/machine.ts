// Routes for the sessions of agents on this machine: for its owner alone, from the machine itself
import type { Context } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import { machineSessionsQuery, openSessionBody } from '../../protocol/requests.ts'
import { machineSessionsSchema, sessionResponseSchema } from '../../protocol/schemas.ts'
import { isFromMachine } from '../http/guard.ts'
import { route } from '../http/route.ts'
import type { MachineSessions } from '../ports.ts'
import type { AddRoutes } from '../send.ts'
import { buildSession } from '../views/session.ts'

const tag = 'machine'
const PAGE = 100

export const addMachineRoutes: AddRoutes = (api, parts) => {
  route(
    api,
    {
      method: 'get',
      path: '/machine/sessions',
      tag,
      summary: 'The sessions of agents on this machine, newest first; for its owner alone',
      query: machineSessionsQuery,
      answer: machineSessionsSchema,
    },
    async ({ query: { limit = PAGE, ...query }, c }) => {
      const { items, ...rest } = await requireMachine(parts, c).list({ ...query, limit })
      const told = items.map((each) => ({ ...each, updatedAt: each.updatedAt.toISOString() }))
      return { ...rest, items: told }
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/machine/sessions/open',
      tag,
      summary: 'Import what is new in a session of this machine; its thread follows the file',
      body: openSessionBody,
      answer: sessionResponseSchema,
      status: 201,
    },
    async ({ body: { id }, owner, c }) => {
      const threadId = await requireMachine(parts, c).open(id)
      parts.arrivals.add(owner, threadId)
      return buildSession(parts, threadId)
    },
  )
}

/** Undefined for everybody but the owner of this machine. */
export function machineFor(
  { machine }: { readonly machine?: MachineSessions },
  c: Context,
): MachineSessions | undefined {
  return machine && isFromMachine(c) ? machine : undefined
}

function requireMachine(
  parts: { readonly machine?: MachineSessions },
  c: Context,
): MachineSessions {
  const machine = machineFor(parts, c)
  if (machine) return machine
  throw new PrecisError('forbidden', 'Only the owner of this machine can see its sessions.', {
    where: 'Authorization',
    hint: 'Start precis serve on this machine, without tokens for others, and open the address that it prints.',
  })
}
