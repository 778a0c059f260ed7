// A thread that searches files, so that a runaway pattern can be ended.
import { parentPort, workerData } from 'node:worker_threads'
import type { SearchRequest } from './files.ts'
import { searchFiles } from './files.ts'

for await (const hits of searchFiles(workerData as SearchRequest)) parentPort?.postMessage(hits)
