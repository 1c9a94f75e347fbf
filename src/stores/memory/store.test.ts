import { storeContract } from '../../testing/contracts/store-contract.ts'
import { createPlace, openMemoryStore } from './store.ts'

storeContract('the memory store', async () => {
  const place = createPlace()
  return (options) => openMemoryStore(place, options)
})
