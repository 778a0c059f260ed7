// Completion scripts for bash, zsh and fish. They contain all data: typing runs nothing.
import type { GrammarCommand, GrammarOption, Shell } from './grammar.ts'

export function completionScript(shell: Shell, commands: readonly GrammarCommand[]): string {
  return WRITERS[shell](commands)
}

const WRITERS: Readonly<Record<Shell, (commands: readonly GrammarCommand[]) => string>> = {
  bash,
  zsh,
  fish,
}

/** Options of the program itself. */
const OWN_OPTIONS: readonly (readonly [long: string, about: string])[] = [
  ['--help', 'display help for the program'],
  ['--version', 'print the version'],
]

/** Subcommands follow their group. */
function withInner(commands: readonly GrammarCommand[]): GrammarCommand[] {
  return commands.flatMap((command) => [command, ...withInner(command.commands)])
}

function findGroups(commands: readonly GrammarCommand[]): GrammarCommand[] {
  return commands.filter((command) => command.commands.length > 0)
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1)
}

function readNames({ short, long }: GrammarOption): string[] {
  return short === undefined ? [long] : [short, long]
}

function bash(commands: readonly GrammarCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const all = withInner(commands)
  const groups = findGroups(commands).map(({ name }) => name)
  const cases = all.map(({ name, options, argument }) => {
    const words = options.flatMap(readNames).join(' ')
    const known = argument === 'file' ? 'files=yes' : `values="${wordsIn(argument)}"`
    return `    "${name}") options="${words}"; ${known} ;;`
  })
  return `# precis for bash: put it in a file that .bashrc sources, or
#   source <(precis completion bash)
_precis() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" options="" values="" files="" word IFS=$'\\n'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    command="\${command:+$command }$word"
    case "$command" in ${groups.join('|')}) ;; *) break ;; esac
  done
  case "$command $previous" in
${valueCases(all)}
  esac
  case "$command" in
    "") options="${OWN_OPTIONS.map(([long]) => long).join(' ')}"; values="${names}" ;;
${cases.join('\n')}
  esac
  case "$current" in
    -*) _precis_words "$options" ;;
    *) if [ -n "$files" ]; then COMPREPLY=($(compgen -f -- "$current")); else _precis_words "$values"; fi ;;
  esac
}
_precis_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}
complete -o filenames -F _precis precis
`
}

function wordsIn(argument: GrammarCommand['argument']): string {
  return typeof argument === 'string' ? '' : argument.join(' ')
}

function valueCases(commands: readonly GrammarCommand[]): string {
  return commands
    .flatMap(({ name, options }) =>
      options.flatMap(({ long, value }) => {
        if (value === undefined) return []
        const how =
          typeof value !== 'string'
            ? `_precis_words "${value.join(' ')}"`
            : value === 'text'
              ? 'COMPREPLY=()'
              : `COMPREPLY=($(compgen ${value === 'folder' ? '-d' : '-f'} -- "$current"))`
        return [`    "${name} ${long}") ${how}; return ;;`]
      }),
    )
    .join('\n')
}

function zsh(commands: readonly GrammarCommand[]): string {
  const groups = findGroups(commands).map(
    ({ name, commands: inner, options }) => `    ${name})
      if (( CURRENT == 2 )); then
${zshChoice(
  `precis ${name} command`,
  inner,
  options.map(({ long, description }) => [long, description]),
)}
        return
      fi
      command+=" \${words[2]}"
      shift words
      (( CURRENT-- ))
      ;;`,
  )
  const cases = withInner(commands)
    .filter((command) => command.commands.length === 0)
    .map(({ name, options, argument }) => {
      const specs = [...options.flatMap(zshOption), zshArgument(argument)].map(
        (spec) => `        ${spec}`,
      )
      return `    ${quotedZsh(name)})\n      _arguments -s \\\n${specs.join(' \\\n')}\n      ;;`
    })
  return `#compdef precis
# precis for zsh: put it as _precis into a folder of $fpath, or
#   source <(precis completion zsh)
_precis() {
  local -a choices
  if (( CURRENT == 2 )); then
${zshChoice('precis command', commands, OWN_OPTIONS)}
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${groups.join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_precis" ]; then _precis "$@"; else compdef _precis precis; fi
`
}

/** A command, or an option after a dash. */
function zshChoice(
  label: string,
  commands: readonly GrammarCommand[],
  options: readonly (readonly [long: string, about: string])[],
): string {
  const listed = (pairs: readonly (readonly [name: string, about: string])[]) =>
    pairs.map(([name, about]) => quotedZsh(`${name}:${about}`)).join(' ')
  const named = commands.map(({ name, description }) => [lastWord(name), description] as const)
  return `    case "$PREFIX" in
      -*) choices=(${listed(options)}) ;;
      *) choices=(${listed(named)}) ;;
    esac
    _describe -t commands ${quotedZsh(label)} choices`
}

/** Options may follow arguments of unknown form. */
function zshArgument(argument: GrammarCommand['argument']): string {
  if (typeof argument !== 'string') return `'1:value:(${argument.join(' ')})'`
  return argument === 'file' ? `'*:file:_files'` : `'*:words: '`
}

function zshOption(option: GrammarOption): string[] {
  const { long, description, value, mayRepeat } = option
  const about = description.replaceAll(/[[\]:]/g, ' ')
  const names = readNames(option)
  const before = mayRepeat ? '*' : names.length > 1 ? `(${names.join(' ')})` : ''
  // A value may also follow an equals sign.
  if (value !== undefined)
    return [quotedZsh(`${before}${long}=[${about}]:value:${zshValue(value)}`)]
  return names.map((name) => quotedZsh(`${before}${name}[${about}]`))
}

function zshValue(value: Exclude<GrammarOption['value'], undefined>): string {
  if (typeof value !== 'string') return `(${value.join(' ')})`
  if (value === 'text') return ' '
  return value === 'folder' ? '_files -/' : '_files'
}

function quotedZsh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fish(commands: readonly GrammarCommand[]): string {
  const lines = [
    ...OWN_OPTIONS.map(
      ([long, about]) =>
        `complete -c precis -n __precis_is -l ${long.slice(2)} -d ${quotedFish(about)}`,
    ),
    ...withInner(commands).flatMap((command) => fishLines(command)),
  ]
  return `# precis for fish: put it into ~/.config/fish/completions/precis.fish, or
#   precis completion fish | source
function __precis_words
  set -l words (commandline -opc)
  set -e words[1]
  string match --invert -- '-*' $words
end
# Whether this command was typed, and so far nothing behind it.
function __precis_is
  set -l typed (__precis_words)
  test "$typed" = "$argv"
end
# Whether this command was typed, whatever stands behind it.
function __precis_in
  set -l typed (__precis_words)
  set -l last (count $argv)
  test "$typed[1..$last]" = "$argv"
end
complete -c precis -f
${lines.join('\n')}
`
}

function fishLines({ name, description, options, argument, commands }: GrammarCommand): string[] {
  const group = name.slice(0, -lastWord(name).length).trim()
  const isTyped = `-n '${commands.length > 0 ? '__precis_is' : '__precis_in'} ${name}'`
  const first = `complete -c precis -n '__precis_is${group === '' ? '' : ` ${group}`}' -a ${lastWord(name)}`
  return [
    `${first} -d ${quotedFish(description)}`,
    ...options.map((option) => `complete -c precis ${isTyped} ${fishOption(option)}`),
    ...(argument === 'file' ? [`complete -c precis ${isTyped} -F`] : []),
    // A group lists its commands with descriptions.
    ...(typeof argument === 'string' || commands.length > 0
      ? []
      : [`complete -c precis ${isTyped} -a '${argument.join(' ')}'`]),
  ]
}

function fishOption({ long, short, description, value }: GrammarOption): string {
  const letter = short === undefined ? '' : ` -s ${short.slice(1)}`
  return `-l ${long.slice(2)}${letter}${fishValue(value)} -d ${quotedFish(description)}`
}

function fishValue(value: GrammarOption['value']): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return ` -x -a '${value.join(' ')}'`
  if (value === 'text') return ' -x'
  return value === 'folder' ? " -x -a '(__fish_complete_directories)'" : ' -r -F'
}

function quotedFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
