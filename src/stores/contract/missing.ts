// Tests of what a machine may not have: left out with a notice, unless PRECIS_REQUIRE names it.

/** Empty where the tests are to run; otherwise a notice for their title. */
export function missing(what: string, there: boolean, why: string): string {
  const required = (process.env.PRECIS_REQUIRE ?? '').split(',').includes(what)
  return there || required ? '' : ` (left out: ${why})`
}
