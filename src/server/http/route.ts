// One route: validates input, sends an answer, and uses the same schemas in the API description.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import { JsonBounds, type JsonLimits } from '../../core/text/json-bounds.ts'
import { problemSchema } from '../../protocol/schemas.ts'
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

interface RouteInput<P extends Fields, Q extends Fields, B extends Fields> {
  readonly params: z.output<P>
  readonly query: z.output<Q>
  readonly body: z.output<B>
  /** The owner of the request; undefined without tokens. */
  readonly owner: string | undefined
  readonly c: Context
}

/** Handlers throw PrecisErrors; the app turns them into problem details. */
export function route<
  A,
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
>(
  api: Api,
  spec: CheckedSpec<P, Q, B, A>,
  handle: (asked: RouteInput<P, Q, B>) => Promise<NoInfer<A> | Response>,
): void {
  describe(api.openAPIRegistry, spec)
  api.on(spec.method.toUpperCase(), spec.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const answer = await handle({
      params: checked(spec.params, c.req.param(), 'path'),
      query: checked(spec.query, readQuery(c), 'query'),
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

/** A repeated parameter becomes an array, which no schema accepts. */
function readQuery(c: Context): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  )
}

/** Enough for every request: a thousand message parts or edited texts, with their fields. */
const BODY_LIMITS: JsonLimits = { values: 10_000, depth: 32 }

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Invalid UTF-8 is an error: replacement characters would be stored as the user's own text. */
function decode(bytes: ArrayBuffer): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new PrecisError('usage', 'The body is not valid UTF-8.', {
      where: 'body',
      hint: 'Send JSON in UTF-8.',
      cause,
    })
  }
}

async function jsonBody(c: Context): Promise<unknown> {
  const bytes = await c.req.arrayBuffer()
  if (bytes.byteLength === 0) return {}
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]*\+)?json\b/i.test(type))
    throw new PrecisError('usage', 'The body must be JSON.', {
      where: 'Content-Type',
      hint: 'Send it with `Content-Type: application/json`.',
    })
  const text = decode(bytes)
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

/** OpenAPI descriptions of routes, generated from the schemas that validate them. */
interface RouteSpec {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string // `/threads/{threadId}`
  readonly tag: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** The body is a file instead of JSON. */
  readonly isUpload?: boolean
  /** Request headers and their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent: no content (204). */
  readonly answer?: z.ZodType
  readonly status?: 201 | 202
  /** Set if the answer is not JSON; the handler then returns a Response. */
  readonly mediaType?: string
  /** For a stream: the JSON data of each message. */
  readonly streamed?: z.ZodType
}

type Registry = OpenAPIHono['openAPIRegistry']
type JsonSchema = z.core.JSONSchema.JSONSchema
type PathEntry = Parameters<Registry['registerPath']>[0]
type Parameter = NonNullable<PathEntry['parameters']>[number]

const IDEMPOTENCY_KEY = 'Repeated with the same key and body, a write is done once.'

function describe(registry: Registry, spec: RouteSpec): void {
  const { method, path, tag, summary } = spec
  const body = readBody(registry, spec)
  const described = {
    method,
    path: `/api${path}`,
    operationId: readOperationId(method, path),
    tags: [tag],
    summary,
    parameters: readParameters(registry, spec),
    responses: buildResponses(registry, spec),
  }
  registry.registerPath((body ? { ...described, requestBody: body } : described) as PathEntry)
}

function readParameters(registry: Registry, spec: RouteSpec): Parameter[] {
  const { method, params, query, headers = {} } = spec
  const named = { ...headers, ...(method !== 'get' && { 'Idempotency-Key': IDEMPOTENCY_KEY }) }
  return [
    ...readFields(registry, 'path', params),
    ...readFields(registry, 'query', query),
    ...Object.entries(named).map(
      ([name, description]): Parameter => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      }),
    ),
  ]
}

function readFields(
  registry: Registry,
  place: 'path' | 'query',
  fields: z.ZodObject | undefined,
): Parameter[] {
  if (!fields) return []
  const { properties = {}, required = [] } = buildSchema(registry, fields, 'input')
  return Object.entries(properties).map(
    ([name, schema]) =>
      ({ name, in: place, required: required.includes(name), schema }) as Parameter,
  )
}

function readBody(registry: Registry, { body, isUpload }: RouteSpec) {
  if (isUpload) {
    const schema = { type: 'string', format: 'binary' }
    return { required: true, content: { 'application/octet-stream': { schema } } }
  }
  if (!body) return undefined
  // The body is optional if no field is required.
  const required = !body.safeParse({}).success
  const schema = buildSchema(registry, body, 'input')
  return { required, content: { 'application/json': { schema } } }
}

function buildResponses(registry: Registry, { answer, mediaType, status, streamed }: RouteSpec) {
  const text = {
    type: 'string',
    ...(streamed && {
      contentMediaType: 'application/json',
      contentSchema: buildSchema(registry, streamed, 'output'),
    }),
  }
  const content = mediaType
    ? { [mediaType]: { schema: text } }
    : answer && { 'application/json': { schema: buildSchema(registry, answer, 'output') } }
  const problem = { schema: buildSchema(registry, problemSchema, 'output') }
  return {
    ...(content
      ? { [status ?? 200]: { description: 'Done', content } }
      : { 204: { description: 'Done' } }),
    default: {
      description: 'The error',
      content: { 'application/problem+json': problem },
    },
  }
}

/** Adds the schemas it references to the components. */
function buildSchema(registry: Registry, schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs = {}, ...described } = inComponents(z.toJSONSchema(schema, { io }))
  for (const [name, named] of Object.entries($defs))
    registry.registerComponent('schemas', name, named as object)
  const { id } = schema.meta() ?? {}
  if (id === undefined) return described
  if (!Object.hasOwn($defs, id)) registry.registerComponent('schemas', id, described as object)
  return { $ref: `#/components/schemas/${id}` }
}

function inComponents(schema: object): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema
}

/** `post`, `/threads/{threadId}/pins` → `postThreadsByThreadIdPins` */
function readOperationId(method: string, path: string): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, 'by/$1')
    .split('/')
    .filter(Boolean)
  return [method, ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join('')
}
