import type { Plugin } from 'vite'

export const leanPackages: RegExp[]
export function leanStreams(): Plugin
