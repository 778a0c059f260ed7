// One HTTP request: whose API it is for, whether it may come in, and who answers it.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isFields } from '../core/text/json.ts'
import { fieldsOf } from '../validate/walk.ts'
import { answerTo } from './catalogue.ts'
import { converse } from './converse.ts'
import { readBody, sendJson } from './http.ts'
import { type Route, routeOf } from './routes.ts'
import type { Desk } from './stand-in.ts'
import type { Refusal } from './wire-format.ts'

const LOOPBACK_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

export async function respond(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method = 'GET' } = request
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const route = routeOf(method, path, headers['anthropic-version'] !== undefined)
  const format = (route.isLocal ? desk.localFormats : desk.formats)[route.wire]
  if (!isFromHere(headers)) {
    const body = { error: 'only requests to the loopback address are answered' }
    return sendJson(response, { status: 403, body })
  }
  const refusal = admission(desk, route, request)
  if (refusal !== undefined) return sendJson(response, format.refuse(refusal))
  const body =
    method === 'POST' ? await readBody(request, desk.maxBodyBytes) : { value: {}, chars: 0 }
  if (body === 'too-large') return sendJson(response, format.refuse({ kind: 'too-large' }))
  if (body === 'no-json' || !isFields(body.value)) {
    const message = 'The request body is not valid JSON: expected an object'
    return sendJson(response, format.refuse({ kind: 'invalid', message }))
  }
  if (route.kind === 'turn' || route.kind === 'count') {
    const sent = { value: body.value, chars: body.chars, path, headers }
    await converse(desk, route.kind, format, sent, response)
  } else sendJson(response, answerTo(desk, route, method, fieldsOf(body.value)))
}

/** A page on the web can make a browser send here, under another name or not; no client of ours does. */
function isFromHere({ host = '', origin }: IncomingHttpHeaders): boolean {
  const from = origin?.replace(/^https?:\/\//, '')
  return LOOPBACK_HOSTS.test(host) && (from === undefined || LOOPBACK_HOSTS.test(from))
}

/** A key that is missing or wrong, which local servers do not ask for; a version that is missing. */
function admission(
  { apiKey, keyless }: Desk,
  { wire, kind, isLocal = false }: Route,
  { headers }: IncomingMessage,
): Refusal | undefined {
  if (kind === 'running' || kind === 'version' || kind === 'order-fault') return undefined
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const key = String(headers['x-api-key'] ?? bearer ?? '')
  const isOpen = isLocal || keyless || (wire === 'ollama' && apiKey === undefined)
  const isFine = isOpen || (apiKey === undefined ? key !== '' : key === apiKey)
  if (!isFine) return { kind: 'unauthorised', isMissing: key === '' }
  if (wire !== 'anthropic' || headers['anthropic-version'] !== undefined) return undefined
  return { kind: 'invalid', message: 'anthropic-version: header is required' }
}
