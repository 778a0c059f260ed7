// Names and values that stand beside each other: lists of variables, tags, fields of objects.
import { expect, it } from 'vitest'
import { redact } from './redact.ts'
import { redactValues } from './redact-values.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const CHOSEN = ['Falc9on', '22x'].join('!')
const RANDOM = ['gvMJ4TGBkuog', '1BZMIweGO'].join('')

it.each([
  `env:\n- name: DB_PASSWORD\n  value: ${CHOSEN}`,
  `{"name":"DB_PASSWORD","value":"${CHOSEN}"}`,
  `"{\\"name\\": \\"DB_PASSWORD\\", \\"value\\": \\"${CHOSEN}\\"}"`,
  `<property name="password" value="${CHOSEN}"/>`,
  `<add key="ApiSecret" value="${RANDOM}" />`,
  `name = "API_TOKEN"\nvalue = "${RANDOM}"`,
  `<password>${CHOSEN}</password>`,
  `<string name="api_key">${RANDOM}</string>`,
])('%s', (text) => {
  const shown = redact(text).text
  expect(shown).not.toContain(CHOSEN)
  expect(shown).not.toContain(RANDOM)
})

it.each([
  '- name: LOG_LEVEL\n  value: warning22!x',
  '{"name":"token_count","value":"1234567890123456"}',
  '<input name="password" value="password">',
  '<password>hunter</password>',
  '<T extends Token>parseToken</T>',
  'name: DB_PASSWORD\nvalue: $DB_PASSWORD',
])('%s stays', (text) => {
  expect(redact(text).text).toBe(text)
})

it('is found in the fields of an object', () => {
  const { value } = redactValues([
    { name: 'DB_PASSWORD', value: CHOSEN },
    { Key: 'apiToken', Value: RANDOM },
    { name: 'LOG_LEVEL', value: CHOSEN },
  ])
  expect(value).toEqual([
    { name: 'DB_PASSWORD', value: '[redacted:password]' },
    { Key: 'apiToken', Value: '[redacted:token]' },
    { name: 'LOG_LEVEL', value: CHOSEN },
  ])
})
