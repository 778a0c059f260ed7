// Runs `precis` with the arguments given in a process of its own, and prints the peak of its memory in kB last.
import { main } from '../../src/cli/main.ts'

process.exitCode = await main([process.execPath, 'precis', ...process.argv.slice(2)])
process.stdout.write(`${process.resourceUsage().maxRSS}\n`)
