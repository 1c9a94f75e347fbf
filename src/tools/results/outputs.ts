import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { allInFileText } from '../../prompts/left-out.ts'
import type { Eraser } from '../../redaction/eraser.ts'
import { show } from '../paths/file-access.ts'
import type { Output, Outputs } from '../tool.ts'
import { createExcerpt } from './excerpt.ts'

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants

export interface OutputsOptions {
  /** `.teams/<team>/outputs/<agent>`; made, for this user only, when the first output is too large. */
  readonly folder: string
  /** What paths are shown relative to. */
  readonly root: string
  /** Bytes that a result may hold. */
  readonly limit?: number
  /** Bytes of one output that are kept, so that an endless output does not fill the disk. */
  readonly keep?: number
  /** Takes secrets out of what is kept and told. */
  readonly eraser?: Eraser | undefined
}

/** Large outputs in files, numbered as they come: what a model reads is the same in every replay. */
export function createOutputs({
  folder,
  root,
  limit = 50_000,
  keep = 256 * 1024 * 1024,
  eraser,
}: OutputsOptions): Outputs {
  const outputs: Outputs = {
    get folder() {
      return realOr(folder)
    },
    async fit(text, about) {
      if (Buffer.byteLength(text) <= limit) return { text }
      const create = () => createFile(folder, about)
      // What a result delivers may be nowhere else, mail of a deleted team for one.
      const output = openOutput({ limit, keep, eraser, create, show: (path) => show(path, { root }), syncs: folder })
      output.write(Buffer.from(text))
      output.close()
      return { text: output.text(), ...(output.path !== undefined && { outputPath: output.path }) }
    },
    keep(content, about) {
      const { fd, path } = createFile(folder, about)
      const erased =
        typeof content === 'string' ? (eraser?.text(content) ?? content) : (eraser?.bytes(content) ?? content)
      writeSynced(fd, erased, folder)
      return show(path, { root })
    },
    sumOf(path) {
      const content = contentOf(folder, path)
      return content && sumOf(content)
    },
    read(path, sum) {
      const content = contentOf(folder, path)
      return content && sumOf(content) === sum ? content : undefined
    },
    restore(name, content) {
      makePrivate(folder)
      const fd = openSync(join(realpathSync(folder), basename(name)), O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600)
      writeSynced(fd, eraser?.text(content) ?? content, folder)
    },
    open: (about) =>
      openOutput({
        limit,
        keep,
        eraser,
        create: () => createFile(folder, about),
        show: (path) => show(path, { root }),
      }),
  }
  return outputs
}

/** Undefined where it is missing. Only names count: a path never leads out of the folder. */
function contentOf(folder: string, path: string): Uint8Array | undefined {
  try {
    const fd = openSync(join(realOr(folder), basename(path)), O_RDONLY | O_NOFOLLOW)
    try {
      return readFileSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

function sumOf(content: Uint8Array): string {
  return hash('sha256', content, 'hex').slice(0, 16)
}

/** A turn names the file, so it must not be gone after a power cut that leaves the turn. */
function writeSynced(fd: number, content: Uint8Array | string, folder: string): void {
  try {
    writeFileSync(fd, content)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  syncEntries(folder)
}

function syncEntries(folder: string): void {
  const entries = openSync(folder, O_RDONLY)
  try {
    fsyncSync(entries)
  } finally {
    closeSync(entries)
  }
}

interface OutputOptions {
  readonly limit: number
  readonly keep: number
  readonly eraser: Eraser | undefined
  readonly create: () => OutputFile
  readonly show: (path: string) => string
  /** The folder of the file, where both are durable when it is closed. */
  readonly syncs?: string
}

interface OutputFile {
  readonly fd: number
  readonly path: string
}

function openOutput({ limit, keep, eraser, create, show, syncs }: OutputOptions): Output {
  const excerpt = createExcerpt(limit)
  let file: OutputFile | undefined
  let total = 0
  let kept = 0
  let isClosed = false
  let trouble: string | undefined

  const put = (bytes: Uint8Array) => {
    if (trouble !== undefined) return
    try {
      file ??= create()
      const fits = bytes.subarray(0, keep - kept)
      for (let at = 0; at < fits.length; ) at += writeSync(file.fd, fits, at)
      kept += fits.length
      if (fits.length < bytes.length) trouble = `only its first ${keep} bytes were kept`
    } catch (error) {
      trouble = `the rest could not be kept (${(error as Error).message})`
    }
  }

  const erasing = eraser?.stream()
  const take = (bytes: Uint8Array) => {
    if (bytes.length === 0) return
    if (total <= limit && total + bytes.length > limit) put(excerpt.whole()!)
    total += bytes.length
    excerpt.add(bytes)
    if (total > limit) put(bytes)
  }

  return {
    write(bytes) {
      if (!isClosed) take(erasing ? erasing.write(bytes) : bytes)
    },
    text() {
      const where = file ? allInFileText(show(file.path)) : ''
      return excerpt.text([where, trouble && `But ${trouble}.`].filter(Boolean).join(' '))
    },
    get path() {
      return file && show(file.path)
    },
    close() {
      if (erasing && !isClosed) take(erasing.end())
      if (file && !isClosed) {
        if (syncs !== undefined) fsyncSync(file.fd)
        closeSync(file.fd)
        if (syncs !== undefined) syncEntries(syncs)
      }
      isClosed = true
    },
  }
}

function createFile(folder: string, about: string): OutputFile {
  makePrivate(folder)
  const taken = readdirSync(folder).map((name) => Number.parseInt(name, 10) || 0)
  // Another process of the same agent may use the same number; the process that creates the file gets it.
  for (let number = Math.max(0, ...taken) + 1; ; number++) {
    const path = join(realpathSync(folder), `${number}-${about.replace(/[^A-Za-z0-9_-]+/g, '-')}.txt`)
    try {
      return { fd: openSync(path, 'wx', 0o600), path }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** As the files store makes its folders: `.teams` is hidden from git from the moment it exists. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let above = folder
  while (basename(above) !== '.teams' && dirname(above) !== above) above = dirname(above)
  if (basename(above) !== '.teams') return
  try {
    writeFileSync(join(above, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
