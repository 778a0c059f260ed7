// Options that may be given more than once.

export function collect(value: string, given: readonly string[] = []): readonly string[] {
  return [...given, value]
}
