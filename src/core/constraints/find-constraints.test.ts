// Single forms in which somebody is bound, and their ordinary neighbours.
import { describe, expect, it } from 'vitest'
import { findConstraints } from './find-constraints.ts'

const BINDING = [
  'Yes, but it must print what it would do and change nothing unless I pass --write.',
  'And it must tell me about the overlaps it finds.',
  'No classes with methods for everything.',
  'You are not to run migrations.',
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
]

const ORDINARY = [
  'When they leave out the boat, our server dies on them.',
  'After the update the page is blank.',
  'I prefer to look at the failing test now.',
  'You must have missed a file.',
  'That must be the bug.',
  'I must admit that this is better.',
  'No luck with that one.',
  'Mach dir keinen Kopf, das war mein Fehler.',
  'Lösche bitte alles was nicht gebraucht wird.',
  'Entferne die Tests die nicht laufen.',
  'Ersetze alle Links die nicht mehr gehen.',
  'Verschiebe Dateien die nie importiert werden nach old/.',
  'Bitte entferne die Tests, die der Linter nicht mag.',
  'Lösche bitte alles was keine Tests hat.',
  'Lösche die nicht mehr benötigten Dateien.',
]

describe('what binds', () => {
  it.each(BINDING)('is found: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([sentence])
  })

  it.each(ORDINARY)('is not this: %s', (sentence) => {
    expect(findConstraints(sentence)).toEqual([])
  })

  const ONCE = [
    'commit and push please',
    'Ok, merge it please.',
    'now run it once more, please',
    'look at my STYLE.md',
    'Propose where each of these files should go.',
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
