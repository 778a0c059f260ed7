// Runs `precis import FILE` in a process of its own, and prints the peak of its memory in kB last.
import { main } from '../../src/cli/main.ts'

process.exitCode = await main([
  process.execPath,
  'precis',
  'import',
  process.argv[2] ?? '',
  '--json',
])
process.stdout.write(`${process.resourceUsage().maxRSS}\n`)
