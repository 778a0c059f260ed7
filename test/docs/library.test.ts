// The page on using précis as a library: its examples compile, run, and print what they promise.
import { checkExamples } from './example.ts'

checkExamples('docs/library.md')
