// Registers: named texts that outlive a script, from cuts and failed files.

/** Owned by the caller of several scripts; each run changes it. */
export interface EdlRegisters {
  readonly registers: Map<string, string>
  nextSavedId: number
}

export type Registers = Pick<Map<string, string>, 'get' | 'set'>

export interface SavedText {
  readonly register: string
  readonly chars: number
}

export function createRegisters(): EdlRegisters {
  return { registers: new Map(), nextSavedId: 1 }
}

/** Saves an unwritten text under the next free name `_saved_N`. */
export function saveText(registers: EdlRegisters, text: string): SavedText {
  const register = `_saved_${registers.nextSavedId}`
  registers.nextSavedId += 1
  registers.registers.set(register, text)
  return { register, chars: text.length }
}
