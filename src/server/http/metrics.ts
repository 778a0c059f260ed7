// Metrics for monitoring, in the text format of Prometheus.
import type { AppParts } from '../send.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricsText(parts: AppParts, isStoreUp: boolean): string {
  const { activity, drain, feeds } = parts
  const { rss, heapUsed } = process.memoryUsage()
  const rows: readonly (readonly [string, string, number])[] = [
    ['precis_store_up', 'Whether the store answers (1) or not (0).', Number(isStoreUp)],
    ['precis_draining', 'Whether the server is being stopped.', Number(drain.isDraining)],
    ['precis_streams', 'Open streams of followers.', feeds.followers],
    ['precis_working_threads', 'Threads that work on this process.', activity.busy().length],
    ['process_resident_memory_bytes', 'Resident memory.', rss],
    ['precis_heap_used_bytes', 'Used memory of the JavaScript heap.', heapUsed],
    ['precis_uptime_seconds', 'Seconds since the process started.', Math.round(process.uptime())],
  ]
  return rows
    .map(
      ([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`,
    )
    .join('')
}

export const PAGE = 100
