// Entry point of the page: a client over fetch, and the app.
import './no-eval.ts' // first: schemas are made as soon as their modules are read
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { openClient, takeTokenOfAddress } from './open-client.ts'
import './styles/base.css'
import './styles/layout.css'
import './styles/transcript.css'
import './styles/panels.css'

const place = document.getElementById('page')
if (!place) throw new Error('index.html has no element with the id page')
await takeTokenOfAddress()
// Opening the same address again in this tab only changes the fragment.
window.addEventListener('hashchange', async () => {
  if (await takeTokenOfAddress()) window.location.reload()
})
createRoot(place).render(
  <StrictMode>
    <App open={openClient} />
  </StrictMode>,
)
