// Syntax colours, loaded with the first code that needs them: VS Code grammars on plain regular expressions.
import { createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'

const LANGUAGES: Readonly<Record<string, () => LanguageInput>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

export interface Coloured {
  readonly text: string
  readonly style: Readonly<Record<string, string>>
}

let making: Promise<HighlighterCore> | undefined

/** The coloured pieces of each line; undefined for an unknown language. */
export async function highlight(
  code: string,
  name: string,
): Promise<readonly (readonly Coloured[])[] | undefined> {
  const language = OTHER_NAMES[name.toLowerCase()] ?? name.toLowerCase()
  const load = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
  if (!load) return undefined
  making ??= createHighlighterCore({
    themes: [
      import('shiki/themes/github-light-high-contrast.mjs'),
      import('shiki/themes/github-dark-high-contrast.mjs'),
    ],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await making
  await highlighter.loadLanguage(load())
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    defaultColor: false,
  })
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }) => ({
      text: content,
      style: typeof htmlStyle === 'object' ? htmlStyle : {},
    })),
  )
}
