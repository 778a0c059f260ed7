// How the web page is built: static files that the server hands out, without any inline script or style.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'src/web',
  base: './',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the page's policy allows no data: in scripts and styles
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 800, // in kB: one file, read once and kept by the browser
  },
})
