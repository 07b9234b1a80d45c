import type { Surroundings } from '../../src/providers/provider.ts'

const absent = async (): Promise<never> => {
  throw new Error('This provider simulates nothing.')
}

/** For a provider that needs nothing but the time. */
export const surroundings: Surroundings = { clock: () => new Date(), simulation: { list: absent, load: absent, save: absent } }
