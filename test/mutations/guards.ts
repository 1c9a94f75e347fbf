import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'redirection-into-tasks',
    mistake: 'a redirection may write the files of the board',
    file: 'src/permissions/rules/policy.ts',
    old: '\\.tasks|',
    new: '',
    test: 'src/permissions/rules/policy.test.ts',
    fails: 'allow no redirection into a folder that file tools never write',
  },
  {
    name: 'path-judged-once',
    mistake: 'the path is not judged again after the file was opened',
    file: 'src/tools/paths/open-for-writing.ts',
    old: 'refuseWriting(real, access) ?? refuseAlias(',
    new: 'refuseAlias(',
    test: 'src/tools/files/files.test.ts',
    fails: 'write where a folder was moved to',
  },
  {
    name: 'instructing-file-by-alias',
    mistake: 'a linked folder is another name for a file that instructs tools',
    file: 'src/tools/paths/open-for-writing.ts',
    old: ' ?? refuseAlias(real, asked, access)',
    new: '',
    test: 'src/tools/files/files.test.ts',
    fails: 'write to a file that instructs tools by the path of a linked folder',
  },
  {
    name: 'trust-not-synced',
    mistake: 'trust is lost by a power cut that the journal survives',
    file: 'src/stores/files/identity/state-file.ts',
    old: 'syncFolders(disk, [file, dirname(file), ...made.map((folder) => dirname(folder))])',
    new: '',
    test: 'src/stores/files/identity/trust.test.ts',
    fails: 'survives a power cut right after it was given',
  },
]
