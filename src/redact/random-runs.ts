// Random runs: long, of mixed character kinds, and changing kind more often than words do.
import type { Replace } from './replace.ts'

/** A whole word of the alphabet of base 64 for addresses; bytes in base 64 are longer or hold other signs. */
const RUN =
  /(?<![\w+/=.~%-])(?:(?<prefix>[A-Za-z][A-Za-z0-9]{0,11}(?:[_-][a-z0-9]{1,8}){0,2})[_-])?(?<run>[A-Za-z0-9_-]{30,140})(?![\w+/=~%-]|\.\w)/g
/** A service's short name and forty digits of a hash: the way in which several write their tokens. */
const HEX = /(?<![\w-])(?<prefix>[a-z]{2,6})_(?<run>[a-f0-9]{40})(?![\w-])/g

/** Names of things, not keys to them. */
const ID_PREFIX =
  /^(?:msg|toolu|srvtoolu|call|req|chatcmpl|resp|run|cus|price|prod|evt|thread|thr|ses|prt|user|usr|org|proj|file|batch|item|rs|fc|ws|ig|task|step|asst|job|build|sha\d*|md5|rev|commit|hash|cache|blob|chunk|asset|font|img|v\d+|Qm.*|baf.*)$/i
/** What is named so may be known to all. */
const PUBLIC_BEFORE =
  /(?:(?:sha|SHA|md)\d{1,3}[-:]|h1:|base64,|\/|(?:^|[^A-Za-z])(?:[A-Za-z]{0,20}[_-]?)?(?:id|ids|kid|uuid|hash|integrity|etag|nonce|state|fingerprint|checksum|digest|thumbprint|cid|calls?|rev|revision|commit|slug|class|className|gclid|mappings|data|(?:thought|thinking)?_?signature|encrypted_content|public[_-]?key)["'`]?\s{0,3}[:=]\s{0,3}["'`]?)$/i
const LOOKED_BACK_CHARS = 60
const LEAST_CHANGES = 0.42

export function redactRandomRuns(text: string, replace: Replace): string {
  const runs = text.replace(RUN, (match, ...found) => {
    const { prefix = '', run = '' } = found.at(-1) as { prefix?: string; run?: string }
    const at = found.at(-3) as number
    const isPublic =
      ID_PREFIX.test(prefix) ||
      ID_PREFIX.test(match.split(/[_-]/, 1)[0] ?? '') ||
      /^(?:Qm|baf|AAAA|_*Z)/.test(match) ||
      isLineOfBytes(text, at, match) ||
      PUBLIC_BEFORE.test(text.slice(Math.max(0, at - LOOKED_BACK_CHARS), at))
    return isPublic || !isRandom(run) ? match : replace('random')
  })
  return runs.replace(HEX, (match, ...found) => {
    const { prefix = '', run = '' } = found.at(-1) as { prefix?: string; run?: string }
    return ID_PREFIX.test(prefix) || new Set(run).size < 8 ? match : replace('random')
  })
}

/** Certificates and the like: lines of one length that hold nothing else. */
function isLineOfBytes(text: string, at: number, { length }: string): boolean {
  if (length !== 64 && length !== 76) return false
  const [before, behind] = [text[at - 1] ?? '\n', text[at + length] ?? '\n']
  return /[\r\n]/.test(before) && /[\r\n]/.test(behind)
}

/** Capital, small, digit: in a random run six of ten neighbours differ, in names at most two. */
function isRandom(run: string): boolean {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run) || !/\d/.test(run)) return false
  let changes = 0
  for (let at = 1; at < run.length; at += 1)
    if (kindOf(run.charCodeAt(at)) !== kindOf(run.charCodeAt(at - 1))) changes += 1
  return changes / (run.length - 1) >= LEAST_CHANGES && new Set(run).size >= 14
}

function kindOf(code: number): number {
  if (code >= 97) return 2
  if (code >= 65) return code === 95 ? 0 : 1
  return code >= 48 && code <= 57 ? 3 : 0
}
