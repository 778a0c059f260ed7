// A client that is made of nothing but the description of the API: it knows what may be asked, and checks what is answered.
import { z } from 'zod'
import type { AppSetup } from './setup.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface DescribedOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string // with /api
  readonly fields: readonly Field[]
  readonly body?: {
    readonly required: boolean
    readonly mediaType: string
    readonly schema: JsonSchema
  }
  readonly responses: Readonly<Record<string, Answer>>
}
interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export interface Asking {
  readonly values?: Readonly<Record<string, string>> // of paths, queries and headers
  readonly body?: unknown
  /** In place of `body`, as it is. */
  readonly text?: string
  readonly mediaType?: string
}

export interface Answered {
  readonly status: number
  readonly value: unknown
}

interface OpenApi {
  readonly paths: Record<string, Record<string, OpenApiOperation>>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}
interface OpenApiOperation {
  readonly operationId: string
  readonly parameters?: readonly Field[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Record<string, { readonly schema: JsonSchema }>
  }
  readonly responses: Record<string, Answer>
}

export class OpenApiClient {
  readonly operations: readonly DescribedOperation[]
  readonly #schemas: Record<string, JsonSchema>
  readonly #ask: AppSetup['ask']

  static async of(ask: AppSetup['ask']): Promise<OpenApiClient> {
    return new OpenApiClient((await (await ask('/openapi.json')).json()) as OpenApi, ask)
  }

  private constructor({ paths, components }: OpenApi, ask: AppSetup['ask']) {
    this.#ask = ask
    this.#schemas = components.schemas
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => operationOf(path, method, described)),
    )
  }

  /** A schema with what it names, as the one document that validators take. */
  whole(schema: JsonSchema): JsonSchema {
    return JSON.parse(
      JSON.stringify({ ...schema, $defs: this.#schemas }).replaceAll(
        '"#/components/schemas/',
        '"#/$defs/',
      ),
    )
  }

  /** What a name stands for. */
  resolved(schema: JsonSchema): JsonSchema {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    const found = this.#schemas[$ref.replace('#/components/schemas/', '')]
    if (!found) throw new Error(`${$ref} is not described`)
    return this.resolved(found)
  }

  /** Throws where the answer is not one that is described. */
  async call(operation: DescribedOperation, asking: Asking = {}): Promise<Answered> {
    const { values = {}, body, text, mediaType = operation.body?.mediaType } = asking
    let path = operation.path.replace(/^\/api/, '')
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    for (const { name, in: place } of operation.fields) {
      const value = values[name]
      if (value === undefined) continue
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
      else if (place === 'query') query.set(name, value)
      else headers[name] = value
    }
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
    if (content !== undefined && mediaType !== undefined) headers['content-type'] = mediaType
    const response = await this.#ask(query.size > 0 ? `${path}?${query}` : path, {
      method: operation.method,
      headers,
      ...(content !== undefined && { body: content }),
    })
    return { status: response.status, value: await this.#checked(operation, response) }
  }

  async #checked({ operationId, responses }: DescribedOperation, response: Response) {
    const where = `${operationId} ${response.status}`
    const described = responses[response.status] ?? (response.ok ? undefined : responses.default)
    if (!described) throw new Error(`${where} is not described`)
    const [mediaType, answer] = Object.entries(described.content ?? {})[0] ?? []
    const given = response.headers.get('content-type')?.split(';')[0]
    if (mediaType === undefined || !answer) {
      if ((await response.text()) !== '') throw new Error(`${where} has an answer`)
      return undefined
    }
    if (mediaType === 'text/event-stream') {
      await response.body?.cancel()
      if (given !== mediaType) throw new Error(`${where} comes as ${given}`)
      return undefined
    }
    if (!mediaType.includes('json')) return response.text()
    if (given !== mediaType) throw new Error(`${where} comes as ${given}, not ${mediaType}`)
    const value: unknown = await response.json()
    const read = z.fromJSONSchema(this.whole(answer.schema) as never).safeParse(value)
    if (read.success) return value
    throw new Error(`${where} is not as described: ${JSON.stringify(read.error.issues)}`)
  }
}

function operationOf(
  path: string,
  method: string,
  { operationId, parameters = [], requestBody, responses }: OpenApiOperation,
): DescribedOperation {
  const [mediaType, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    fields: parameters,
    responses,
    ...(mediaType !== undefined &&
      body && {
        body: { required: requestBody?.required ?? false, mediaType, schema: body.schema },
      }),
  }
}
