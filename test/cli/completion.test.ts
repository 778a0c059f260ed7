// Completion as it is asked for while typing, in the real shells.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requirement } from '../require.ts'
import { eachPlace } from './place.ts'

const place = eachPlace()

/** A shell that hangs is a failure, also on a machine that does much else. */
const LONGEST_MS = 60_000

/** What is typed, and what is offered, in alphabetical order. */
const TYPED: readonly (readonly [what: string, line: string, offered: readonly string[]])[] = [
  ['a command', 'precis comp', ['compact', 'completion']],
  ['an option', 'precis compact --in', ['--in-place', '--instructions']],
  ['an option behind a file', 'precis compact x --dry', ['--dry-run']],
  ['a value', 'precis compact x --strategy trim', ['trim-tool-results']],
  ['a format to check', 'precis check x --format gem', ['gemini', 'gemini-cli']],
  ['no old name of an option', 'precis check x --fr', []],
  ['an option of every command', 'precis check x --tr', ['--trust-folder']],
  ['a format to read', 'precis import --format gem', ['gemini-cli']],
  [
    'a format to write',
    'precis export x --to open',
    ['openai-chat', 'openai-responses', 'opencode'],
  ],
  ['a number is not a format', 'precis diff x --to cl', []],
  ['a file', 'precis inspect two', ['two words.json']],
  ['a second file', 'precis import one two', ['two words.json']],
  ['a file behind an option', 'precis compact x --out two', ['two words.json']],
  ['a folder, and no file', 'precis chat --cwd t', ['there']],
  ['a text is no file', 'precis send --allow t', []],
  ['a thread is no file', 'precis fork t', []],
  ['nothing where nothing is taken', 'precis threads t', []],
  ['a shell', 'precis completion z', ['zsh']],
  ['a command to get help on', 'precis help insp', ['inspect']],
  ['a command of a group', 'precis token re', ['revoke']],
  ['an option of a command in a group', 'precis token add ada --st', ['--store']],
  ['the word for another command', 'precis recall compact --bud', []],
  ['an option behind such a word', 'precis recall compact --lim', ['--limit']],
  ['an option of the program', 'precis --ver', ['--version']],
  ['a long option that has a letter, too', 'precis chat --con', ['--continue']],
  ['an option that may be given again', 'precis chat --allow a --al', ['--allow']],
]

/** All of its options; with the letters of those that have one. */
const DASH = 'precis chat -'

const MARK = '== '

/** Answers each line of the file `lines` with what it offers, behind a mark. */
const FISH = `while read line
  echo '${MARK}'$line
  complete -C $line
end < lines`

const BASH = `source ./sourced
while IFS= read -r line; do
  printf '${MARK}%s\\n' "$line"
  IFS=' ' read -ra COMP_WORDS <<< "$line"
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _precis
  printf '%s\\n' "\${COMPREPLY[@]}"
done < lines`

/**
 * Completion needs a line editor, and that a terminal: an interactive shell in a terminal of its own, which
 * has each line in its editor, completes it, and ends by itself. Nobody types, so that nothing has to be waited for.
 */
const ZSH = `autoload -Uz compinit && compinit -u -D
[ -f sourced ] && source ./sourced
lines=("\${(@f)$(<lines)}")
compadd() {
  # Where they go into an array, they are not offered yet.
  if [[ " \${@[1,(i)(-|--)]}" == *' -'[OAD]' '* ]]; then builtin compadd "$@"; return; fi
  local -a words
  builtin compadd -A words "$@"
  offered+=("\${words[@]}")
  builtin compadd "$@"
}
offer() { _main_complete; compstate[insert]=; compstate[list]=; }
zle -C offer list-choices offer
zle-line-init() {
  if (( $#lines )); then
    offered=()
    BUFFER=$lines[1] CURSOR=$#BUFFER
    zle offer
    print -rl -- "${MARK}$lines[1]" $offered >> offers
    shift lines
    BUFFER=
  else
    BUFFER=exit
  fi
  zle accept-line
}
zle -N zle-line-init
`
const ZSH_TERMINAL = `zmodload zsh/zpty
zpty terminal 'zsh -o NO_GLOBAL_RCS -i'
while zpty -r terminal drawn; do :; done`

/** Where people put a script, as its help says. */
const WAYS = ['sourced', 'found'] as const
type Way = (typeof WAYS)[number]

const SHELLS: readonly (readonly [shell: 'zsh' | 'fish', ask: (way: Way) => Promise<string>])[] = [
  [
    'fish',
    async (way) => {
      const found = '.config/fish/completions'
      mkdirSync(join(place().folder, found), { recursive: true })
      const script = await keepScript(
        'fish',
        way === 'sourced' ? 'sourced' : `${found}/precis.fish`,
      )
      return run('fish', ['-c', way === 'sourced' ? `source ./${script}\n${FISH}` : FISH])
    },
  ],
  [
    'zsh',
    async (way) => {
      mkdirSync(join(place().folder, '.functions'))
      await keepScript('zsh', way === 'sourced' ? 'sourced' : '.functions/_precis')
      place().write('.zshrc', `fpath=($PWD/.functions $fpath)\n${ZSH}`)
      run('zsh', ['-f', '-c', ZSH_TERMINAL])
      return place().read('offers')
    },
  ],
]

for (const [shell, ask] of SHELLS) {
  const { available, notice } = requirement(shell)
  describe.skipIf(!available)(`completion in ${shell} ${notice}`, () => {
    it.each(WAYS)('offers commands, options, values and files, its script %s', async (way) => {
      await expectOffers(() => ask(way))
    })
  })
}

describe('completion in bash', () => {
  it('offers commands, options, values and files', async () => {
    await expectOffers(async () => {
      await keepScript('bash', 'sourced')
      return run('bash', ['-c', BASH])
    })
  })
})

async function expectOffers(ask: () => Promise<string>): Promise<void> {
  place().write('two words.json', '')
  mkdirSync(join(place().folder, 'there'))
  place().write('lines', `${[DASH, ...TYPED.map(([, line]) => line)].join('\n')}\n`)
  const offered = offersIn(await ask())
  expect(offered.get(DASH)).toEqual(expect.arrayContaining(['-c', '--continue', '--model']))
  for (const [what, line, expected] of TYPED) expect(offered.get(line), what).toEqual(expected)
}

async function keepScript(shell: string, file: string): Promise<string> {
  return place().write(file, (await place().precis(['completion', shell])).stdout)
}

function run(shell: string, args: readonly string[]): string {
  const { folder } = place()
  const { status, stdout, stderr, error } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: place().environment({ ZDOTDIR: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8' }),
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  })
  expect({ status, stderr, error }).toEqual({ status: 0, stderr: '', error: undefined })
  return stdout
}

/** The words behind each mark, in alphabetical order: without what they are for, and as they are called. */
function offersIn(told: string): ReadonlyMap<string, readonly string[]> {
  const parts = told.split(new RegExp(`^${MARK}`, 'm')).slice(1)
  return new Map(
    parts.map((part) => {
      const [line = '', ...offered] = part.split('\n')
      const words = offered.map((each) =>
        each.replace(/\t.*/, '').replace(/\/$/, '').replaceAll('\\', ''),
      )
      return [line, [...new Set(words.filter((word) => word !== ''))].toSorted()]
    }),
  )
}
