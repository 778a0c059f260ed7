// The settings panel: editable thread settings, and the server's settings.
import { type FormEvent, type ReactNode, useCallback, useId, useState } from 'react'
import type {
  Client,
  Hello,
  ModelInfo,
  SettingInfo,
  ThreadDetail,
} from '../../../protocol/index.ts'
import { tokensText, visibleText } from '../../shown-text.ts'
import { strategyWords } from '../../strategy-words.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'

const THINKING = ['off', 'low', 'medium', 'high']
/** Sent instead of a strategy to return to that of the preset. */
const OF_PRESET = 'preset'

type Choices = Parameters<Client['change']>[1]

export function SettingsPanel({
  client,
  hello,
  detail,
  onChange,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly detail: ThreadDetail
  readonly onChange: () => void
}) {
  const load = useCallback(
    async () => ({ models: await client.models(), settings: await client.settings() }),
    [client],
  )
  const { value, error } = useLoaded(load, 0)
  const [choices, setChoices] = useState<Choices>({})
  const changing = useTask()
  const choose = (choice: Choices) => setChoices({ ...choices, ...choice })
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(choices).length === 0) return
    changing.run(async () => {
      await client.change(detail.threadId, choices)
      setChoices({})
      onChange()
    })
  }
  const { model = '', thinking, preset, strategy = OF_PRESET } = { ...detail, ...choices }
  return (
    <>
      <form className="settings" aria-label="Settings of this thread" onSubmit={apply}>
        <Choice label="Model" value={model} onChoose={(ref) => choose({ model: ref })}>
          <Models models={value?.models ?? []} chosen={model} />
        </Choice>
        <Choice label="Thinking" value={thinking} onChoose={(level) => choose({ thinking: level })}>
          <Options values={THINKING} />
        </Choice>
        <Choice label="Preset" value={preset} onChoose={(id) => choose({ preset: id })}>
          <Options values={hello.presets} />
        </Choice>
        <Choice label="Strategy" value={strategy} onChoose={(id) => choose({ strategy: id })}>
          <option value={OF_PRESET}>Default for this preset</option>
          {hello.strategies.map((id) => (
            <option key={id} value={id}>
              {id}: {strategyWords(id)}
            </option>
          ))}
        </Choice>
        <button type="submit" className="main" aria-disabled={Object.keys(choices).length === 0}>
          {changing.isRunning ? 'Saving…' : 'Save'}
        </button>
      </form>
      {(error ?? changing.error) !== undefined && <p role="alert">{error ?? changing.error}</p>}
      {detail.workspace !== undefined && (
        <p className="quiet">
          Working directory: <code>{visibleText(detail.workspace)}</code>
        </p>
      )}
      <h2>Server</h2>
      <p className="quiet">
        précis {hello.version}. Change these settings where the server is started: in its settings
        file, its environment, or its options. <code>/api/openapi.json</code> describes its API.
      </p>
      <ServerSettings settings={value?.settings ?? []} />
    </>
  )
}

function Choice({
  label,
  value,
  onChoose,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly onChoose: (value: string) => void
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        {children}
      </select>
    </div>
  )
}

function Options({ values }: { readonly values: readonly string[] }) {
  return values.map((value) => <option key={value}>{value}</option>)
}

/** Configured models first; the others show what they lack. */
function Models({
  models,
  chosen,
}: {
  readonly models: readonly ModelInfo[]
  readonly chosen: string
}) {
  const groups = [
    { label: 'Ready', models: models.filter(({ isConfigured }) => isConfigured) },
    { label: 'Without a key', models: models.filter(({ isConfigured }) => !isConfigured) },
  ]
  return (
    <>
      {!models.some(({ ref }) => ref === chosen) && (
        <option value={chosen}>{chosen === '' ? 'none' : chosen}</option>
      )}
      {groups.map(({ label, models: some }) =>
        some.length === 0 ? null : (
          <optgroup key={label} label={label}>
            {some.map(({ ref, windowTokens }) => (
              <option key={ref} value={ref}>
                {ref}
                {windowTokens !== undefined && ` (${tokensText(windowTokens)})`}
              </option>
            ))}
          </optgroup>
        ),
      )}
    </>
  )
}

function ServerSettings({ settings }: { readonly settings: readonly SettingInfo[] }) {
  if (settings.length === 0) return <p className="quiet">All settings have their defaults.</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ key, value, origin }) => (
          <tr key={key}>
            <td>
              <code>{key}</code>
            </td>
            <td>{valueText(value)}</td>
            <td className="quiet">{origin}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function valueText(value: unknown): string {
  if (value === null) return 'not set'
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value))
}
