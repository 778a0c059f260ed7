// Tokens that can be told by their form alone: a prefix, an alphabet, a length.
import type { Replace } from './replace.ts'

interface TokenForm {
  readonly kind: string
  /**
   * Starts where no letter or digit precedes and takes in whole runs, so that no text makes it look at
   * a place many times. With a group `secret`, that alone is replaced.
   */
  readonly pattern: RegExp
  /** What only has the form of it. */
  accepts?(secret: string): boolean
}

const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text)
const isRandom = (text: string) => /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)

/** Names of variables and words of examples, not passwords. */
const isNoExample = (text: string) =>
  !/^(?:[$<{%[(]|\*+$|x+$|\.+$|(?:your|my|the)?[-_]?(?:pass(?:word|wd)?|pwd|secret|token)$)/i.test(
    text,
  )

const FORMS: readonly TokenForm[] = [
  form('jwt', /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/),
  form('anthropic-key', /sk-ant-[\w-]{20,300}/),
  form('openai-key', /sk-(?:proj-|svcacct-|admin-|or-v1-)?[\w-]{20,300}/, isMixedLong),
  form(
    'aws-secret',
    /(?:AKIA|ASIA)[A-Z0-9]{16}[\s,;:"'|]{1,10}(?<secret>[A-Za-z0-9/+]{40})(?![\w/+])/,
  ),
  form('aws-key', /(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/),
  form('github-token', /gh[pousr]_[A-Za-z0-9]{36,255}/),
  form('github-token', /github_pat_\w{22,255}/),
  form('gitlab-token', /gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[\w.-]{20,300}/, isMixed),
  form('slack-token', /(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,300}/, isMixed),
  form('slack-webhook', /hooks\.slack\.com\/services\/(?<secret>T\w{5,20}\/B\w{5,20}\/\w{16,40})/),
  form('npm-token', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/),
  form('stripe-key', /(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,247}/),
  form('stripe-key', /whsec_[A-Za-z0-9+/=]{24,100}/, isMixed),
  form('google-key', /AIza[\w-]{35}(?![\w-])/),
  form('google-key', /GOCSPX-[\w-]{28}(?![\w-])/),
  form('google-token', /ya29\.[\w-]{20,500}/, isMixed),
  form('huggingface-token', /hf_[A-Za-z0-9]{30,100}/, isRandom),
  form('pypi-token', /pypi-AgE[\w-]{40,300}/),
  form('sendgrid-key', /SG\.[\w-]{20,24}\.[\w-]{39,50}/),
  form('digitalocean-token', /do[opr]_v1_[a-f0-9]{64}/),
  form('shopify-token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/),
  form('bearer', /Bearer[ \t]{1,4}(?<secret>[\w.~+/=-]{16,})/i, isMixed),
  form(
    'basic-auth',
    /Authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?Basic[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{8,2000}={0,2})/i,
  ),
  form(
    'basic-auth',
    /[a-z][a-z0-9+.-]{1,20}:\/\/(?<user>[^\s/:@"'<>`]{0,128}):(?<secret>[^\s/@"'<>`]{3,256})@/i,
    isNoExample,
  ),
]

export function redactTokens(text: string, replace: Replace): string {
  return FORMS.reduce(
    (rest, { kind, pattern, accepts }) =>
      rest.replace(pattern, (...found) => {
        const [match] = found as [string]
        const groups = found.at(-1) as { secret?: string; user?: string } | string
        const { secret = match, user } = typeof groups === 'object' ? groups : {}
        if (isPlaceholder(match) || secret === user || accepts?.(secret) === false) return match
        return (
          behind(match, secret) +
          replace(kind) +
          match.slice(startIn(match, secret) + secret.length)
        )
      }),
    text,
  )
}

/** A form with the borders that all of them have. */
function form(
  kind: string,
  pattern: RegExp,
  accepts: (secret: string) => boolean = () => true,
): TokenForm {
  return {
    kind,
    pattern: new RegExp(`(?<![A-Za-z0-9])${pattern.source}`, `${pattern.flags}g`),
    accepts,
  }
}

function isMixedLong(secret: string): boolean {
  return secret.length >= 32 ? isMixed(secret) && /[A-Z0-9]{2}/.test(secret) : isRandom(secret)
}

/** What an earlier pass left, or a text that was redacted before. */
function isPlaceholder(match: string): boolean {
  return match.includes('[redacted')
}

/** The secret is the last group of its match, so its last place is its own. */
function startIn(match: string, secret: string): number {
  return match.lastIndexOf(secret)
}

function behind(match: string, secret: string): string {
  return match.slice(0, startIn(match, secret))
}
