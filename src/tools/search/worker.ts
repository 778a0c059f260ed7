// A thread that searches files, so that a pattern that never ends can be ended.
import { parentPort, workerData } from 'node:worker_threads'
import { searchFiles } from './files.ts'
import type { SearchRequest } from './find.ts'

for await (const hits of searchFiles(workerData as SearchRequest)) parentPort?.postMessage(hits)
