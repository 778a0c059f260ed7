// Scripts that complete commands in bash, zsh and fish. They know everything: nothing is run while typing.
import type { GrammarCommand, GrammarOption, Shell } from './grammar.ts'

export function completionScript(shell: Shell, commands: readonly GrammarCommand[]): string {
  return WRITERS[shell](commands)
}

const WRITERS: Readonly<Record<Shell, (commands: readonly GrammarCommand[]) => string>> = {
  bash,
  zsh,
  fish,
}

function bash(commands: readonly GrammarCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const cases = commands.map(({ name, options, argument }) => {
    const words = options.map(({ long }) => long).join(' ')
    const values = typeof argument === 'string' ? '' : argument.join(' ')
    return `    ${name}) options="${words}"; values="${values}" ;;`
  })
  return `# precis for bash: put it in a file that .bashrc sources, or
#   source <(precis completion bash)
_precis() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" options="" values="" word IFS=$'\\n'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command $previous" in
${valueCases(commands)}
  esac
  case "$command" in
    "") _precis_words "${names} help --help --version"; return ;;
    help) _precis_words "${names}"; return ;;
${cases.join('\n')}
  esac
  case "$current" in
    -*) _precis_words "$options" ;;
    *) if [ -n "$values" ]; then _precis_words "$values"; else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
_precis_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}
complete -o filenames -F _precis precis
`
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
  const described = commands.map(
    ({ name, description }) => `    ${quotedZsh(`${name}:${description}`)}`,
  )
  const cases = commands.map(({ name, options, argument }) => {
    const rest =
      argument === 'none'
        ? []
        : [
            typeof argument === 'string'
              ? `'*:session:_files'`
              : `'1:shell:(${argument.join(' ')})'`,
          ]
    const specs = [...options.map(zshOption), ...rest].map((spec) => `        ${spec}`)
    return `    ${name})\n      _arguments -s \\\n${specs.join(' \\\n')}\n      ;;`
  })
  return `#compdef precis
# precis for zsh: put it as _precis into a folder of $fpath, or
#   source <(precis completion zsh)
_precis() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'precis command' commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_precis" ]; then _precis "$@"; else compdef _precis precis; fi
`
}

function zshOption({ long, description, value }: GrammarOption): string {
  const about = description.replaceAll(/[[\]:]/g, ' ')
  if (value === undefined) return quotedZsh(`${long}[${about}]`)
  const what =
    typeof value !== 'string'
      ? `(${value.join(' ')})`
      : value === 'text'
        ? ' '
        : value === 'folder'
          ? '_files -/'
          : '_files'
  return quotedZsh(`${long}[${about}]:value:${what}`)
}

function quotedZsh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fish(commands: readonly GrammarCommand[]): string {
  const lines = commands.flatMap(({ name, description, options, argument }) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c precis -n __fish_use_subcommand -f -a ${name} -d ${quotedFish(description)}`,
      ...options.map(
        ({ long, description: about, value }) =>
          `complete -c precis ${seen} -l ${long.replace(/^--/, '')}${fishValue(value)} -d ${quotedFish(about)}`,
      ),
      ...(typeof argument === 'string'
        ? []
        : [`complete -c precis ${seen} -f -a '${argument.join(' ')}'`]),
    ]
  })
  return `# precis for fish: put it into ~/.config/fish/completions/precis.fish, or
#   precis completion fish | source
${lines.join('\n')}
`
}

function fishValue(value: GrammarOption['value']): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return ` -x -a '${value.join(' ')}'`
  if (value === 'text') return ' -x'
  return value === 'folder' ? " -x -a '(__fish_complete_directories)'" : ' -r'
}

function quotedFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
