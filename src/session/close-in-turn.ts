/**
 * Closes each part after the one before it, also when closing another one failed: a program that was started is not left
 * running because of it. Throws the first failure at the end.
 */
export async function closeInTurn(parts: readonly ((hasFailed: boolean) => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of parts) {
    try {
      await close(failures.length > 0)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
