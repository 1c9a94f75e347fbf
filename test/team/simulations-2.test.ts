import { manyTeams } from './many-teams.ts'

manyTeams(2)
