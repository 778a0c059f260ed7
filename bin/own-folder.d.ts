// Types of own-folder.js, which is JavaScript so that the command can start with it.
export function compileCacheFolder(
  environment?: Readonly<Record<string, string | undefined>>,
): string | undefined
