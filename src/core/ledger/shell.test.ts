// Shell commands: what each does to the files, given how it ended and what it printed.
import { describe, expect, it } from 'vitest'
import { fates, ledgerOf, ran } from '../../../test/ledger/calls.ts'
import { shellCommands } from './shell/commands.ts'

/** What is there at the start: all that a listing shows. */
const START = ran(
  'find . -type f',
  './a.ts\n./b.ts\n./c.md\n./src/d.ts\n./src/e.ts\n./with space.md',
)

type Case = readonly [command: string, fates: readonly string[], output?: string, exitCode?: number]

function titled(rows: readonly Case[]) {
  return rows.map((row) => ({ title: row[0], row }))
}

function check([command, expected, output, exitCode]: Case): void {
  expect(fates(ledgerOf(...START, ...ran(command, output, exitCode))), command).toEqual(expected)
}

describe('shell commands in the ledger [NEED-05]', () => {
  const effects: readonly Case[] = [
    ['cat a.ts', ['read a.ts'], 'text'],
    ['cat a.ts b.ts | head -20', ['read a.ts', 'read b.ts'], 'text'],
    ['cat a.ts | grep -c x', [], '3'],
    ['cat a.ts > /dev/null', []],
    ["sed -n '1,5p' a.ts", ['read a.ts'], 'text'],
    ['head -n 3 "with space.md"', ['read with space.md'], 'text'],
    ['tail -5 src/d.ts', ['read src/d.ts'], 'text'],
    ['nl -ba a.ts', ['read a.ts'], 'text'],
    ['echo x > n.ts', ['created n.ts']],
    ['echo x > a.ts', ['modified a.ts']],
    ['echo x >> a.ts', ['modified a.ts']],
    ['echo x 2>&1 >> n.ts', ['created n.ts']],
    ['npm test > log.txt 2>&1', ['created log.txt'], '', 1],
    ["cat > n.ts <<'EOF'\nrm a.ts\nEOF", ['created n.ts']],
    ['cat <<-END > n.ts\n\trm a.ts\n\tEND\nrm b.ts', ['created n.ts', 'deleted b.ts']],
    ['echo x | tee -a a.ts n.ts', ['created n.ts', 'modified a.ts'], 'x'],
    ["sed -i 's/a/b/' a.ts b.ts", ['modified a.ts', 'modified b.ts']],
    ["sed -i '' -e 's/a/b/' a.ts", ['modified a.ts']],
    ["sed -i.bak 's/a/b/' a.ts", ['created a.ts.bak', 'modified a.ts']],
    ["sed -i.bak 's/a/b/' a.ts && rm a.ts.bak", ['modified a.ts']],
    ["perl -i.old -pe 's/a/b/' a.ts && rm a.ts.old", ['modified a.ts']],
    ["perl -pi -e 's/a/b/' a.ts && ls a.tse", ['modified a.ts'], 'text'],
    ["perl -pi -e 's/a/b/' a.ts", ['modified a.ts']],
    ['perl -i -pe "s/a/b/" a.ts b.ts', ['modified a.ts', 'modified b.ts']],
    ['mv a.ts n.ts', ['renamed a.ts → n.ts']],
    ['mv a.ts b.ts', ['deleted a.ts', 'modified b.ts']],
    ['mv a.ts b.ts src/', ['renamed a.ts → src/a.ts', 'renamed b.ts → src/b.ts']],
    ['mv a.ts src', ['renamed a.ts → src/a.ts']],
    ['mv -t src a.ts', ['renamed a.ts → src/a.ts']],
    ['mv src lib', ['renamed src/d.ts → lib/d.ts', 'renamed src/e.ts → lib/e.ts']],
    ['mv a.ts n.ts && mv n.ts a.ts', []],
    ['mv a.ts n.ts; mv n.ts m.ts', ['renamed a.ts → m.ts']],
    ['mv a.ts n.ts && echo x > a.ts', ['created n.ts', 'modified a.ts']],
    ['cp a.ts n.ts', ['created n.ts']],
    ['cp a.ts n.ts && rm a.ts', ['renamed a.ts → n.ts']],
    ['cp -r src lib', ['created lib/d.ts', 'created lib/e.ts']],
    ['mkdir lib && cp -a src/. lib/', ['created lib/d.ts', 'created lib/e.ts']],
    ['rm a.ts b.ts', ['deleted a.ts', 'deleted b.ts']],
    ['rm -rf src', ['deleted src/d.ts', 'deleted src/e.ts']],
    ['rm -f nothing.ts', []],
    ['rm *.ts', ['deleted a.ts', 'deleted b.ts']],
    ['rm src/*.ts', ['deleted src/d.ts', 'deleted src/e.ts']],
    ['echo x > n.ts && rm n.ts', []],
    ['touch a.ts n.ts', ['created n.ts']],
    ['touch src/{x,y}.ts', ['created src/x.ts', 'created src/y.ts']],
    ['cd src && rm d.ts', ['deleted src/d.ts']],
    ['cd src; rm d.ts; cd -; rm a.ts', ['deleted a.ts', 'deleted src/d.ts']],
    ['pushd src; rm d.ts; popd; rm a.ts', ['deleted a.ts', 'deleted src/d.ts'], '~/x/src ~/x\n~/x'],
    [
      'pushd src && pushd .. && popd && rm d.ts && popd && rm a.ts',
      ['deleted a.ts', 'deleted src/d.ts'],
    ],
    ['(cd src && rm d.ts); rm a.ts', ['deleted a.ts', 'deleted src/d.ts']],
    ["bash -lc 'cd src && rm d.ts'; rm a.ts", ['deleted a.ts', 'deleted src/d.ts']],
    ['F=a.ts; rm "$F"', ['deleted a.ts']],
    [`D=src && rm $D/d.ts \${D}/e.ts`, ['deleted src/d.ts', 'deleted src/e.ts']],
    ['for f in a b; do rm $f.ts; done', ['deleted a.ts', 'deleted b.ts']],
    ['for n in {8..10}; do echo > $n.md; done', ['created 10.md', 'created 8.md', 'created 9.md']],
    ['[[ 2 > 1 && a.ts -nt b.ts ]] && rm a.ts', ['deleted a.ts']],
    ['[[ $x =~ ^(a|b)$ ]]; rm a.ts', ['deleted a.ts']],
    ['[[ -f a.ts\nrm b.ts', ['deleted b.ts']],
    ['[[ -f a.ts; rm b.ts', ['deleted b.ts']],
    ['(( 2 > 1 )) && rm a.ts', ['deleted a.ts']],
    ['for ((n = 3; n > 0; n--)); do echo $n; done; rm a.ts', ['deleted a.ts'], '3\n2\n1'],
    ['git -C src mv d.ts f.ts', ['renamed src/d.ts → src/f.ts']],
    ['git -C src rm -q d.ts && rm a.ts', ['deleted a.ts', 'deleted src/d.ts']],
    [
      'for f in a.ts b.ts; do for g in c.md; do cat $f $g; done; done',
      ['read a.ts', 'read b.ts', 'read c.md'],
      'text',
    ],
    ['sudo timeout 5 rm a.ts', ['deleted a.ts']],
    ['A=1 B=2 rm a.ts', ['deleted a.ts']],
    ['rm a.ts # b.ts', ['deleted a.ts']],
    ['echo \'rm a.ts\' "; rm b.ts" $(rm c.md)', [], 'text'],
    ['rm \\\n  a.ts', ['deleted a.ts']],
    ['curl -s https://example.com -o n.json', ['created n.json']],
    ['npm install left-pad', ['created package-lock.json', 'modified package.json']],
    ['npm install -g left-pad', []],
    ['pnpm add zod', ['created pnpm-lock.yaml', 'modified package.json']],
    ['cargo add serde', ['modified Cargo.toml']],
  ]
  it.each(titled(effects))('$title', ({ row }) => check(row))

  const outcomes: readonly Case[] = [
    ['rm a.ts', [], "rm: cannot remove 'a.ts': Permission denied", 1],
    ['rm a.ts x.ts', ['deleted a.ts'], "rm: cannot remove 'x.ts': No such file or directory", 1],
    ['cat a.ts x.ts', ['read a.ts'], 'text\ncat: x.ts: No such file or directory', 1],
    ['cat x.ts && rm a.ts', [], 'cat: x.ts: No such file or directory', 1],
    ['cat x.ts; rm a.ts', ['deleted a.ts'], 'cat: x.ts: No such file or directory'],
    ['cat x.ts || rm a.ts', ['deleted a.ts'], 'cat: x.ts: No such file or directory'],
    ['true || rm a.ts', []],
    ['true || F=a.ts; rm "$F"', [], 'rm: cannot remove', 1],
    ['echo x > n.ts && npm test', ['created n.ts'], '1 failing', 1],
    ['npm test && rm a.ts', [], '1 failing', 1],
    ['npm test && rm a.ts', ['deleted a.ts'], '3 passing'],
    ['grep -q x a.ts && rm a.ts', [], '', 1],
    ['if grep -q x a.ts; then rm a.ts; fi', []],
    ['echo x > no/n.ts', [], 'bash: no/n.ts: No such file or directory', 1],
    ['git commit -m x', [], 'nothing to commit, working tree clean', 1],
  ]
  it.each(titled(outcomes))('only what worked counts: $title', ({ row }) => check(row))

  const undecided: readonly string[] = [
    'python make.py',
    'rm $(cat list.txt)',
    'rm "$FILE"',
    'find . -name "*.ts" -delete',
    'git ls-files | xargs rm',
    'while read f; do rm "$f"; done',
    'npm run build',
    'rm a?.ts',
    'touch {1..900}.md',
    'git merge topic',
    "eval 'rm a.ts'",
  ]
  it.each(undecided)('what cannot be told is said to be unclear, never guessed: %s', (command) => {
    const ledger = ledgerOf(...START, ...ran(command, 'x'))
    expect(fates(ledger)).toEqual([])
    expect(ledger.unclear.map((entry) => entry.command)).toEqual([command])
  })

  const git: readonly (readonly [commands: readonly string[], fates: readonly string[]])[] = [
    [['echo x >> a.ts', 'git checkout -- a.ts'], []],
    [['echo x >> a.ts', 'git checkout a.ts'], []],
    [['echo x >> a.ts', 'git restore .'], []],
    [['echo x >> a.ts; git add a.ts', 'git restore a.ts'], ['modified a.ts']],
    [['echo x >> a.ts; git add a.ts', 'git restore --staged a.ts && git restore a.ts'], []],
    [['echo x >> a.ts; git add a.ts', 'git checkout a.ts'], ['modified a.ts']],
    [['echo x >> a.ts; git add a.ts', 'git checkout HEAD a.ts'], []],
    [['echo x >> a.ts; git add a.ts', 'git checkout HEAD -- a.ts'], []],
    [['echo x >> a.ts; git commit -am x', 'git checkout -- a.ts'], ['modified a.ts']],
    [['echo x > n.ts', 'git checkout -- .'], ['created n.ts']],
    [['echo x > n.ts; git add -A; echo y >> a.ts', 'git reset --hard'], []],
    [['echo x > n.ts', 'git clean -fd'], []],
    [['echo x >> a.ts', 'git stash'], []],
    [['echo x >> a.ts', 'git stash', 'git stash pop'], ['modified a.ts']],
    [['git mv a.ts n.ts', 'git commit -m x'], ['renamed a.ts → n.ts']],
    [['git rm -q a.ts'], ['deleted a.ts']],
    [['git rm --cached a.ts'], []],
    [
      [
        'git switch -c t; echo x > n.ts; git add n.ts; git commit -q -m x',
        'git status',
        'git switch -c u',
      ],
      ['created n.ts'],
    ],
  ]
  it.each(git)('git: %j', (commands, expected) => {
    const drafts = commands.flatMap((command) => ran(command))
    expect(fates(ledgerOf(...START, ...drafts))).toEqual(expected)
  })

  it('follows branches: what was committed on one is not there on another', () => {
    const there = [...START, ...ran('git status', 'On branch main\nnothing to commit')]
    const left = [
      ...there,
      ...ran('git switch -c t'),
      ...ran('echo x > n.ts; git add -A; git commit -q -m x'),
    ]
    expect(fates(ledgerOf(...left))).toEqual(['created n.ts'])
    expect(ledgerOf(...left).tree.branch).toBe('t')
    const back = [...left, ...ran('git switch main', "Switched to branch 'main'")]
    expect(fates(ledgerOf(...back))).toEqual([])
    expect(fates(ledgerOf(...back, ...ran('git checkout t')))).toEqual(['created n.ts'])
  })

  it.each([
    'git -C src status --short',
    'git -C . branch --show-current',
    'git -C src add d.ts',
    '[[ -f a.ts && ! -f n.ts ]] && echo there',
    '(( 5 > 3 )) && echo y',
    'seq 1 3 | sed "s/^/y /"; echo y',
    'if test -s z.ts; then cat z.ts; fi',
    'grep -q x z.ts && cd src',
  ])('what changes no file is not said to be unclear: %s', (command) => {
    const ledger = ledgerOf(...START, ...ran(command, 'y'))
    expect([...fates(ledger), ...ledger.unclear]).toEqual([])
  })

  it('does not know where `popd` leads that undoes a step of another command', () => {
    const ledger = ledgerOf(...START, ...ran('cd src'), ...ran('popd; rm d.ts', ''))
    expect(fates(ledger)).toEqual([])
    expect(ledger.folder).toBeUndefined()
  })

  it('takes the word of git for what a script did, and for what it undid', () => {
    const before = [...START, ...ran('git status --short', ' M dirty.ts'), ...ran('node make.js')]
    const after = [
      ...before,
      ...ran('git status --short', ' M dirty.ts\n M b.ts\n D c.md\n?? made.ts\n M "with space.md"'),
    ]
    expect(fates(ledgerOf(...after))).toEqual([
      'created made.ts',
      'deleted c.md',
      'modified b.ts',
      'modified with space.md',
    ])
    const gone = ran('git status --short', 'AD n.ts')
    const made = ran('echo x > n.ts; git add n.ts; rm n.ts')
    expect(fates(ledgerOf(...START, ...made, ...gone))).toEqual([])
    const clean = [
      ...after,
      ...ran('git status', 'On branch main\nnothing to commit, working tree clean'),
    ]
    // What was changed before the log began is as it was committed: that is a change since then.
    expect(fates(ledgerOf(...clean))).toEqual(['created made.ts', 'modified dirty.ts'])
  })
})

describe('the reading of command lines', () => {
  it('ends on whatever it is given, in steps that do not multiply', () => {
    const bait = [
      '((((',
      '$(',
      '"',
      "'",
      '`',
      '${',
      '<<A\n',
      'for x in a b c; do ',
      '{a,b}',
      '\\',
      '&&',
      'if ',
      'case x in a) ',
    ]
    for (const piece of bait)
      for (const count of [1, 100, 20_000]) {
        const { commands } = shellCommands(piece.repeat(count))
        expect(commands.length).toBeLessThanOrEqual(400)
      }
  })

  it('does not read what is longer than any command', () => {
    expect(shellCommands('x'.repeat(2_000_000))).toEqual({ commands: [], isCut: true })
  })
})
