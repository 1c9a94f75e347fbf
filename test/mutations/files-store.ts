import type { Mutation } from './mutation.ts'

const crash = 'test/crash/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'inbox-file-copied-and-emptied',
    mistake: 'An inbox file is read and then emptied, so lines written in between are lost',
    file: 'src/stores/files/inbox/archives.ts',
    old: '      disk.renameSync(path, to)\n',
    new: "      const fs = process.getBuiltinModule('node:fs')\n      fs.writeFileSync(to, disk.readFileSync(path))\n      fs.truncateSync(path)\n",
    test: crash,
    fails: 'keeps lines written while an inbox file is archived',
  },
  {
    name: 'numbered-archive',
    mistake: 'Two processes archive an inbox file under the same number',
    file: 'src/stores/files/inbox/archives.ts',
    old: '`${ids()}.${mailbox}.jsonl`',
    new: '`${disk.readdirSync(folder).length + 1}.${mailbox}.jsonl`',
    test: crash,
    fails: 'archives an inbox file under a unique name',
  },
  {
    name: 'split-append',
    mistake: 'A record is written in two calls, so another process can write between its halves',
    file: 'src/stores/files/log/journal-file.ts',
    old: 'return disk.writeSync(fd, bytes)',
    new: 'return disk.writeSync(fd, bytes.subarray(0, 8)) + disk.writeSync(fd, bytes.subarray(8))',
    test: crash,
    fails: 'writes a journal record in one call',
  },
  {
    name: 'no-leading-newline',
    mistake: 'A record ends in a newline but does not begin with one, so it sticks to a torn line',
    file: 'src/stores/files/log/line.ts',
    old: 'Buffer.from(`\\n${body}${EMPTY_TRAILER}\\n`)\n  const sum = putSum(bytes, 1, bytes',
    new: 'Buffer.from(`${body}${EMPTY_TRAILER}\\n`)\n  const sum = putSum(bytes, 0, bytes',
    test: crash,
    fails: 'reads the record behind one whose writer died',
  },
  {
    name: 'watch-on-the-file',
    mistake: 'The file is watched instead of its folder, so a replaced file is no longer watched',
    file: 'src/stores/files/folder-watch.ts',
    old: 'const folderPath = dirname(path)',
    new: 'const folderPath = disk.statSync(path) ? path : dirname(path)',
    test: crash,
    fails: 'wakes a waiting reader when another file replaced the journal',
  },
  {
    name: 'ack-before-sync',
    mistake: 'A write is acknowledged before it is synced',
    file: 'src/stores/files/log/writer.ts',
    old: 'else await group.commit()',
    new: 'else reader.ensureSame()',
    test: crash,
    fails: 'keeps an acknowledged record through a power cut',
  },
  {
    name: 'write-behind-a-cut',
    mistake: 'A journal that lost its end is written to as if it were complete',
    file: 'src/stores/files/log/writer.ts',
    old: 'reader.forbidsWriting ?? cut()',
    new: 'reader.forbidsWriting',
    test: crash,
    fails: 'refuses to write to a journal that is shorter',
  },
]
