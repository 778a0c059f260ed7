// Values made of JSON schemas: random ones that fit, and ones that break one rule each.
import fc from 'fast-check'
import type { JsonSchema } from './openapi-client.ts'

type Resolve = (schema: JsonSchema) => JsonSchema

interface Named {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

const LONGEST = 40

/** Any value that the schema takes. */
export function fitting(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const given = resolve(schema) as Named
  const several = given.anyOf ?? given.oneOf
  if (several) return fc.oneof(...several.map((each) => fitting(each, resolve)))
  if (given.const !== undefined) return fc.constant(given.const)
  if (given.enum) return fc.constantFrom(...given.enum)
  switch (given.type) {
    case 'string': {
      const { minLength = 0, maxLength = LONGEST } = given
      return fc.string({ minLength, maxLength: Math.min(maxLength, LONGEST), unit: 'grapheme' })
    }
    case 'integer':
    case 'number': {
      const min = given.minimum ?? (given.exclusiveMinimum ?? -1) + 1
      return fc.integer({ min, max: Math.min(given.maximum ?? 1_000, 1_000) })
    }
    case 'boolean':
      return fc.boolean()
    case 'array': {
      const { items = {}, minItems = 0 } = given
      return fc.array(fitting(items, resolve), { minLength: minItems, maxLength: minItems + 2 })
    }
    case 'object':
      return fittingObject(given, resolve)
    default:
      return fc.jsonValue()
  }
}

function fittingObject(
  { properties = {}, required = [], additionalProperties }: Named,
  resolve: Resolve,
): fc.Arbitrary<object> {
  if (typeof additionalProperties === 'object' && Object.keys(properties).length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fitting(additionalProperties, resolve), {
      maxKeys: 2,
    })
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, fitting(each, resolve)]),
  )
  return fc.record(fields, { requiredKeys: [...required] })
}

/** Values that break one rule of the schema each, with the name of the rule. */
export function unfitting(schema: JsonSchema, resolve: Resolve): [string, unknown][] {
  const given = resolve(schema) as Named
  const { properties = {}, required = [], additionalProperties } = given
  const sample = fc.sample(fitting(schema, resolve), 1)[0]
  if (given.type !== 'object' || typeof sample !== 'object' || sample === null)
    return brokenValues(given).map((value) => ['value', value])
  const fields = sample as Record<string, unknown>
  return [
    ...[[], 'text', 7, null].map((value): [string, unknown] => ['type', value]),
    ...required.map((name): [string, unknown] => {
      const { [name]: _, ...rest } = fields
      return [`without ${name}`, rest]
    }),
    ...(additionalProperties === false
      ? [['unknown field', { ...fields, 'nobody-knows': 1 }] as [string, unknown]]
      : []),
    ...Object.entries(properties).flatMap(([name, each]) =>
      brokenValues(resolve(each) as Named).map((value): [string, unknown] => [
        `${name} = ${JSON.stringify(value)?.slice(0, 40)}`,
        { ...fields, [name]: value },
      ]),
    ),
  ]
}

function brokenValues(given: Named): unknown[] {
  if (given.anyOf ?? given.oneOf) return [{}, 7, null, true]
  if (given.enum ?? given.const) return ['nobody-knows', 7, null]
  switch (given.type) {
    case 'string':
      return [
        7,
        null,
        {},
        ...(given.minLength ? [''] : []),
        ...(given.maxLength ? ['x'.repeat(given.maxLength + 1)] : []),
      ]
    case 'integer':
      return ['x', 1.5, {}, (given.minimum ?? (given.exclusiveMinimum ?? 0) + 1) - 1]
    case 'array':
      return ['x', {}, ...(given.minItems ? [[]] : [])]
    case 'object':
      return ['x', 7, []]
    default:
      return []
  }
}
