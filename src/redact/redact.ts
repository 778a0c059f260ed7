// Redacts text that leaves the machine: exports, logs, error pages, prompts for another provider. Never the
// store: removal there is final.
// Written by hand. @secretlint/core finds secrets in files to be committed: it is asynchronous, knows 9 of
// the 16 required kinds, and marks the start of a finding rather than the whole secret (of
// `aws_secret_access_key = …` it marks 40 characters from the name on, and half the key stays).
import { redactAssignments, redactPairs } from './assignments.ts'
import { redactKnown, type Secret } from './known.ts'
import { Placeholders, type Replace, type SecretCount } from './replace.ts'
import { redactStructures } from './structures.ts'
import { redactTokens } from './tokens.ts'

export interface Redacted {
  readonly text: string
  /** Removed secrets by kind, sorted by name. */
  readonly found: readonly SecretCount[]
}

/**
 * Replaces each secret by `[redacted:aws-key]` or the like; the text around it stays. Linear in time for any
 * text, and finds nothing more in its own output.
 */
export function redact(text: string, secrets: readonly Secret[] = []): Redacted {
  const placeholders = new Placeholders()
  return { text: redactText(text, secrets, placeholders.replace), found: placeholders.found }
}

/** Text right after a removed secret may be recognisable only now, so it is checked again. */
const MOST_PASSES = 10

/** Ids and signatures are random but not secret: `hasRandom: false` keeps merely random runs. */
export function redactText(
  text: string,
  secrets: readonly Secret[],
  replace: Replace,
  hasRandom = true,
): string {
  let clean = text
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = clean
    const known = redactKnown(before, secrets, replace)
    const tokens = redactTokens(redactPrivateKeys(known, replace), replace)
    const assigned = redactPairs(redactAssignments(tokens, replace), replace)
    const named = redactStructures(assigned, replace)
    clean = hasRandom ? redactRandomRuns(named, replace) : named
    if (clean === before) break
  }
  return clean
}

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
const END = '-----END '
const END_LINE = /-----END [A-Z0-9 ]{0,80}-----/y
/** A more distant end belongs to something else. */
const MAX_KEY_CHARS = 20_000
/** Anything but base64 lines and headers, also in JSON or program notation. */
const NO_BODY = /\n[ \t]*\n|[^A-Za-z0-9+/=:,.\s\\-]/

/** PEM private keys, whole or truncated. */
function redactPrivateKeys(text: string, replace: Replace): string {
  const pieces: string[] = []
  let written = 0
  let end = -1
  for (const { 0: header, index } of text.matchAll(BEGIN)) {
    if (index < written) continue
    // Searched once for all keys without an end; otherwise each start would search to the end of the text.
    if (end !== text.length && end < index) end = endBehind(text, index)
    const start = index + header.length
    const hasEnd = end < text.length && end - start < MAX_KEY_CHARS
    const close = hasEnd ? behindEnd(text, end) : behindBody(text, start)
    pieces.push(text.slice(written, index), replace('private-key'))
    written = close
  }
  return [...pieces, text.slice(written)].join('')
}

/** The length of the text if there is no end. */
function endBehind(text: string, index: number): number {
  const found = text.indexOf(END, index)
  return found === -1 ? text.length : found
}

function behindEnd(text: string, end: number): number {
  END_LINE.lastIndex = end
  return end + (END_LINE.exec(text)?.[0].length ?? 0)
}

/** Up to the next key, the end of the string, or the text after this one. */
function behindBody(text: string, start: number): number {
  const rest = text.slice(start, start + MAX_KEY_CHARS)
  const next = rest.indexOf('-----')
  const own = next === -1 ? rest : rest.slice(0, next)
  return start + (NO_BODY.exec(own)?.index ?? own.length)
}

/** A whole word of URL-safe base64; encoded bytes are longer or contain other characters. */
const RUN =
  /(?<![\w+/=.~%-])(?:[A-Za-z][A-Za-z0-9]{0,11}(?:[_-][a-z0-9]{1,8}){0,2}[_-])?(?<run>[A-Za-z0-9_-]{30,140})(?![\w+/=~%-]|\.\w)/g
/** A service's short name and forty hex digits: a common token form. */
const HEX = /(?<![\w-])(?<prefix>[a-z]{2,6})_(?<run>[a-f0-9]{40})(?![\w-])/g

/** Prefixes of object ids, which are not keys. */
const ID_PREFIX =
  /^(?:msg|toolu|srvtoolu|call|req|chatcmpl|resp|run|cus|price|prod|evt|thread|thr|ses|prt|user|usr|org|proj|file|batch|item|rs|fc|ws|ig|task|step|asst|job|build|sha\d*|md5|rev|commit|hash|cache|blob|chunk|asset|font|img|v\d+|Qm.*|baf.*)$/i
/** Names of public values. */
const PUBLIC_BEFORE =
  /(?:(?:sha|SHA|md)\d{1,3}[-:]|h1:|base64,|\/|(?:^|[^A-Za-z])[A-Za-z]{0,20}(?:id|ids|kid|uuid|hash|integrity|etag|nonce|state|fingerprint|checksum|digest|thumbprint|cid|calls?|rev|revision|commit|slug|class|className|gclid|mappings|data|signature|encrypted_content|public[_-]?key)["'`]?\s{0,3}[:=]\s{0,3}["'`]?)$/i
const LOOKED_BACK_CHARS = 60
const LEAST_CHANGES = 0.42

/** Random runs: long, with mixed character kinds that change more often than in words. */
function redactRandomRuns(text: string, replace: Replace): string {
  const runs = text.replace(RUN, (match, ...found) => {
    const { run } = found.at(-1) as { run: string }
    const at = found.at(-3) as number
    const isPublic =
      ID_PREFIX.test(match.slice(0, match.search(/[_-]|$/))) ||
      /^(?:Qm|baf|AAAA|_*Z)/.test(match) ||
      isLineOfBytes(text, at, match) ||
      PUBLIC_BEFORE.test(text.slice(Math.max(0, at - LOOKED_BACK_CHARS), at))
    return isPublic || !isRandom(run) ? match : replace('random')
  })
  return runs.replace(HEX, (match, ...found) => {
    const { prefix, run } = found.at(-1) as { prefix: string; run: string }
    return ID_PREFIX.test(prefix) || new Set(run).size < 8 ? match : replace('random')
  })
}

/** Certificates and the like: lines of equal length with nothing else. */
function isLineOfBytes(text: string, at: number, { length }: string): boolean {
  if (length !== 64 && length !== 76) return false
  const [before, behind] = [text[at - 1] ?? '\n', text[at + length] ?? '\n']
  return /[\r\n]/.test(before) && /[\r\n]/.test(behind)
}

/** Capital, small, digit: in random runs six of ten neighbours differ, in names at most two. */
function isRandom(run: string): boolean {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run) || !/\d/.test(run)) return false
  let changes = 0
  for (let at = 1; at < run.length; at += 1)
    if (readKind(run.charCodeAt(at)) !== readKind(run.charCodeAt(at - 1))) changes += 1
  return changes / (run.length - 1) >= LEAST_CHANGES && new Set(run).size >= 14
}

function readKind(code: number): number {
  if (code >= 97) return 2
  if (code === 95) return 0
  if (code >= 65) return 1
  return code >= 48 ? 3 : 0
}
