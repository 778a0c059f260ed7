// A finding of the doctor: fine, a note, or a problem with its fix

export interface Finding {
  readonly check: string
  readonly state: 'well' | 'note' | 'fault'
  readonly message: string
  readonly fix?: string // for faults always
}

export function well(check: string, message: string): Finding {
  return { check, state: 'well', message }
}

export function note(check: string, message: string, fix?: string): Finding {
  return { check, state: 'note', message, ...(fix !== undefined && { fix }) }
}

export function fault(check: string, message: string, fix: string): Finding {
  return { check, state: 'fault', message, fix }
}
