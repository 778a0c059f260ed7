// OpenAPI descriptions of routes, generated from the schemas that they validate with
import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import { problemSchema } from '../../protocol/schemas.ts'

export interface RouteSpec {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string // `/threads/{threadId}`
  readonly tag: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** A whole file is the body, in place of JSON. */
  readonly isUpload?: boolean
  /** What is asked for by headers: the name of each, and what it says. */
  readonly headers?: Readonly<Record<string, string>>
  /** Absent: there is nothing to answer (204). */
  readonly answer?: z.ZodType
  readonly status?: 201 | 202
  /** Of an answer that is not JSON; the handler gives a Response then. */
  readonly mediaType?: string
}

type Registry = OpenAPIHono['openAPIRegistry']
type JsonSchema = z.core.JSONSchema.JSONSchema
type Described = Parameters<Registry['registerPath']>[0]
type Parameter = NonNullable<Described['parameters']>[number]

const IDEMPOTENCY_KEY = 'Repeated with the same key and body, a write is done once.'

export function describe(registry: Registry, spec: RouteSpec): void {
  const { method, path, tag, summary } = spec
  const body = bodyOf(registry, spec)
  const described = {
    method,
    path: `/api${path}`,
    operationId: operationIdOf(method, path),
    tags: [tag],
    summary,
    parameters: parametersOf(registry, spec),
    responses: responsesOf(registry, spec),
  }
  registry.registerPath((body ? { ...described, requestBody: body } : described) as Described)
}

function parametersOf(registry: Registry, spec: RouteSpec): Parameter[] {
  const { method, params, query, headers = {} } = spec
  const named = { ...headers, ...(method !== 'get' && { 'Idempotency-Key': IDEMPOTENCY_KEY }) }
  return [
    ...fieldsOf(registry, 'path', params),
    ...fieldsOf(registry, 'query', query),
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

function fieldsOf(
  registry: Registry,
  place: 'path' | 'query',
  fields: z.ZodObject | undefined,
): Parameter[] {
  if (!fields) return []
  const { properties = {}, required = [] } = schemaOf(registry, fields, 'input')
  return Object.entries(properties).map(
    ([name, schema]) =>
      ({ name, in: place, required: required.includes(name), schema }) as Parameter,
  )
}

function bodyOf(registry: Registry, { body, isUpload }: RouteSpec) {
  if (isUpload) {
    const schema = { type: 'string', format: 'binary' }
    return { required: true, content: { 'application/octet-stream': { schema } } }
  }
  if (!body) return undefined
  // Where no field is needed, the body may be left out.
  const required = !body.safeParse({}).success
  const schema = schemaOf(registry, body, 'input')
  return { required, content: { 'application/json': { schema } } }
}

function responsesOf(registry: Registry, { answer, mediaType, status }: RouteSpec) {
  const content = mediaType
    ? { [mediaType]: { schema: { type: 'string' } } }
    : answer && { 'application/json': { schema: schemaOf(registry, answer, 'output') } }
  const problem = { schema: schemaOf(registry, problemSchema, 'output') }
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

/** With what it names among the components. */
function schemaOf(registry: Registry, schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
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
function operationIdOf(method: string, path: string): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, 'by/$1')
    .split('/')
    .filter(Boolean)
  return [method, ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join('')
}
