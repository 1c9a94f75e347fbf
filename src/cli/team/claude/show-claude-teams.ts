import { oneLine, table } from '../../output/format.ts'
import { print, printJson, printJsonArray, printMessage } from '../../output/print.ts'
import type { Call } from '../../program/context.ts'
import { Refused } from '../../program/failure.ts'
import { claudeFolder } from './claude-files.ts'
import { type ClaudeTeam, claudeTeams, readClaudeTeam } from './read-claude-team.ts'

const isOpen = ({ status }: ClaudeTeam['tasks'][number]) => status === 'pending' || status === 'in_progress'

/** `team list --claude`: all teams of Claude Code, and its task lists without a team. Reads only. */
export async function listClaudeTeams(call: Call): Promise<void> {
  const folder = claudeFolder(call.env)
  const problems: string[] = []
  const teams = claudeTeams(folder, problems).flatMap((name) => {
    const team = readClaudeTeam(folder, name)
    if (!team) return []
    const unread = team.mail.filter(({ read }) => !read).length
    const { description, members, tasks } = team
    return [{ name, description, members: members.length, openTasks: tasks.filter(isOpen).length, unread }]
  })
  for (const problem of problems) await printMessage(call, `deskmates: ${problem}`)
  if (call.globals.json) return printJsonArray(call, teams)
  const rows = teams.map(({ name, description, ...counts }) => [
    ...[oneLine(name), ...Object.values(counts).map(String), oneLine(description)],
  ])
  await print(call, table(call, ['TEAM', 'MEMBERS', 'OPEN TASKS', 'UNREAD', 'ABOUT'], rows))
  if (teams.length === 0) await printMessage(call, `Claude Code has no teams in ${folder}.`)
}

/** `team show --claude NAME`: members, board and mail of one of them. Reads only. */
export async function showClaudeTeam(call: Call, name: string): Promise<void> {
  const { left, ...team } = requireClaudeTeam(call, name)
  if (call.globals.json) return printJson(call, { ...team, problems: left })
  await print(call, `${oneLine(`${team.name}  ${team.description}`)}\n`)
  await print(
    call,
    table(
      call,
      ['MEMBER', 'ROLE'],
      team.members.map((one) => [oneLine(one.name), oneLine(one.role ?? '')]),
    ),
  )
  const tasks = team.tasks.map(({ id, status, owner, subject, blockedBy }) => [
    ...[oneLine(id), oneLine(status), oneLine(owner ?? ''), oneLine(subject)],
    blockedBy.length > 0 ? `waits for ${oneLine(blockedBy.join(', '))}` : '',
  ])
  await print(call, table(call, ['TASK', 'STATUS', 'OWNER', 'SUBJECT', ''], tasks))
  const mail = team.mail.map(({ from, to, text, read }) => [
    ...[read ? 'read' : 'unread', oneLine(`${from} → ${to}`), oneLine(text, 80)],
  ])
  await print(call, table(call, ['MAIL', 'FROM → TO', 'TEXT'], mail))
  for (const problem of left) await printMessage(call, `  ${problem}`)
}

export function requireClaudeTeam(call: Call, name: string): ClaudeTeam {
  const folder = claudeFolder(call.env)
  const team = readClaudeTeam(folder, name)
  if (team) return team
  const names = claudeTeams(folder, []).slice(0, 20)
  const others = names.length > 0 ? `Its teams: ${names.join(', ')}.` : 'It has none.'
  const message = `Claude Code has no team ${JSON.stringify(name)}. ${others} See: deskmates team list --claude`
  throw new Refused({ code: 'unknown_team', message })
}
