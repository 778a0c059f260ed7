// The contract of the API, from its own description: every operation is called as it may be and as it may not, and answers as it says.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longPast } from '../agent/past.ts'
import { runs } from '../scale.ts'
import { type Asking, type DescribedOperation, OpenApiClient } from './openapi-client.ts'
import { fitting, unfitting } from './schema-values.ts'
import { converse, setUpApp } from './setup.ts'

/** A thread with a past, a compaction and a pin: what the operations are about. */
async function setUpContract() {
  const setup = await setUpApp({ values: { gate: { minTokens: 0 } } })
  const { client, home } = setup
  const { threadId } = await client.createThread({ title: 'about' })
  await home.threads.append(threadId, longPast(4_000), { openCalls: 'leave' })
  await converse(client, threadId, 'Hello')
  await client.compact(threadId, { strategy: STRATEGY })
  const compaction = (await client.events(threadId)).find(({ type }) => type === 'COMPACTION')?.seq
  expect(compaction).toBeDefined()
  const { pinId } = await client.pin(threadId, 'Keep this.')
  const api = await OpenApiClient.of(setup.ask)
  return { ...setup, api, threadId, values: { threadId, pinId, compaction: String(compaction) } }
}
type Contract = Awaited<ReturnType<typeof setUpContract>>

const STRATEGY = 'trim-tool-results'
const SESSION = JSON.stringify([{ role: 'user', content: 'Imported' }])

/** What makes sense where any text would fit the schema. */
const SENSIBLE: Record<string, Asking> = {
  postThreadsImport: { text: SESSION },
  getThreadsByThreadIdExport: { values: { format: 'markdown' } },
  getThreadsByThreadIdRecall: { values: { query: 'Hello' } },
  getThreads: { values: { limit: '2', search: 'about' } },
  postThreads: { body: { title: 'one more', preset: 'chat' } },
  patchThreadsByThreadId: { body: { preset: 'log', strategy: STRATEGY } },
  postThreadsByThreadIdMessages: { body: { content: 'Hello again' } },
  postThreadsByThreadIdCompactions: { body: { strategy: STRATEGY } },
  postThreadsByThreadIdPreviews: { body: { strategy: STRATEGY } },
  postThreadsByThreadIdPins: { body: { text: 'Keep this, too.' } },
  postThreadsByThreadIdApprovalsByCallId: { body: { decision: 'allow' } },
  postMachineSessionsOpen: { body: { id: 'none' } },
}

/** What must have happened before an operation can succeed: further values that it needs. */
const BEFORE: Record<string, (contract: Contract) => Promise<Record<string, string>>> = {
  postThreadsByThreadIdPreviewsByPreviewIdApply: newPreview,
  deleteThreadsByThreadIdPreviewsByPreviewId: newPreview,
  getThreadsByThreadIdPreviewsByPreviewIdDiff: newPreview,
  async deleteThreadsByThreadId({ client }) {
    return { threadId: (await client.createThread()).threadId }
  },
  async deleteThreadsByThreadIdPinsByPinId({ client, threadId }) {
    return { pinId: (await client.pin(threadId, 'Not for long.')).pinId }
  },
}

async function newPreview({ client, threadId }: Contract): Promise<Record<string, string>> {
  return { previewId: (await client.preview(threadId, { strategy: STRATEGY })).previewId }
}

/** No call waits for an answer here, and nobody is the owner of a machine: those have tests of their own. */
const REFUSED: ReadonlyMap<string, number> = new Map([
  ['postThreadsByThreadIdApprovalsByCallId', 404],
  ['getMachineSessions', 403],
  ['postMachineSessionsOpen', 403],
])

describe('the contract of the API', () => {
  it('holds for every operation that is called as it may be: it succeeds, and answers as described', async () => {
    const contract = await setUpContract()
    const { api, values } = contract
    expect(api.operations.length).toBeGreaterThan(30)
    const ids = api.operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of inOrder(api.operations)) {
      const { operationId, responses } = operation
      const sensible = SENSIBLE[operationId] ?? {}
      const more = (await BEFORE[operationId]?.(contract)) ?? {}
      const asking = {
        ...sensible,
        values: { callId: 'call_none', ...values, ...sensible.values, ...more },
      }
      const { status, value } = await api.call(operation, asking)
      const refused = REFUSED.get(operationId)
      if (refused !== undefined) expect(status).toBe(refused)
      else
        expect(Object.keys(responses), `${operationId} ${JSON.stringify(value)}`).toContain(
          String(status),
        )
    }
  })

  it('holds where bodies break a rule of their schema: each is refused, with a problem', async () => {
    const { api, values } = await setUpContract()
    const resolve = api.resolved.bind(api)
    const withBody = api.operations.filter(({ body }) => body?.mediaType === 'application/json')
    expect(withBody.length).toBeGreaterThan(8)
    let count = 0
    for (const operation of withBody) {
      for (const [rule, body] of unfitting(operation.body?.schema ?? {}, resolve)) {
        const where = `${operation.operationId}: ${rule}`
        const asking = { values: { callId: 'c', previewId: 'p', ...values }, body }
        const { status } = await api.call(operation, asking)
        expect([400, 422], where).toContain(status)
        count += 1
      }
      for (const asking of [{ text: '{' }, { text: '{}', mediaType: 'text/plain' }]) {
        const { status } = await api.call(operation, {
          ...asking,
          values: { callId: 'c', previewId: 'p', ...values },
        })
        expect([400, 422], operation.operationId).toContain(status)
      }
    }
    expect(count).toBeGreaterThan(80)
  })

  it('holds where paths and queries break a rule of their schema', async () => {
    const { api, values } = await setUpContract()
    const resolve = api.resolved.bind(api)
    for (const operation of api.operations)
      for (const { name, schema, in: place, required } of operation.fields) {
        if (place === 'header') continue
        // In an address everything is a text: a number is one, too.
        const texts = unfitting(schema, resolve)
          .map(([, value]) => String(value ?? ''))
          .filter(
            (text) => resolve(schema).type !== 'string' || tooLongOrShort(text, resolve(schema)),
          )
        for (const text of texts.filter((each) => place === 'query' || each !== '')) {
          const given = { callId: 'c', previewId: 'p', ...values, [name]: text }
          const { status } = await api.call(operation, { values: given, ...bodyFor(operation) })
          expect([404, 422], `${operation.operationId} ${name}=${text.slice(0, 40)}`).toContain(
            status,
          )
        }
        if (!required || place === 'path') continue
        const { status } = await api.call(operation, { values })
        expect(status, `${operation.operationId} without ${name}`).toBe(422)
      }
  })

  it('holds for whatever fits the schemas: an answer as described, and never a bug', async () => {
    const { api, values, client } = await setUpContract()
    const resolve = api.resolved.bind(api)
    const asked = api.operations.filter(
      ({ operationId }) => operationId !== 'deleteThreadsByThreadId',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...asked).chain((operation) => askingFor(operation, resolve)),
        async ([operation, asking]) => {
          const { status } = await api.call(operation, {
            ...asking,
            values: { callId: 'c', previewId: 'p', ...asking.values, ...values },
          })
          expect(status, operation.operationId).not.toBe(500)
        },
      ),
      runs(120),
    )
    await expect(client.thread(values.threadId)).resolves.toBeDefined()
  })
})

/** A random request that the description allows. */
function askingFor(
  operation: DescribedOperation,
  resolve: OpenApiClient['resolved'],
): fc.Arbitrary<readonly [DescribedOperation, Asking]> {
  const queries = operation.fields.filter((field) => field.in === 'query')
  const values = fc.record(
    Object.fromEntries(
      queries.map(({ name, schema }) => [name, fitting(schema, resolve).map(String)]),
    ),
    { requiredKeys: queries.filter(({ required }) => required).map(({ name }) => name) },
  ) as fc.Arbitrary<Record<string, string>>
  const { body } = operation
  const bodies: fc.Arbitrary<Asking> = !body
    ? fc.constant({})
    : body.mediaType === 'application/json'
      ? fitting(body.schema, resolve).map((value) => ({ body: value }))
      : fc.string().map((text) => ({ text }))
  return fc
    .tuple(values, bodies)
    .map(([given, rest]) => [operation, { ...rest, values: given }] as const)
}

function bodyFor({ body, operationId }: DescribedOperation): Asking {
  return body?.required ? { body: {}, ...SENSIBLE[operationId] } : {}
}

function tooLongOrShort(
  text: string,
  schema: { readonly minLength?: unknown; readonly maxLength?: unknown },
) {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  return text.length < Number(minLength) || text.length > Number(maxLength)
}

/** What is deleted comes last; what is taken back, after what does it. */
function inOrder(operations: readonly DescribedOperation[]): DescribedOperation[] {
  const rank = ({ method, operationId }: DescribedOperation) =>
    method === 'DELETE' ? 3 : /Redo$/.test(operationId) ? 2 : /Undo$/.test(operationId) ? 1 : 0
  return operations.toSorted((one, other) => rank(one) - rank(other))
}
