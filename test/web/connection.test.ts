// The page when the connection goes and comes back: it says so, misses nothing, and loses no word typed.
import { describe, expect, it } from 'vitest'
import { addToken } from '../../src/server/accounts/tokens.ts'
import { answer, user } from '../say.ts'
import { CHROMIUM, useBrowser } from './setup.ts'

const PATIENCE = { timeout: 20_000 }

/** What a browser says of requests that cannot get through. */
const UNREACHED = /Failed to load resource|net::ERR_/

describe.skipIf(!CHROMIUM.available)(`a lost connection ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('is told, and made up for when the server is back', async () => {
    const { open, client, home, stopServing, serveAgain } = await setUp()
    const { threadId } = await client.createThread({ title: 'Away' })
    await home.threads.append(threadId, [user('before'), ...answer('heard')])
    const page = await open(threadId, { expected: UNREACHED })
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('heard').waitFor()

    await stopServing()
    const lost = page.getByRole('status').getByText('The connection is lost')
    await lost.waitFor()
    await page.getByLabel('Message').fill('said into the void')
    await page.getByLabel('Message').press('Enter')
    await page.getByRole('alert').getByText('cannot be reached').first().waitFor()
    // The alert may be of another request; what was typed is back once this one has failed.
    await expect
      .poll(() => page.getByLabel('Message').inputValue(), PATIENCE)
      .toBe('said into the void')

    for (let at = 0; at < 30; at += 1)
      await home.threads.append(threadId, [user(`while away ${at}`)])
    await serveAgain()
    await lost.waitFor({ state: 'detached' })
    await transcript.getByText('while away 29').waitFor()
    await page.getByLabel('Message').press('Enter')
    await transcript.getByText('said into the void').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    const events = await client.events(threadId)
    const said = events.filter(({ type }) => type === 'USER_MESSAGE')
    expect(said.filter(({ data }) => data === 'said into the void')).toHaveLength(1)
  })

  it('of the browser itself is made up for, too', async () => {
    const { open, client, home } = await setUp()
    const { threadId } = await client.createThread({ title: 'Tunnel' })
    const page = await open(threadId, { expected: UNREACHED })
    await page.getByText('Nothing was said yet.').waitFor()
    await page.context().setOffline(true)
    await page.getByRole('status').getByText('The connection is lost').waitFor()
    await home.threads.append(threadId, [user('in the tunnel')])
    await page.context().setOffline(false)
    await page.getByRole('region', { name: 'Transcript' }).getByText('in the tunnel').waitFor()
    await page
      .getByRole('status')
      .getByText('The connection is lost')
      .waitFor({ state: 'detached' })
  })

  it('is not called back by what was under way before, nor lost where only the network is', async () => {
    const { open, client } = await setUp()
    const { threadId } = await client.createThread({ title: 'Harbour' })
    const page = await open(threadId, { expected: UNREACHED })
    await page.getByText('Nothing was said yet.').waitFor()
    const lost = page.getByRole('status').getByText('The connection is lost')
    // A server on the same machine needs no network.
    const probed = page.waitForResponse(/health$/)
    await page.evaluate("window.dispatchEvent(new Event('offline'))")
    expect((await probed).status()).toBe(200)
    expect(await lost.count()).toBe(0)
    const late = Promise.withResolvers<void>()
    await page.route(/\/api\/threads\?/, async (route) => {
      await late.promise
      await route.fulfill({ json: { items: [] } })
    })
    const asked = page.waitForRequest(/\/api\/threads\?/)
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await asked
    await page.context().setOffline(true)
    await lost.waitFor()
    late.resolve()
    await page.getByText('No threads yet.').waitFor()
    expect(await lost.count()).toBe(1)
  })

  it('asks for a token where one is needed, and again where it is a wrong one', async () => {
    const { open, home, ask } = await setUp({ hasTokens: true })
    const right = await addToken(home, 'mara', 'mara')
    await expect.poll(async () => (await ask('/threads')).status, PATIENCE).toBe(401)
    const page = await open(undefined, { expected: /401/ })
    const give = async (token: string) => {
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Open' }).click()
    }
    await page.getByText('The server asks for a token').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await give('wrong')
    await page.getByRole('alert').getByText('Invalid token.').waitFor()
    await give(right)
    await page.getByText('No threads yet').waitFor()
    await page.reload()
    await page.getByText('No threads yet').waitFor()
  })
})
