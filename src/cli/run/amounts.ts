import { Misused } from '../program/misused.ts'

export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Misused(`${JSON.stringify(text)} is not a number of turns. Use 1 or more.`)
  return Number(text)
}

export function dollars(text: string): number {
  const value = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : 0
  if (value <= 0) throw new Misused(`${JSON.stringify(text)} is not an amount of US dollars. Write 2 or 0.50.`)
  return value
}
