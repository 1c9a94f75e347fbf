import { closeSync, constants } from 'node:fs'
import { basename } from 'node:path'
import { PathRefused } from '../../permissions/paths/refused.ts'
import { openAt } from '../../permissions/paths/spot.ts'
import { readWhole } from '../paths/content.ts'
import type { FileAccess } from '../paths/file-access.ts'
import { kindOf } from '../paths/kind-of-bytes.ts'
import { openForReading } from '../paths/open-for-reading.ts'
import { pathsIn } from './prompt-paths.ts'

/** An image that a prompt names. */
export interface NamedImage {
  readonly name: string
  readonly mediaType: string
  readonly data: Uint8Array
  /** Behind `@`: the person wants it attached. */
  readonly isExplicit: boolean
}

/** An image that comes with a prompt, as its bytes. */
export type AttachedImage = Pick<NamedImage, 'name' | 'data'>

export interface PromptImages {
  readonly images: readonly NamedImage[]
  /** Why images that the prompt mentions without `@` are not attached. */
  readonly notes: readonly string[]
}

/** Providers accept no larger images. */
export const MAX_IMAGE_BYTES = 3.5 * 1024 * 1024
/** Of one prompt: all of it is one record of the transcript. */
const MAX_PROMPT_IMAGE_BYTES = 8 * 1024 * 1024
const MAX_IMAGES = 20
const MAX_NOTES = 3

/**
 * The images that a prompt names. What a file is its first bytes say. A path that names no image stays text. Throws a
 * `PathRefused` for an image behind `@` that cannot be attached: too large, outside of the workspace, or denied by a rule; and
 * for an attached one that is too large or is none.
 */
export function imagesIn(
  prompt: string,
  access: FileAccess,
  attached: readonly AttachedImage[] = [],
  cwd?: string,
): PromptImages {
  const images = new Map(attached.map((one, i): [string, NamedImage] => [`attached ${i}`, checkedImage(one)]))
  const notes: string[] = []
  let bytes = attached.reduce((sum, { data }) => sum + data.length, 0)
  if (images.size > MAX_IMAGES || bytes > MAX_PROMPT_IMAGE_BYTES) throw new PathRefused(TOO_MANY)
  for (const { name, path, isExplicit } of pathsIn(prompt, { root: access.root, cwd })) {
    try {
      const found = readImage(path, access)
      if (!found || images.has(found.real)) continue
      bytes += found.image.data.length
      if (images.size === MAX_IMAGES || bytes > MAX_PROMPT_IMAGE_BYTES) {
        bytes -= found.image.data.length
        throw new PathRefused(TOO_MANY)
      }
      images.set(found.real, { ...found.image, isExplicit })
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error
      if (isExplicit) throw error
      notes.push(`${name} is not attached: ${error.message}`)
    }
  }
  return { images: [...images.values()], notes: notes.slice(0, MAX_NOTES) }
}

/** How an image is shown in a conversation. */
export function imageChip({ name, data }: Pick<NamedImage, 'name' | 'data'>): string {
  return `[image ${name} ${sizeText(data.length)}]`
}

/** Of all images of a prompt together. */
const TOO_MANY = `The images of one prompt may be ${MAX_IMAGES}, and have ${sizeText(MAX_PROMPT_IMAGE_BYTES)} together. Name fewer, or smaller ones.`

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** What it is its bytes say, not what the program that attached it says. */
function checkedImage({ name, data }: AttachedImage): NamedImage {
  if (data.length > MAX_IMAGE_BYTES) throw new PathRefused(tooLarge(name, data.length))
  const kind = kindOf(data.subarray(0, 64))
  if (kind.is !== 'image')
    throw new PathRefused(`${name} is no image that models can see: attach a PNG, JPEG, GIF or WebP image.`)
  return { name, mediaType: kind.mediaType, data, isExplicit: true }
}

function tooLarge(name: string, bytes: number): string {
  return `${name} has ${sizeText(bytes)}; an image may have ${sizeText(MAX_IMAGE_BYTES)}. Make it smaller, or name a part of it.`
}

/** Undefined for what is not an image. */
function readImage(
  path: string,
  access: FileAccess,
): { real: string; image: Omit<NamedImage, 'isExplicit'> } | undefined {
  const isNamedImage = /\.(?:png|jpe?g|gif|webp)$/i.test(path)
  try {
    using spot = openForReading(path, access)
    const { stats, shown, real } = spot
    if (!stats.isFile()) return undefined
    if (stats.size > MAX_IMAGE_BYTES) {
      if (!isNamedImage) return undefined
      throw new PathRefused(tooLarge(shown, stats.size))
    }
    const fd = openAt(spot, constants.O_RDONLY)
    try {
      const data = readWhole(fd, shown)
      const kind = kindOf(data.subarray(0, 64))
      if (kind.is !== 'image') return undefined
      return { real, image: { name: basename(shown), mediaType: kind.mediaType, data } }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    // What it is cannot be said of a file that must not be read.
    if (error instanceof PathRefused && !isNamedImage) return undefined
    throw error
  }
}
