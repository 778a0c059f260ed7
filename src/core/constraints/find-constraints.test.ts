// Single forms in which somebody is bound, and their ordinary neighbours.
import { describe, expect, it } from 'vitest'
import { LOOKALIKES_EN } from '../../../test/constraints/constraints-en.ts'
import { findConstraints } from './find-constraints.ts'

const BINDING = [
  'Yes, but it must print what it would do and change nothing unless I pass --write.',
  'And it must tell me about the overlaps it finds.',
  'No classes with methods for everything.',
  'You are not to run migrations.',
  'Make sure the tests pass before you commit.',
  'Make sure every new file is covered.',
  'I meant port 8080.',
  'Keep the function signatures the way they are.',
  'The build may take at most 5 minutes.',
  'Only I deploy.',
  'When you add a rule, also add a line to the docs.',
  'Nutze ausschließlich die Standardbibliothek.',
  'Utilise uniquement TypeScript.',
  'Fasse die Dateien in legacy niemals an.',
  'Lösche die Tests nicht.',
  'Lösch mir das bitte nicht.',
  'Bitte mach das nicht nochmal.',
  'Bitte ändere an der API nicht den Namen.',
  'Bitte leg hier keine neuen Dateien an.',
  'Bitte ändere die Konfiguration nicht.',
  'We settled on tabs.',
  'I have decided against a monorepo.',
  'If a fixture is missing, just create it.',
  'Keep the retry loop, the gateway drops packets.',
  'Neue Endpunkte brauchen immer einen Test.',
  'Nur in Feature-Branches pushen.',
  'Alle Migrationen gehören in den Ordner db/migrations.',
  'Diese Schnittstelle bleibt, wie sie ist.',
  'Chaque nouvelle dépendance doit être validée par Marc.',
  'Toda consulta pasa por el repositorio.',
  "We can't break the v1 API, ever.",
  'Auf diesem Branch wird nie ein Rebase gemacht.',
  'Du darfst den Cache jederzeit leeren.',
  'Tu peux renommer les tables si besoin.',
  'Puedes borrar las ramas viejas si hace falta.',
  'Se serve puoi spostare i file.',
  'Todos os testes novos precisam de um nome.',
  '你可以直接合并,不用问我。',
  'Do not add yet another dependency.',
  'Do not use features that are not yet stable.',
  'Do not use features that are not stable yet.',
  'Please do not upgrade React, we are not ready yet.',
  'Please do not deploy to production yet, I have not approved it.',
  'Do not deploy yet because the migration is missing.',
  'Do not touch the schema, and do not commit yet.',
  'Kommentare im Code immer auf Englisch.',
  'Los nombres de variables siempre en inglés.',
  'commit messages in imperative mood pls',
  "Whatever you do, the public API can't change shape.",
  "Our CI has no network, tests can't rely on any.",
  "I'd be unhappy to see another dependency sneak in.",
  'The API key stays out of the repo.',
  'Only Ana merges to release.',
  'When a migration fails, roll it back before doing anything else.',
  'You can skip the Windows build entirely; we dropped support.',
  'Use tabs.',
  'All user-facing strings go through i18n.t, without exception.',
  'Für jede Änderung brauchst du vorher mein Okay.',
  'コメントは日本語で書くようにしてください。',
  "The wire format can't change, other teams read it.",
  "It's important to me that the exit codes stay the same.",
  'Die Prüfungen laufen immer mit TZ=UTC, sonst stimmen die Daten nicht.',
  'Kommentare im Code auf Englisch, auch wenn wir deutsch reden.',
  'Chaque fois que tu changes une table, mets à jour le schéma.',
  'ログは英語で書いてください。',
  'Run changes of wording by me.',
  'I want this to stay one page.',
  "You don't need to ask me for small renames.",
  'It would be nice if every change had an entry in the log.',
  "I'd be happier with fewer layers.",
  'Forget the old figure, 200 ms is the budget now.',
  'Der Port bleibt 8080, daran hängt die Überwachung.',
  'Passwörter gehören nicht ins Log!',
  'Commits bitte klein halten.',
  'Pour les tests on prend vitest, pas jest.',
  'Le dossier dist ne se versionne pas.',
  'I read every line, so keep the diffs small.',
  "I'm fine with breaking internal interfaces, just not the public ones.",
  'Readability matters more than speed here.',
  'Whatever touches money gets two reviews.',
  'Wir bleiben bei Java 17.',
  'Maximal drei Argumente pro Funktion.',
  "Les noms de fichiers en minuscules, s'il te plaît.",
  'Commit messages follow Conventional Commits in this repo.',
  'Money is always an integer number of cents.',
  'Test names should read like sentences.',
  "The CLI can't print anything to stdout except the result.",
  'The minimum supported Python is 3.9.',
  'British spelling in all user-facing texts, please.',
  'Backwards compatibility with v2 clients is mandatory.',
  'Imports are sorted by isort with profile black, keep it that way.',
  'Die Tests müssen ohne Netzwerk laufen.',
  'Todos los endpoints nuevos llevan documentación OpenAPI.',
  'Anything in vendor/ stays as it is.',
  'Please write plain SQL, no query builders.',
  "Dates in the UI are always in the viewer's time zone.",
  'Only the ops team edits the Terraform files.',
  'Feature branches are named feat/<ticket>.',
  'Public functions need examples in their docs.',
  'Steer clear of global state.',
  'GPL code is not acceptable.',
  "It's important that the import order never changes.",
  'Max line length is 100.',
  'Tests that need Docker get the @docker tag.',
  'Für Datumswerte nehmen wir ausschließlich Temporal.',
  'This repo is on a code freeze for the legacy folder.',
  "If you're unsure, say so instead of inventing an answer.",
  'Leave formatting to prettier.',
  'All pull requests target develop.',
  'Keep dependencies to the bare minimum.',
  'Halte dich an die bestehende Ordnerstruktur.',
]

const ORDINARY = [
  'When they leave out the boat, our server dies on them.',
  'After the update the page is blank.',
  'I prefer to look at the failing test now.',
  'My colleague thinks we must rewrite it in Go.',
  'The build is always in red.',
  'You must have missed a file.',
  'That must be the bug.',
  'I must admit that this is better.',
  'No luck with that one.',
  'Mach dir keinen Kopf, das war mein Fehler.',
  'Lösche bitte alles was nicht gebraucht wird.',
  'Entferne die Tests die nicht laufen.',
  'Ersetze alle Links die nicht mehr gehen.',
  'Der Build schlägt nie lokal fehl, nur in der CI.',
  'Der letzte Commit muss noch gepusht werden.',
  'El test falla siempre, solo en mi máquina.',
  'Le cache doit être plein.',
  'The upload works, only the progress bar hangs.',
  "We can't use the staging box today, it is down.",
  'All tests need about five minutes on my laptop.',
  'Verschiebe Dateien die nie importiert werden nach old/.',
  'Bitte entferne die Tests, die der Linter nicht mag.',
  'Lösche bitte alles was keine Tests hat.',
  'Lösche die nicht mehr benötigten Dateien.',
  'The totals are right again after the nightly job has run.',
  'Don’t run the tests yet, first show me the plan.',
  'Do not commit yet.',
  'Please don’t push yet!',
  'Do not push it yet, okay?',
  'Don’t merge it yet, please.',
  'Do not change it yet, just show me the plan.',
  'Keep going.',
  'If it fails, we look at it together.',
  'They only use it at night, I think.',
  'Bei mir geht das nicht, immer kommt ein Fehler.',
  'Il faut que je parte, on continue demain.',
  'Which of the two would you keep?',
  'Please rerun the failing job only.',
  "Hmm, that's not what I expected.",
  'This must be what he meant.',
  'Just use the first one for this file.',
  'No, the other file.',
  'Do not bother with the second error, that was my typo.',
  'It seems every request has to wait for the lock.',
  'The test expects that the user is not allowed to log in.',
  "assert(user.canNever('delete'), 'must not delete')",
  'Make sure the server is running and then open the page.',
  "Don't run it yet, I'm still typing.",
  'Everything has to be recompiled after that, which took an hour.',
  'The spec reads: clients MUST NOT retry.',
  'We must be close now.',
  'Never saw that before.',
  'The function must return a string, but it returns undefined.',
  "Don't answer yet, more is coming.",
]

describe('what binds', () => {
  it.each(LOOKALIKES_EN)('is found, though it looks like something else: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([sentence])
  })

  it.each(BINDING)('is found: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([sentence])
  })

  it.each(ORDINARY)('is not this: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([])
  })

  it.each([
    'Nov  8 04:01:02 web1 cron: never run two of these.',
    'Nov 18, 2026 04:01 Never run two of these.',
    '2026-11-18 04:01 Never run two of these.',
    '04:01:02 Never run two of these.',
  ])('is not a line of a log: %s', (line) => {
    expect(findConstraints(line)).toEqual([])
    expect(findConstraints(line.slice(line.search(/never/i)))).toHaveLength(1)
  })

  const ONCE = [
    'Make sure the extension runs',
    'make sure toolText is also used.',
    'i picked it while you were working and got a crash, that should never happen.',
    'I mean the rest of the exploration phase.',
    'I mean it.',
    'I mean seriously.',
    'Ok, make sure that it works again please!',
    'That should never occur.',
    'commit and push please',
    'Ok, merge it please.',
    'now run it once more, please',
    'look at my STYLE.md',
    'Propose where each of these files should go.',
    'Please go on with the release.',
    'now go on with the tests',
    'I want you to do a thorough analysis of the parser, then give me a plan.',
    'if yes, do it, if not commit first',
    'create a page that you think should be in this library',
    'can you also rename the file, not the folder',
    'Run # Do NOT pass --fast here.',
    'the list on the left never loads',
    'No, that’s not it, it uses the dark theme.',
    "Don't do that, undo it.",
    'There have to be bugs in the parser.',
  ]
  it.each(ONCE)('takes what is done with once for no rule: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([])
  })

  it.each(['Not Redux. Zustand.', 'Not Redux, Zustand', 'no, not npm; pnpm!'])(
    'finds a correction of two words as one: %s',
    (text) => {
      expect(findConstraints(text)).toEqual([text])
    },
  )

  const LASTING = [
    'Commit only on the branch of the ticket.',
    'Run the linter before each commit.',
    'Please push, but never to main.',
    'Review what you write, and always in English.',
  ]
  it.each(LASTING)('still finds what is to last: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([sentence])
  })
})

describe('what is typed around a paste', () => {
  const RULE = 'Never push to main.'
  it.each([
    ['an upper-case block', `[QUOTE]\nNever ask.\n[/QUOTE]\n${RULE}`],
    ['the words of a block that nothing closes', `[quote] from the wiki\n${RULE}`],
    ['an upper-case tag', `<Note>\nNever ask.\n</Note>\n\n${RULE}`],
    ['a tag in a sentence', `<b> is what I meant\n${RULE}`],
    ['a fence with a shorter one in it', `\`\`\`\`\n\`\`\`\nNever ask.\n\`\`\`\`\n${RULE}`],
    ['a fence with the head of another', `\`\`\`\n\`\`\`js\nNever ask.\n\`\`\`\n${RULE}`],
    ['an address that the line above speaks of', `Follow this:\n\nhttps://example.org/a\n${RULE}`],
    ['the mark of a host', `${RULE} [Pasted text #1]\nNever ask.`],
  ])('still binds: %s', (_, text) => {
    expect(findConstraints(text)).toEqual([RULE])
  })

  it.each([
    ['one heading, and a question', 'Backend: never log secrets.\nBackend: ok?', 1],
    [
      'two headings that do not come back',
      'Backend: never log secrets.\nBackend: never retry.\nFrontend: never use inline styles.',
      3,
    ],
  ])('is no talk of others: %s', (_, text, count) => {
    expect(findConstraints(text)).toHaveLength(count)
  })
})

describe('the work for a message', () => {
  const SHAPES: readonly (readonly [string, (at: number) => string])[] = [
    ['code that nothing closes', () => '[code] x'],
    ['quotations that nothing closes', () => '[quote=a] never do it'],
    ['comments that nothing closes', () => '/* x'],
    ['tags', (at) => `<a${at}>x`],
    ['fences', () => '```'],
    ['names', (at) => `zz${at}: never do it`],
    ['names twice', (at) => `zz${at >> 1}: never do it`],
    ['tickets', () => 'Type: x\n'],
    ['sentences', (at) => `Never use v${at}.`],
  ]
  const shortestMs = (line: (at: number) => string, count: number) => {
    const text = Array.from({ length: count }, (_, at) => line(at)).join('\n')
    const timesMs = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage()
      findConstraints(text)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1_000
    })
    return Math.min(...timesMs)
  }
  it.each(SHAPES)('grows with its length: %s', (_, line) => {
    // Eight times the lines: about 8 where it is in proportion, 64 where it is by the square.
    expect(shortestMs(line, 8_000) / shortestMs(line, 1_000)).toBeLessThan(32)
  })
})
