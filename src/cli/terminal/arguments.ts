// Arguments of commands: bounded numbers, hosts and origins, repeatable options.
import { PrecisError } from '../../core/errors.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }

/** `50000`, `50k` or `0.5m` in either case; NaN for anything else, including fractions. */
export function readCount(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/.exec(text.toLowerCase()) ?? []
  const number = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
  const rounded = Math.round(number)
  return Math.abs(number - rounded) < 1e-6 && (unit !== '' || !digits.includes('.'))
    ? rounded
    : Number.NaN
}

export function wholeNumber(text: string, where: string, lowest: number, highest: number): number {
  const number = readCount(text)
  if (number >= lowest && number <= highest) return number
  const problem = Number.isNaN(number) ? 'is not a whole number' : 'is out of range'
  const large = ['5k', '1m'].filter(
    (each) => readCount(each) >= lowest && readCount(each) <= highest,
  )
  const examples = [`${Math.max(lowest, Math.min(highest, 50))}`, ...large]
  throw new PrecisError('usage', `${JSON.stringify(text)} ${problem}`, {
    where,
    hint: `Give a whole number from ${lowest.toLocaleString('en-US')} to ${highest.toLocaleString('en-US')}, such as ${examples.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`,
  })
}

/** Repeatable texts; an empty one is a shell mistake. */
export function collectTexts(option: string) {
  return (value: string, given: readonly string[] = []): readonly string[] => {
    if (value.trim() !== '') return collect(value, given)
    throw new PrecisError('usage', 'the text is empty', {
      where: option,
      hint: `Pass a text, as in ${option} "Never touch the migrations.", or omit the option.`,
    })
  }
}

/** Repeatable options. */
export function collect(value: string, given: readonly string[] = []): readonly string[] {
  return [...given, value]
}

/** As in the `Host` header: a name or address with an optional port. */
export function hostName(given: string): string {
  if (/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(given) && URL.canParse(`http://${given}/`))
    return given
  throw new PrecisError('usage', `${JSON.stringify(given)} is not a host name`, {
    where: '--name',
    hint: 'Give a name or an address without http://, as in --name precis.example.',
  })
}

/** As browsers send it: without trailing slash and standard port. Extensions have their own schemes. */
export function pageOrigin(given: string): string {
  const url = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s*]+\/?$/i.test(given) ? URL.parse(given) : null
  if (url && url.host !== '')
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
  throw new PrecisError('usage', `${JSON.stringify(given)} is not an origin`, {
    where: '--origin',
    hint: 'Give the scheme and the host of the pages, as in --origin https://pages.example.',
  })
}
