export function systemBinaries(): string | undefined
export function embeddedBinaries(folder: string): string
