import { z } from 'zod'

export const TeamName = z.string().min(1).optional().describe('another team of yours than the current one')
