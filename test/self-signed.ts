// A certificate that nobody vouches for, made when it is needed: no key lies in the repository.
import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string // PEM
  readonly cert: string // PEM
}

export function selfSigned(name = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const who = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(name)))))
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.from([1])), // serial number
    SIGNED_WITH,
    who, // issuer
    sequence(time('200101000000Z'), time('491231235959Z')),
    who, // subject
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)])
  const whole = sequence(content, SIGNED_WITH, tagged(0x03, signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** 2.5.4.3 */
const COMMON_NAME = tagged(0x06, Buffer.from('550403', 'hex'))
/** ecdsa-with-SHA256 */
const SIGNED_WITH = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')))

function time(text: string): Buffer {
  return tagged(0x17, Buffer.from(text))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** DER: a tag, the length in as few bytes as it takes, the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
