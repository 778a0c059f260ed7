// Times as ISO 8601 with milliseconds. Events of one append mostly share a second, which is written once.

let lastSecond = Number.NaN
let untilSecond = '' // `2026-01-02T12:00:00.`

/** What `toISOString` gives, several times faster in a row: it is a third of encoding an event. */
export function isoTime(date: Date): string {
  const time = date.getTime()
  const second = Math.floor(time / 1000)
  if (second !== lastSecond) {
    untilSecond = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    lastSecond = second
  }
  const millis = time - second * 1000
  return `${untilSecond}${millis < 10 ? '00' : millis < 100 ? '0' : ''}${millis}Z`
}
