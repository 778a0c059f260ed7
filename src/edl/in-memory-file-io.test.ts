// Files in memory behave as those of a disk do, as far as scripts and tools ask.
import { describe, expect, it } from 'vitest'
import { InMemoryFileIO } from './in-memory-file-io.ts'

describe('InMemoryFileIO', () => {
  it('reads what it was given and what was written, also over it [EDL-17]', async () => {
    const files = new InMemoryFileIO({ '/a': 'one' })
    expect(await files.readFile('/a')).toBe('one')
    await files.writeFile('/a', 'two')
    expect(await files.readFile('/a')).toBe('two')
    files.writeFileSync('/b', 'three')
    expect(files.getFileContents('/b')).toBe('three')
    expect(files.getFileContents('/c')).toBeUndefined()
  })

  it('rejects with ENOENT what is not there [EDL-17]', async () => {
    const missing = {
      code: 'ENOENT',
      message: "ENOENT: no such file or directory, open '/x'",
    }
    await expect(new InMemoryFileIO().readFile('/x')).rejects.toMatchObject(missing)
    await expect(new InMemoryFileIO().readBinaryFile('/x')).rejects.toMatchObject(missing)
  })

  it('knows what exists, and when it is said to have changed [EDL-17]', async () => {
    const files = new InMemoryFileIO({ '/a': 'x' }, { nowMs: () => 5 })
    expect([await files.fileExists('/a'), await files.fileExists('/b')]).toEqual([true, false])
    expect(await files.stat('/a')).toEqual({ mtimeMs: 5, size: 0 })
    expect(await files.stat('/b')).toBeUndefined()
    await files.deleteFile('/a')
    expect(await files.stat('/a')).toBeUndefined()
  })

  it('makes no folders: they are there with their files [EDL-17]', async () => {
    const files = new InMemoryFileIO({ '/x/a': '', '/x/y/b': '', '/x/y/c': '', '/z': '' })
    await files.mkdir('/empty')
    expect(await files.isDirectory('/empty')).toBe(false)
    expect(await files.isDirectory('/x')).toBe(true)
    expect(await files.isDirectory('/z')).toBe(false)
    expect(await files.readdir('/x')).toEqual(['a', 'y'])
    expect(await files.readdir('/')).toEqual(['x', 'z'])
    expect(await files.readdir('/none')).toEqual([])
  })

  it.each(['', 'ascii', 'é€😀', 'a\ud800b', '%41'])(
    'gives the bytes of %j in UTF-8 [EDL-17]',
    async (text) => {
      const files = new InMemoryFileIO({ '/a': text })
      expect([...(await files.readBinaryFile('/a'))]).toEqual([...Buffer.from(text)])
    },
  )
})
