export interface Row {
  readonly id?: string
  readonly unit?: string
  readonly statistic?: 'best' | 'median'
  readonly atLeast?: number
  readonly atMost?: number
  readonly goal?: string
}

interface Round {
  readonly ours: number
  readonly limit?: number
}

interface Summary {
  readonly ours: number
  readonly limit: number | undefined
  readonly figure: number
  readonly spread?: readonly [number, number]
}

export function summarise(row: Row, rounds: readonly Round[]): Summary
export function judge(row: Row, figure: number | undefined): { readonly goal: string; readonly verdict: string }
export function failuresIn<Result extends { readonly verdict: string }>(results: readonly Result[]): Result[]
