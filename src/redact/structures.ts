// Removes secrets by their surroundings: commands, cookies, password files, manifests, sentences.
import { isBytes } from './assignments.ts'
import type { Replace } from './replace.ts'

interface Structure {
  readonly kind: string
  /** The secret is the last group `secret` of a match; all repetitions are bounded. */
  readonly pattern: RegExp
  accepts(secret: string): boolean
}

const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text)
const isAllKinds = (text: string) => isMixed(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
const standsForOne = (text: string) =>
  /^[$<{%[(*@]|^x+$|your|example|placeholder|changeme|redacted|passw|secret/i.test(text)
const isValue = (text: string) => !standsForOne(text) && /[a-z]/i.test(text)
/** Contains a character that words and names do not have. */
const isChosen = (text: string) => /[!#%^*&$~][^\s]/.test(text) && !/[({[\]})=;]/.test(text)
/** A generated passphrase: `a-b-c-12`. */
const JOINED_WORDS = /^(?:[a-z]{3,12}[-_.]){2,7}(?:[a-z]{3,12}|\d{1,6})[.]?$/i
const isSession = (text: string) => isMixed(text) && !standsForOne(text)

/** A quoted value, or one up to a blank or the end of a command. */
const VALUE = String.raw`["']?(?<secret>(?<=')[^'\n]{4,200}(?=')|(?<=")[^"\n]{4,200}(?=")|(?<!["'])[^\s"'$<>|;=-][^\s"'|;]{3,200})`
/** Words before `login` that show it is not a command. */
const NO_PROGRAM =
  'tests?|spec|run|exec|the|an?|my|our|your|this|that|each|on|of|for|with|and|fix|in|to'
/** Options with values, and addresses; other words are part of a sentence. */
const OPTIONS = String.raw`(?:[ \t]{1,4}(?=-|[^\s]{0,200}[.:/@]|(?<=\s--?[\w-]{1,40}[ \t]{1,4}))\S{1,200}){0,12}?`

const STRUCTURES: readonly Structure[] = [
  {
    kind: 'password',
    pattern:
      /\b(?:curl|http|https|wget)\b[^\n|;]{0,400}?\s(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'$]{1,80}:(?<secret>[^\s"'$]{3,200})/g,
    accepts: isValue,
  },
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]{0,200}?\s-p${VALUE}`,
      'g',
    ),
    accepts: isValue,
  },
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`\b(?:sshpass|htpasswd|redis-cli|ldapsearch)\b[^\n|;]{0,200}?\s(?:-p|-w|-a|-bB?|--password)[ =]?${VALUE}`,
      'g',
    ),
    accepts: (text) => isValue(text) && /\d/.test(text),
  },
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?<![\w-])(?!(?:${NO_PROGRAM}) )[\w-]{1,40} login(?=\s)${OPTIONS}[ \t]{1,4}(?:-p|--password)[ =]?${VALUE}`,
      'gi',
    ),
    accepts: (text) => isValue(text) && /\d/.test(text),
  },
  {
    kind: 'password',
    pattern: /\blogin\s{1,20}\S{1,100}\s{1,20}password\s{1,20}(?<secret>\S{4,200})/g,
    accepts: isValue,
  },
  {
    kind: 'password',
    pattern:
      /(?<![\w.*-])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,63}:[\w.*-]{1,63}:(?<secret>[^\s:/]{8,200})(?=\s|$)/g,
    accepts: isMixed,
  },
  {
    kind: 'password',
    pattern:
      /\b(?:password|passwort|passphrase|pwd|passcode)(?: (?:for|of|on|für|von)(?: [^\s.,]{1,40}){1,4}?)? (?:is|ist|was|to)[: ]{1,3}["'`]?(?<secret>[^\s"'`,]{8,80})/gi,
    accepts: (text) =>
      !standsForOne(text) &&
      isMixed(text) &&
      (/[!#%^*@&$]/.test(text) || isAllKinds(text) || JOINED_WORDS.test(text)),
  },
  {
    kind: 'password',
    pattern:
      /\b(?:password|passwort|passphrase|passcode|pwd?)[: ]{1,3}["'`]?(?<secret>[^\s"'`,]{8,80})/gi,
    accepts: (text) => !standsForOne(text) && isAllKinds(text) && isChosen(text),
  },
  {
    kind: 'password',
    pattern:
      /\b(?:(?:ALTER|CREATE)\s{1,20}(?:USER|ROLE|LOGIN)|GRANT|SET\s{1,20}PASSWORD)\b[^;\n]{0,300}?\b(?:PASSWORD|BY|AS)[ \t]{0,4}[=(]?[ \t]{0,4}'(?<secret>[^'\n]{3,200})'/gi,
    accepts: (text) => isValue(text),
  },
  {
    kind: 'password',
    pattern:
      /\bIDENTIFIED\s{1,20}(?:WITH\s{1,20}\S{1,60}\s{1,20})?BY\s{1,20}(?:PASSWORD\s{1,20})?["'`]?(?<secret>[^\s"'`;,]{3,200})/g,
    accepts: (text) => isValue(text) && /\d/.test(text),
  },
  {
    kind: 'password',
    pattern:
      /\b(?:sqlplus|sqlldr|sqlcl|expdp|impdp|rman)\b[^\n|;]{0,200}?\s["']?[\w$#]{1,60}\/(?<secret>[^\s"'/@]{3,100})@/g,
    accepts: isValue,
  },
  {
    // Knowing the address is enough to post there.
    kind: 'webhook',
    pattern:
      /\bhttps:\/\/(?:hooks?\.[\w.-]{3,80}|[\w.-]{3,80}(?:\/[\w.-]{1,60}){0,6}?\/(?:incoming-?)?(?:web-?)?hooks?)(?:\/[\w.-]{1,60}){0,3}?\/(?<secret>[\w@-]{16,200}(?:\/[\w-]{1,100}){0,3})/gi,
    accepts: (text) => /^[^/]*[a-z]/i.test(text) && /^(?:[^/\d]*\d){3}/.test(text),
  },
  {
    kind: 'private-key', // of PuTTY
    pattern:
      /\bPrivate-Lines: \d{1,3}\s{1,4}(?<secret>(?:[A-Za-z0-9+/=]{4,80}(?:\r?\n|\\n|$)){1,200})/g,
    accepts: isMixed,
  },
  {
    kind: 'seed-phrase',
    pattern:
      /\b(?:mnemonic|(?:seed|recovery)[ _-]?phrase)["'`]?(?: is|[ \t]{0,4}[:=])[ \t]{0,4}["'`]?(?<secret>(?:[a-z][\w-]{2,30} ){10,23}[a-z]{3,12})\b/gi,
    accepts: () => true,
  },
  {
    kind: 'vault-key',
    pattern:
      /\b(?:unseal|recovery) key(?: \d{1,3})?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?<secret>[A-Za-z0-9+/]{40,90}={0,2})/gi,
    accepts: isMixed,
  },
  {
    kind: 'token',
    pattern: /\broot token[ \t]{0,4}[:=]?[ \t]{1,4}["'`]?(?<secret>[\w.-]{16,200})/gi,
    accepts: isSession,
  },
  {
    kind: 'cookie',
    pattern:
      /(?<![\w.-])[\w.-]{0,30}(?:sess|sid|auth(?![a-z])|jwt|remember[_-]me)[\w.-]{0,20}=(?<secret>[^\s;,"'&<>(){}[\]]{16,4096})/gi,
    accepts: (text) => isSession(text) && !text.includes('://'),
  },
  {
    kind: 'password',
    pattern:
      /(?:\b(?:unzip|zip|7z|rar)\b[^\n|;]{0,100}?\s-[Pp] ?|(?<=\s)-(?:store|key)pass )["']?(?<secret>[^\s"'$|;-][^\s"'|;]{3,100})/g,
    accepts: (text) => isValue(text) && /\d/.test(text),
  },
  {
    kind: 'api-key',
    pattern:
      /\b(?:api|admin|secret|access|private|master|signing|license)[ _-]key(?: is|:| =|=) ?["'`]?(?<secret>[\w+/-]{20,200}={0,2})/gi,
    accepts: (text) => isSession(text) && (!text.startsWith('/') || isBytes(text)),
  },
  {
    kind: 'token',
    pattern:
      /\b(?:access|auth|api|refresh|bearer|bot|personal|session)[ -]?token(?: is|:| =|=)?[ :]{1,3}["'`]?(?<secret>[\w+/.-]{24,2000}={0,2})/gi,
    accepts: (text) => isAllKinds(text) && !standsForOne(text),
  },
  {
    kind: 'bearer',
    pattern:
      /\bAuthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?[A-Za-z]{3,12}[ \t]{1,4}(?:token=)?["'`]?(?<secret>[\w.~+/-]{16,2000}={0,2})/gi,
    accepts: isSession,
  },
  {
    kind: 'password',
    pattern:
      /\bopenssl\b[^\n|;]{0,300}?\s(?:-k |-K |-pass(?:in|out)? pass:)["']?(?<secret>[^\s"'$|;-][^\s"'|;]{3,200})/g,
    accepts: (text) => isValue(text) && /\d/.test(text),
  },
  {
    kind: 'password',
    pattern: /\bssh-keygen\b[^\n|;]{0,200}?\s-[NP] ?["']?(?<secret>[^\s"'$|;-][^\s"'|;]{5,200})/g,
    accepts: (text) => isValue(text),
  },
  {
    // The user name alone may be the key: `https://KEY@host`.
    kind: 'token',
    pattern: /\bhttps?:\/\/(?<secret>[\w-]{20,200})(?=@[\w.-]{3})/gi,
    accepts: isSession,
  },
  {
    kind: 'token',
    pattern: /[?&](?:code|ticket|assertion)=(?<secret>[\w.~%/+-]{20,2000}={0,2})/g,
    accepts: isSession,
  },
  {
    kind: 'signature',
    pattern: /\bAWS4-HMAC-SHA256\b[^\n]{0,600}?\bSignature=(?<secret>[a-f0-9]{64})/g,
    accepts: () => true,
  },
  {
    kind: 'digest-auth',
    pattern: /\bDigest [^\n]{0,600}?\bresponse=\\{0,3}"(?<secret>[a-f0-9]{32,128})(?=\\{0,3}")/gi,
    accepts: () => true,
  },
  {
    kind: 'otp-secret',
    pattern: /\botpauth:\/\/[^\s"']{1,200}?[?&]secret=(?<secret>[A-Z2-7]{10,128})/gi,
    accepts: () => true,
  },
]

export function redactStructures(text: string, replace: Replace): string {
  const clean = STRUCTURES.reduce(
    (rest, { kind, pattern, accepts }) =>
      rest.replace(pattern, (match, ...found) => {
        const { secret } = found.at(-1) as { secret: string }
        const start = match.lastIndexOf(secret)
        if (isRedacted(match, start) || !accepts(secret)) return match
        return match.slice(0, start) + replace(kind) + match.slice(start + secret.length)
      }),
    text,
  )
  return withoutManifests(withoutCookies(clean, replace), replace)
}

/** A placeholder starts here, is contained, or surrounds it. */
function isRedacted(match: string, start: number): boolean {
  return match.slice(0, start).endsWith('[redacted:') || match.includes('[redacted', start)
}

const COOKIES = /\bcookie["']?[ \t]{0,4}:[^\r\n]{1,8000}/gi
/** Cookies may hold settings, too: a session is long and random. */
const COOKIE = /(?<=[:;\s"'])([\w.-]{1,80})=([^\s;,"']{20,4096})/g
/** Cookie attributes. */
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority)$/i

function withoutCookies(text: string, replace: Replace): string {
  return text.replace(COOKIES, (header) =>
    header.replace(COOKIE, (whole, name: string, value: string) =>
      ATTRIBUTE.test(name) || value.includes('[redacted') || !isSession(value)
        ? whole
        : `${name}=${replace('cookie')}`,
    ),
  )
}

/** A Kubernetes manifest: everything below `data` is secret, in base64 or plain. */
const MANIFEST = /^[ \t]*kind:[ \t]*["']?Secret["']?[ \t]*$/m
const BLOCK = /^([ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t][^\r\n]{1,20000}(?:\r?\n|$))+)/gm
const FIELD = /^([ \t]+["']?[\w.-]{1,253}["']?:[ \t]*)(\S[^\r\n]{3,20000})/gm

function withoutManifests(text: string, replace: Replace): string {
  if (!MANIFEST.test(text)) return text
  return text.replace(BLOCK, (block) =>
    block.replace(FIELD, (line, head: string, value: string) =>
      value.includes('[redacted') || /^[|>$<{]/.test(value) ? line : `${head}${replace('secret')}`,
    ),
  )
}
