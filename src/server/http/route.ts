// One route: checked input in, an answer out, and the same schemas in the description of the API.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import { JsonBounds, type JsonLimits } from '../../core/log/json-bounds.ts'
import { describe, type RouteSpec } from './describe.ts'
import { holderIn } from './guard.ts'
import { invalidInput } from './problems.ts'

export type Api = OpenAPIHono

type Fields = z.ZodObject
interface CheckedSpec<P extends Fields, Q extends Fields, B extends Fields, A> extends RouteSpec {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly answer?: z.ZodType<A>
}

export interface Asked<P extends Fields, Q extends Fields, B extends Fields> {
  readonly params: z.output<P>
  readonly query: z.output<Q>
  readonly body: z.output<B>
  /** Whose request it is; undefined if nobody is told apart. */
  readonly owner: string | undefined
  readonly c: Context
}

/** Handlers throw PrecisErrors: the app makes problem details of them. */
export function route<
  A,
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
>(
  api: Api,
  spec: CheckedSpec<P, Q, B, A>,
  handle: (asked: Asked<P, Q, B>) => Promise<NoInfer<A> | Response>,
): void {
  describe(api.openAPIRegistry, spec)
  api.on(spec.method.toUpperCase(), spec.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const answer = await handle({
      params: checked(spec.params, c.req.param(), 'path'),
      query: checked(spec.query, queryOf(c), 'query'),
      body: spec.body ? checked(spec.body, await jsonBody(c), 'body') : ({} as z.output<B>),
      owner: holderIn(c)?.owner,
      c,
    })
    if (answer instanceof Response) return answer
    if (!spec.answer) return c.body(null, 204)
    return c.json(answer as object, spec.status ?? 200)
  })
}

function checked<S extends Fields>(
  schema: S | undefined,
  value: unknown,
  part: 'body' | 'query' | 'path',
): z.output<S> {
  if (!schema) return {} as z.output<S>
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw invalidInput(read.error, part)
}

/** A name that comes twice is not a text any more, and no schema takes it. */
function queryOf(c: Context): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  )
}

/** No request needs more: a thousand parts of a message, or as many edited texts, and their fields. */
const BODY_LIMITS: JsonLimits = { values: 10_000, depth: 32 }

async function jsonBody(c: Context): Promise<unknown> {
  const text = await c.req.text()
  if (text === '') return {}
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]*\+)?json\b/i.test(type))
    throw new PrecisError('usage', 'The body must be JSON.', {
      where: 'Content-Type',
      hint: 'Send it with `Content-Type: application/json`.',
    })
  new JsonBounds(BODY_LIMITS).take(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new PrecisError('usage', 'The body is not valid JSON.', {
      where: 'body',
      hint: '/api/openapi.json describes the expected request.',
      cause,
    })
  }
}
