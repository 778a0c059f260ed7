// `precis/redact`: removes secrets from texts, messages and reports.
export { type Secret, secretsOf } from '../redact/known.ts'
export { type Redacted, redact } from '../redact/redact.ts'
export { type RedactionPolicy, redactFor } from '../redact/redact-for.ts'
export { type RedactedValue, redactValues } from '../redact/redact-values.ts'
