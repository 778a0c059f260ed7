// Asks for the token of a server that wants one.
import { type FormEvent, useState } from 'react'

export function TokenForm({
  isRefused,
  onToken,
}: {
  /** One was sent, and the server does not know it. */
  readonly isRefused: boolean
  readonly onToken: (token: string) => void
}) {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() !== '') onToken(token.trim())
  }
  return (
    <main className="alone">
      <h1>précis</h1>
      <form onSubmit={submit}>
        <label className="field">
          Token
          <input
            type="password"
            value={token}
            autoComplete="current-password"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      {isRefused && <p role="alert">The server does not know this token.</p>}
      <p>
        The server asks for a token. On this machine, open the address that precis serve printed.
        For a team server, ask the person who runs it.
      </p>
    </main>
  )
}
