import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { checkPlans } from './check-plans.ts'
import { findCrossPhase } from './cross-phase.ts'
import { parsePlan } from './parse-plan.ts'
import type { Plan, Problem } from './plan.ts'
import { readText } from './read-text.ts'

export interface ReadPlans {
  /** By id. With `problems` they are not fit to be loaded. */
  readonly plans: readonly Plan[]
  /** Everything that is wrong, in the order of the files and their lines. */
  readonly problems: readonly Problem[]
}

/** Reads the named plan files, or all plan files of a named folder, and finds everything that is wrong. */
export function readPlans(paths: readonly string[]): ReadPlans {
  const problems: Problem[] = []
  const files = distinct(paths.flatMap((path) => planFilesIn(resolve(path), problems)))
  const plans = files.flatMap((file) => readPlan(file, problems))
  const siblings = siblingFiles(files).flatMap((file) => readPlan(file, []))
  problems.push(...checkPlans(plans, siblings))
  for (const plan of plans) problems.push(...unknownCrossPhase(plan))
  const position = new Map(files.map((file, i) => [file, i]))
  const order = ({ file, line }: Problem) => (position.get(file) ?? -1) * 1e7 + line
  return {
    plans: plans.sort((a, b) => (a.id < b.id ? -1 : 1)),
    problems: problems.sort((a, b) => order(a) - order(b)),
  }
}

/** A file that is named twice, also by a link, is one plan under the name that was given first. */
function distinct(files: readonly string[]): string[] {
  const byPlace = new Map<string, string>()
  for (const file of files) {
    const place = realPlace(file)
    if (!byPlace.has(place)) byPlace.set(place, file)
  }
  return [...byPlace.values()]
}

function realPlace(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // It is missing, or a link that leads nowhere: reading it says so.
    return file
  }
}

const PLAN_FILE = /\.plan\.jsonl$/
/** A plan of 10,000 tasks has a few megabytes. */
const MAX_PLAN_BYTES = 64 * 1024 * 1024

function planFilesIn(path: string, problems: Problem[]): string[] {
  let names: string[]
  try {
    names = readdirSync(path)
  } catch {
    return [path]
  }
  const files = names.filter((name) => PLAN_FILE.test(name)).sort()
  if (files.length === 0)
    problems.push({
      file: path,
      line: 1,
      problem: 'the folder holds no plan',
      fix: 'Name a folder with PP-NN.plan.jsonl files, or the files.',
    })
  return files.map((name) => join(path, name))
}

/** Plan files beside the given ones. */
function siblingFiles(files: readonly string[]): string[] {
  const folders = [...new Set(files.map(dirname))]
  const all = folders.flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => PLAN_FILE.test(name))
        .map((name) => join(folder, name))
    } catch {
      return []
    }
  })
  const given = new Set(files)
  return all.filter((file) => !given.has(file))
}

function readPlan(file: string, problems: Problem[]): Plan[] {
  const read = readText(file, { maxBytes: MAX_PLAN_BYTES, ifMissing: IF_MISSING })
  if (!('text' in read)) {
    problems.push({ file, line: 1, ...read })
    return []
  }
  const { plan, problems: found } = parsePlan(file, read.text)
  problems.push(...found)
  return plan ? [plan] : []
}

const IF_MISSING = 'Check the path; plan files are called like 03-01.plan.jsonl.'

function unknownCrossPhase(plan: Plan): Problem[] {
  return plan.header.xd.flatMap(({ p, n }) => {
    const { planFile, summaryFile } = findCrossPhase(dirname(plan.path), `${p}-${n}`)
    if (planFile !== undefined || summaryFile !== undefined) return []
    const problem = `"xd" names plan ${p}-${n}, which is in no folder of a phase beside this one`
    const fix = `Correct "p" and "n", or put ${p}-${n}.summary.jsonl into the folder of its phase.`
    return [{ file: plan.path, line: 1, problem, fix }]
  })
}
