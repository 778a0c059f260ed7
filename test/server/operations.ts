// The operations of the API as it describes itself: what tests go through to leave none out.
import type { AppSetup } from './setup.ts'

interface Operation {
  readonly method: string
  readonly path: string // without /api
  readonly hasBody: boolean // as JSON
  readonly query: readonly string[]
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { readonly schemas: object }
}
interface Described {
  readonly responses: object
  readonly requestBody?: { readonly content: object }
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

export async function operationsOf(ask: AppSetup['ask'], token?: string): Promise<Operation[]> {
  const { paths } = await documentOf(ask, token)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replace(/^\/api/, ''),
      hasBody: requestBody !== undefined && 'application/json' in requestBody.content,
      query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    })),
  )
}

export async function documentOf(ask: AppSetup['ask'], token?: string): Promise<Document> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await (await ask('/openapi.json', { headers })).json()) as Document
}
