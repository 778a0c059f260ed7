// Removes tokens that are recognisable by their form.
import type { Replace } from './replace.ts'

export function redactTokens(text: string, replace: Replace): string {
  return TOKEN_FORMS.reduce(
    (rest, { kind, pattern, accepts }) =>
      rest.replace(pattern, (...found) => {
        const [match] = found as [string]
        // The whole match if the form has no groups.
        const { secret = match, user } = found.at(-1) as { secret?: string; user?: string }
        if (isPlaceholder(match) || secret === user || !accepts(secret)) return match
        // The secret is the last group of its match, so its last occurrence counts.
        const start = match.lastIndexOf(secret)
        return match.slice(0, start) + replace(kind) + match.slice(start + secret.length)
      }),
    text,
  )
}

/** Left by an earlier pass, or in an already redacted text. */
function isPlaceholder(match: string): boolean {
  return match.includes('[redacted')
}

/**
 * Token forms recognisable by themselves: a prefix, an alphabet, a length. From their issuers' documentation
 * or leak scanners.
 */
interface TokenForm {
  readonly kind: string
  /**
   * Starts where no letter or digit precedes and matches whole runs, so that no text is scanned repeatedly.
   * With a group `secret`, only that is replaced.
   */
  readonly pattern: RegExp
  /** Rejects texts that only resemble the form. */
  accepts(secret: string): boolean
}

const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text)
const isMixedCase = (text: string) => /[A-Z]/.test(text) && /[a-z]/.test(text)
const isMixedOrCased = (text: string) => isMixed(text) || isMixedCase(text.replace(/^\w+-/, ''))
const isRandom = (text: string) => /\d/.test(text) && isMixedCase(text)

/** Excludes variable names and example words. */
const isNoExample = (text: string) =>
  !/^(?:[$<{%[(]|\*+$|x+$|\.+$|(?:your|my|the)?[-_]?(?:pass(?:word|wd)?|pwd|secret|token)$)/i.test(
    text,
  )

const TOKEN_FORMS: readonly TokenForm[] = [
  // A run must not be read from each of its dashes.
  form('jwt', /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/),

  // Models
  form('anthropic-key', /sk-ant-[\w-]{20,300}/),
  form('openai-key', /sk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?[\w-]{20,300}/, isMixedLong),
  form('google-key', /AIza[\w-]{35}(?![\w-])/),
  form('google-key', /GOCSPX-[\w-]{28}(?![\w-])/),
  form('google-token', /ya29\.[\w-]{20,500}/, isMixed),
  form('groq-key', /gsk_[A-Za-z0-9]{40,100}/, isMixedCase),
  form('xai-key', /xai-[A-Za-z0-9]{60,120}/, isMixed),
  form('huggingface-token', /(?:hf_|api_org_)[A-Za-z0-9]{30,100}/, isMixedCase),
  form('perplexity-key', /pplx-[A-Za-z0-9]{40,80}/, isMixed),
  form('replicate-token', /r8_[A-Za-z0-9]{37,40}/, isMixedCase),
  form('together-key', /tgp_v1_[\w-]{40,60}/, isMixed),
  form('fireworks-key', /fw_[A-Za-z0-9]{22,40}/, isRandom),
  form('cerebras-key', /csk-[A-Za-z0-9]{40,80}/, isMixed),
  form('nvidia-key', /nvapi-[\w-]{50,90}/, isRandom),
  form('tavily-key', /tvly-(?:dev-|prod-)?[A-Za-z0-9-]{24,60}/, isRandom),
  form('firecrawl-key', /fc-[a-f0-9]{32}(?![A-Za-z0-9-])/),
  form('langsmith-key', /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/),

  // Ours
  form('precis-token', /precis_[\w-]{24,100}/, isMixed),

  // Clouds
  form('azure-sas', /(?:sig|signature)=(?<secret>[\w%+/-]{30,200}={0,2})/i, isRandom),
  form(
    'signed-url',
    /X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential-Token)=(?<secret>[\w%+/=-]{20,4000})/i,
  ),
  form('fly-token', /(?:fm[12][ar]?_|fo1_)[\w+/=,-]{40,2000}/, isMixed),
  form('netlify-token', /nf[pckob]_[A-Za-z0-9]{36,60}/, isRandom),
  form('supabase-key', /sb_secret_[\w-]{20,80}/, isMixed),
  form('mapbox-token', /sk\.eyJ[\w-]{20,300}\.[\w-]{10,100}/),
  form('dropbox-token', /sl\.[\w-]{100,300}/, isRandom),
  form('airtable-token', /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
  form('terraform-token', /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}/),
  form(
    'aws-secret',
    /(?:AKIA|ASIA)[A-Z0-9]{16}[\s,;:"'|]{1,10}(?<secret>[A-Za-z0-9/+]{40})(?![\w/+])/,
  ),
  form('aws-key', /(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/),
  form('digitalocean-token', /do[opr]_v1_[a-f0-9]{64}/),
  form('databricks-token', /dapi[a-f0-9]{32}(?![A-Za-z0-9])/),
  form('vault-token', /hv[sbr]\.[\w-]{24,300}/, isRandom),
  form('pulumi-token', /pul-[a-f0-9]{40}(?![A-Za-z0-9])/),
  form('doppler-token', /dp\.(?:pt|st|ct|sa)\.[\w.-]{40,80}/, isMixed),
  form('grafana-token', /glc_[\w+/=]{32,400}/, isMixedCase),
  form('grafana-token', /glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}/),
  form('supabase-key', /sbp_[a-f0-9]{40}(?![A-Za-z0-9])/),
  form('sentry-token', /sntry[su]_[\w+/=-]{40,400}/, isMixed),
  form('newrelic-key', /NRAK-[A-Z0-9]{27}(?![A-Za-z0-9])/),
  form('age-key', /AGE-SECRET-KEY-1[A-Z0-9]{58}/),

  // Where code lives
  form('github-token', /gh[pousr]_[A-Za-z0-9]{36,255}/),
  form('github-token', /github_pat_\w{22,255}/),
  form(
    'gitlab-token',
    /gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[\w.-]{20,300}/,
    isMixedOrCased,
  ),
  form('npm-token', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/),
  form('pypi-token', /pypi-AgE[\w-]{40,300}/),
  form('rubygems-key', /rubygems_[a-f0-9]{48}/),
  form('docker-token', /dckr_[op]at_[\w-]{27,60}/, isMixed),

  // Services
  form('slack-token', /(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,300}/, isMixed),
  form('slack-webhook', /hooks\.slack\.com\/services\/(?<secret>T\w{5,20}\/B\w{5,20}\/\w{16,40})/),
  form('stripe-key', /(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,247}/),
  form('stripe-key', /whsec_[A-Za-z0-9+/=]{24,100}/, isMixed),
  form('sendgrid-key', /SG\.[\w-]{20,24}\.[\w-]{39,50}/),
  form('shopify-token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/),
  form('atlassian-token', /ATATT3[\w=-]{100,300}/, isMixed),
  form('linear-key', /lin_(?:api|oauth)_[A-Za-z0-9]{40,64}/, isMixed),
  form('notion-token', /ntn_[A-Za-z0-9]{40,60}/, isMixed),
  form('figma-token', /figd_[\w-]{38,60}/, isMixed),
  form('postman-key', /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/),
  form('discord-token', /[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,45}(?![\w.-])/, isRandom),
  form(
    'discord-webhook',
    /discord(?:app)?\.com\/api\/webhooks\/\d{15,20}\/(?<secret>[\w-]{40,100})/,
  ),
  form('launchdarkly-key', /(?:sdk|api)-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}(?![\w-])/),
  form('zapier-webhook', /hooks\.zapier\.com\/hooks\/catch\/(?<secret>\d{1,12}\/\w{5,40})/),
  form('brevo-key', /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}(?![A-Za-z0-9])/),
  form('mailgun-key', /key-[a-f0-9]{32}(?![A-Za-z0-9])/),
  form('mailchimp-key', /[a-f0-9]{32}-us\d{1,2}(?!\w)/),
  form('telegram-token', /api\.telegram\.org\/(?:file\/)?bot(?<secret>\d{6,12}:[\w-]{20,60})/),
  form('telegram-token', /bot(?<secret>\d{8,10}:AA[\w-]{33})(?![\w-])/),
  form('telegram-token', /\d{8,10}:AA[\w-]{33}(?![\w-])/),

  // A telling prefix and a random run: an unlisted service.
  form(
    'token',
    /(?:[a-z0-9]{2,12}[_-]){0,2}(?:sk|secret|token|pat|api|key|apikey|live|prod|priv|auth)[_-](?:[a-z0-9]{2,8}[_-])?[A-Za-z0-9]{28,200}(?![\w-])/,
    isRandomRun,
  ),

  // Headers and addresses
  form(
    'bearer',
    /Authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:Bearer|token)[ \t]{1,4}(?<secret>[\w.~+/=-]{8,})/i,
    isHeaderValue,
  ),
  form('bearer', /Bearer[ \t]{1,4}(?<secret>[\w.~+/=-]{16,})/i, isBearer),
  form(
    'basic-auth',
    /Authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?Basic[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{8,2000}={0,2})/i,
  ),
  form(
    'basic-auth',
    /[a-z][a-z0-9+.-]{1,20}:\/\/(?<user>[^\s/:@"'<>`]{0,128}):(?<secret>[^\s/@"'<>`]{3,256})@/i,
    isNoExample,
  ),
]

/** A form with the boundaries all of them share. */
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

/** The final run: all character kinds, hardly any repeated. */
function isRandomRun(secret: string): boolean {
  const run = secret.slice(secret.search(/[A-Za-z0-9]+$/))
  return isRandom(run) && new Set(run).size >= 16
}

/** This header contains only a secret, or an example's placeholder. */
function isHeaderValue(secret: string): boolean {
  const standsFor = /your|example|placeholder|redacted|xxx|\.\.\.|access[-_]?token|api[-_]?key/i
  return !standsFor.test(secret) && isNoExample(secret) && new Set(secret).size >= 4
}

/** Without a header, letters alone must not be a word. */
function isBearer(secret: string): boolean {
  if (isMixed(secret)) return true
  const isOnePiece = /^[A-Za-z]{20,}$/.test(secret)
  return isOnePiece && (secret.length >= 32 || /[a-z][A-Z]+[a-z]+[A-Z]/.test(secret))
}
