/** Where it is said whether the runtime commits the work on tasks. */
export interface CommitSources {
  /** `team.autoCommit` of the user's settings. */
  readonly setting: boolean | undefined
  /** `auto_commit` of the planning configuration. */
  readonly config: boolean | undefined
  /** Of the planning configuration, to show to people. */
  readonly configFile: string
  /** `autoCommit` of the organisation; asked only where it decides. `untrusted` where it says true and has no effect. */
  organisation(): boolean | 'untrusted' | undefined
}

export interface ResolvedCommits {
  readonly isOn: boolean
  readonly reason: string
}

/**
 * The user's settings win over the organisation. The planning configuration can only switch commits off: every role may
 * write that file.
 */
export function resolveCommits({ setting, config, configFile, organisation }: CommitSources): ResolvedCommits {
  if (setting === false) return { isOn: false, reason: 'team.autoCommit is false in the settings' }
  if (config === false) return { isOn: false, reason: `auto_commit is false in ${configFile}` }
  if (setting === true) return { isOn: true, reason: 'team.autoCommit is true in the settings' }
  const said = organisation()
  if (said === true) return { isOn: true, reason: 'autoCommit is true in the organisation' }
  const why =
    said === undefined
      ? 'team.autoCommit is not set'
      : said === false
        ? 'autoCommit is false in the organisation'
        : 'autoCommit of the organisation has no effect until you trust this folder with: deskmates trust'
  const also =
    config === true ? `; auto_commit of ${configFile} can only switch them off, because agents write there` : ''
  return { isOn: false, reason: `${why}${also}` }
}
