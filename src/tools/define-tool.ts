// A tool from an input schema: turns wrong input, errors and aborts into outcomes a model can act on.
import { z } from 'zod'
import type { ProposedChange, Tool, ToolEffect, ToolOutcome, ToolRun } from '../core/agent/tool.ts'
import { PrecisError } from '../core/errors.ts'
import type { Signal } from '../core/model.ts'
import { isRecord, type Json } from '../core/text/json.ts'
import { escapeHidden } from '../core/text/visible.ts'
import type { ToolStatus } from '../core/view/content.ts'
import { fileError, isErrno } from './files/file-errors.ts'

export interface ToolDefinition<Input> {
  readonly name: string
  readonly description: string
  readonly effect: ToolEffect
  readonly isParallel: boolean
  readonly input: z.ZodObject & z.ZodType<Input>
  /** `fields` are those of an object; empty for other inputs. */
  subject(fields: Readonly<Record<string, unknown>>): string
  /** The resolved path, for tools that have one. */
  target?(fields: Readonly<Record<string, unknown>>): string
  /** What it would change now. Errors are left to `run`. */
  change?(input: Input, target?: string): Promise<ProposedChange>
  /** May throw PrecisErrors and file system errors. Anything else is a bug. */
  run(input: Input, call: ToolRun): Promise<ToolOutcome>
}

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, effect, isParallel, input: schema, target, change } = definition
  const problemOf = (input: unknown) => {
    const { success, error } = schema.safeParse(input)
    return success ? undefined : wrongInput(name, schema, error)
  }
  return {
    name,
    description,
    effect,
    isParallel,
    inputSchema: buildJsonSchema(schema),
    subjectOf: (input) => definition.subject(isRecord(input) ? input : {}),
    ...(target && { targetOf: (input) => target(isRecord(input) ? input : {}) }),
    problemOf,
    ...(change && {
      async changeOf(input: Json, at?: string) {
        const { data } = schema.safeParse(input)
        return data && change(data, at).catch(() => undefined)
      },
    }),
    async run(input, call) {
      const checked = schema.safeParse(input)
      if (!checked.success) return textOutcome('failed', wrongInput(name, schema, checked.error))
      if (call.signal.aborted) return abortedOutcome()
      try {
        return await definition.run(checked.data, call)
      } catch (error) {
        if (call.signal.aborted) return abortedOutcome()
        return textOutcome('failed', findSentence(error))
      }
    },
  }
}

/** An outcome of one short text. */
export function textOutcome(status: ToolStatus, text: string, metadata?: Json): ToolOutcome {
  return {
    status,
    content: [{ type: 'text', text }],
    ...(metadata !== undefined && { metadata }),
  }
}

function abortedOutcome(): ToolOutcome {
  return textOutcome('aborted', 'Aborted before it was done.')
}

/** Ends loops whose caller has gone. */
export function throwIfAborted(signal: Signal): void {
  if (signal.aborted) throw new PrecisError('aborted', 'Aborted before it was done.')
}

/** For arguments of programs, which cannot contain NUL. */
export function plainText(): z.ZodString {
  return z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL byte')
}

const CONTROL = /(?![\n\t])\p{Cc}/u

/** For text a person approves: no control characters but line feed and tab. */
export function commandText(): z.ZodString {
  return z.string().refine((text) => !CONTROL.test(text), {
    error: ({ input }) => {
      const at = String(input).search(CONTROL)
      const what = escapeHidden(String(input).charAt(at))
      return `must not hold control characters (${what} at ${at}); write them as escapes, as in printf '\\033'`
    },
  })
}

/** A field's text; empty if it is not one. */
export function textField(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** Tools are created for each turn, their schemas only once. */
const jsonSchemas = new WeakMap<z.ZodObject, Json>()

function buildJsonSchema(schema: z.ZodObject): Json {
  const known = jsonSchemas.get(schema)
  if (known !== undefined) return known
  const { $schema: _, ...rest } = z.toJSONSchema(schema)
  jsonSchemas.set(schema, rest as Json)
  return rest as Json
}

/** `read: `offset`: expected number, received string. Fields: path, offset?, limit?.` */
function wrongInput(tool: string, schema: z.ZodObject, error: z.ZodError): string {
  const problems = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return `unknown field ${issue.keys.map((key) => `\`${key}\``).join(', ')}`
    const message = issue.message.replace(/^Invalid input: /, '')
    return issue.path.length === 0 ? message : `\`${issue.path.join('.')}\`: ${message}`
  })
  const fields = Object.entries(schema.shape).map(([field, type]) =>
    type instanceof z.ZodOptional ? `${field}?` : field,
  )
  return `${tool}: ${problems.join('; ')}. Fields: ${fields.join(', ')}.`
}

function findSentence(error: unknown): string {
  const known = isErrno(error) ? fileError(error) : error
  if (!PrecisError.is(known)) throw error
  return known.hint === undefined ? known.message : `${known.message} ${known.hint}`
}
